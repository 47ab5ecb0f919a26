import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { parseJson } from "../common/json.js";
import { type Fault, type FaultRules, isBeforeCommit } from "./faults.js";
import { readBody } from "./read-body.js";
import type { RequestLog } from "./request-log.js";
import type { ServiceEnv } from "./requests.js";

/** Statuses whose responses have no body. */
const bodiless = [204, 205, 304];

/** Reads each request, and plays its faults before and after the handlers. */
export function playFaults(rules: FaultRules, log: RequestLog, closing: AbortSignal) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const early = rules.needsBody ? await readBody(c) : undefined;
    const { faults, holdReleased } = rules.take(c.get("entry"));
    const before = faults.filter(isBeforeCommit);
    const after = faults.filter((fault) => !isBeforeCommit(fault));
    const staysUnread = before.some(({ kind }) => kind === "resetBeforeReading");
    const tooLarge = early ?? (staysUnread ? undefined : await readBody(c));
    if (tooLarge !== undefined) {
      return tooLarge;
    }
    log.noteReceived(c.get("entry"));

    const scene = { c, log, holdReleased, closing };
    for (const fault of before) {
      const response = await playFault(fault, scene);
      if (response !== undefined) {
        return response;
      }
    }
    await next();
    for (const fault of after) {
      const response = await playFault(fault, scene);
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

interface Scene {
  readonly c: Context<ServiceEnv>;
  readonly log: RequestLog;
  /** Resolves when the rule releases its `hold`. */
  readonly holdReleased: Promise<void>;
  readonly closing: AbortSignal;
}

/** Plays one fault. A returned response replaces the previous one. */
async function playFault(fault: Fault, scene: Scene): Promise<Response | undefined> {
  const { c, log, holdReleased, closing } = scene;
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
      return reset(scene);
    case "resetMidBody":
      return resetMidBody(scene);
    case "respond":
      return respond(fault, c);
  }
}

function reset({ c, log }: Scene): Response {
  log.noteFinished(c.get("entry"), { outcome: "reset" });
  c.env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

async function resetMidBody(scene: Scene): Promise<Response> {
  const { outgoing } = scene.c.env;
  const body = Buffer.from(await scene.c.res.arrayBuffer());
  outgoing.writeHead(scene.c.res.status, {
    ...Object.fromEntries(scene.c.res.headers),
    "content-length": body.length,
  });
  await new Promise((resolve) => {
    outgoing.write(body.subarray(0, body.length / 2), resolve);
  });
  return reset(scene);
}

async function respond(
  { statusCode, headers = {}, body }: Fault & { kind: "respond" },
  c: Context<ServiceEnv>,
): Promise<Response> {
  const isReplaced = statusCode !== undefined;
  const status = statusCode ?? c.res.status;
  const ownText = c.finalized ? await c.res.text() : "";
  const changed: unknown =
    typeof body === "function" ? body(c.get("entry"), Object(parseJson(ownText))) : body;
  const content = changed === undefined && !isReplaced ? ownText : changed;
  const isText = content === undefined || typeof content === "string";
  const newHeaders = new Headers(isReplaced ? {} : c.res.headers);
  if (!isText) {
    newHeaders.set("content-type", "application/json");
  }
  for (const [name, value] of Object.entries(headers)) {
    newHeaders.set(name, value);
  }
  const text = isText ? content : JSON.stringify(content);
  return new Response(bodiless.includes(status) ? null : text, { status, headers: newHeaders });
}
