import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { parseJson } from "../common/json.js";
import { type Fault, type FaultRules, isBeforeHandling } from "./faults.js";
import { readBodyOrRefuse } from "./read-body.js";
import type { RequestLog } from "./request-log.js";
import type { ServiceEnv } from "./requests.js";

/** Statuses whose responses have no body. */
const bodiless = [204, 205, 304];

/** Reads the body of each request, and applies its faults before and after the handlers. */
export function applyFaults(rules: FaultRules, log: RequestLog, closing: AbortSignal) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    let refusal = rules.needsBody ? await readBodyOrRefuse(c) : undefined;
    const { faults, holdReleased } = rules.take(c.get("entry"));
    const before = faults.filter(isBeforeHandling);
    const after = faults.filter((fault) => !isBeforeHandling(fault));
    if (!before.some(({ kind }) => kind === "resetBeforeReading")) {
      refusal ??= await readBodyOrRefuse(c);
    }
    if (refusal !== undefined) {
      return refusal;
    }
    log.noteReceived(c.get("entry"));

    const context = { c, log, holdReleased, closing };
    for (const fault of before) {
      const response = await applyFault(fault, context);
      if (response !== undefined) {
        return response;
      }
    }
    await next();
    for (const fault of after) {
      const response = await applyFault(fault, context);
      if (response !== undefined) {
        c.set("problem", undefined);
        // Cleared first, because Hono merges the headers of the old response into the new one.
        c.res = undefined;
        c.res = response;
      }
      if (response === RESPONSE_ALREADY_SENT) {
        return;
      }
    }
  });
}

interface FaultContext {
  readonly c: Context<ServiceEnv>;
  readonly log: RequestLog;
  /** Resolves when the rule releases its `hold`. */
  readonly holdReleased: Promise<void>;
  readonly closing: AbortSignal;
}

/** Applies one fault. A returned response replaces the previous one. */
async function applyFault(fault: Fault, context: FaultContext): Promise<Response | undefined> {
  const { c, log, holdReleased, closing } = context;
  switch (fault.kind) {
    case "delay":
      await delay(fault.ms, undefined, { signal: closing });
      return undefined;
    case "hold":
      await holdReleased;
      closing.throwIfAborted();
      return undefined;
    case "neverRespond":
      log.noteFinished(c.get("entry"), { outcome: "noResponse" });
      return RESPONSE_ALREADY_SENT;
    case "resetBeforeReading":
    case "resetAfterCommit":
      return reset(context);
    case "resetMidBody":
      return resetMidBody(context);
    case "respond":
      return respond(fault, c);
  }
}

function reset({ c, log }: FaultContext): Response {
  log.noteFinished(c.get("entry"), { outcome: "reset" });
  c.env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

async function resetMidBody(context: FaultContext): Promise<Response> {
  const { env, res } = context.c;
  const body = Buffer.from(await res.arrayBuffer());
  env.outgoing.writeHead(res.status, {
    ...Object.fromEntries(res.headers),
    "content-length": body.length,
  });
  await new Promise((resolve) => {
    env.outgoing.write(body.subarray(0, body.length / 2), resolve);
  });
  return reset(context);
}

async function respond(
  { statusCode, headers = {}, body }: Fault & { kind: "respond" },
  c: Context<ServiceEnv>,
): Promise<Response> {
  const isNewResponse = statusCode !== undefined;
  const status = statusCode ?? c.res.status;
  const originalText = c.finalized ? await c.res.text() : "";
  const changed: unknown =
    typeof body === "function" ? body(c.get("entry"), Object(parseJson(originalText))) : body;
  const content = changed === undefined && !isNewResponse ? originalText : changed;
  const isText = content === undefined || typeof content === "string";
  const newHeaders = new Headers(isNewResponse ? {} : c.res.headers);
  if (!isText) {
    newHeaders.set("content-type", "application/json");
  }
  for (const [name, value] of Object.entries(headers)) {
    newHeaders.set(name, value);
  }
  const text = isText ? content : JSON.stringify(content);
  return new Response(bodiless.includes(status) ? null : text, { status, headers: newHeaders });
}
