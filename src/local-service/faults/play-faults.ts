import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { readBody } from "../http/read-body.js";
import type { ReceivedRequest, RequestLog, ServiceEnv } from "../http/request-log.js";
import { alterAnswer } from "./alter-answer.js";
import type { FaultRules } from "./fault-rules.js";
import { type Fault, isBeforeCommit } from "./faults.js";

/** Reads each request, and plays its faults before and after the handlers. */
export function playFaults(rules: FaultRules, log: RequestLog, closing: AbortSignal) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const refusal = rules.needsBody ? await readBody(c, log) : undefined;
    if (refusal !== undefined) {
      return refusal;
    }
    const { faults, released } = rules.take(c.get("entry"));
    const before = faults.filter(isBeforeCommit);
    const after = faults.filter((fault) => !isBeforeCommit(fault));
    if (!before.some(({ kind }) => kind === "resetBeforeReading")) {
      const lateRefusal = await readBody(c, log);
      if (lateRefusal !== undefined) {
        return lateRefusal;
      }
    }
    log.received(c.get("entry"));

    const play = (fault: Fault) => playFault(fault, { c, log, released, closing });
    for (const fault of before) {
      const answer = await play(fault);
      if (answer !== undefined) {
        return answer;
      }
    }
    await next();
    for (const fault of after) {
      const answer = await play(fault);
      if (answer !== undefined) {
        c.set("problem", undefined);
        // Cleared first, because Hono would merge the headers of the old answer into the new one.
        c.res = undefined;
        c.res = answer;
      }
      if (answer === RESPONSE_ALREADY_SENT) {
        return;
      }
    }
  });
}

interface Scene {
  readonly c: Context<ServiceEnv>;
  readonly log: RequestLog;
  readonly released: Promise<void>;
  readonly closing: AbortSignal;
}

/** Plays one fault. A returned response replaces the answer. */
async function playFault(fault: Fault, scene: Scene): Promise<Response | undefined> {
  const { c, released, closing } = scene;
  switch (fault.kind) {
    case "delay":
      await delay(fault.ms, undefined, { signal: closing });
      return undefined;
    case "hold":
      await released;
      return undefined;
    case "neverAnswer":
      scene.log.finished(c.get("entry"), "unanswered");
      return RESPONSE_ALREADY_SENT;
    case "resetBeforeReading":
    case "resetAfterCommit":
      return reset(scene);
    case "resetMidBody":
      return resetMidBody(scene);
    case "respond":
      return respond(fault, c.get("entry"));
    default:
      return alterAnswer(fault, c.res);
  }
}

function reset({ c, log }: Scene): Response {
  log.finished(c.get("entry"), "reset");
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

function respond(
  { statusCode, body, headers }: Fault & { kind: "respond" },
  request: ReceivedRequest,
): Response {
  const content: unknown = typeof body === "function" ? body(request) : body;
  const init = { status: statusCode, headers: { ...headers } };
  return content === undefined || typeof content === "string"
    ? new Response(content, init)
    : Response.json(content, init);
}
