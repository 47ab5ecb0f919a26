import { setTimeout as delay } from "node:timers/promises";
import type { Hono } from "hono";
import type { Delivery, EmittedEvent } from "../deliveries/delivery-log.js";
import type { Checked } from "../problems.js";
import { type ApiKeyRing, authorize } from "./api-keys.js";
import { sendError } from "./errors.js";
import { refuseForeignRequest } from "./foreign-requests.js";
import { readJson } from "./read-body.js";
import { type RequestLog, type ServiceEnv, summaryOf } from "./request-log.js";

interface EventParts {
  readonly keys: ApiKeyRing;
  readonly log: RequestLog;
  readonly closing: AbortSignal;
  readonly allowRemote: boolean;
  readonly emit: (event: unknown) => Checked<EmittedEvent>;
}

const maxWaitSeconds = 600;

/**
 * `POST …/_local/bases/{databaseId}/events` makes an event happen. The body is the event, without its
 * database. `?wait=SECONDS` delays the answer until every delivery is over, or the time is.
 */
export function addEventRoutes(app: Hono<ServiceEnv>, parts: EventParts): void {
  const { keys, log, closing, emit } = parts;
  const path = "/bases/:databaseId/events";
  // An accepted emission is reported as an event, a refused one as a request.
  app.post(path, async (c, next) => {
    await next();
    if (!c.res.ok) {
      log.refused(c.env.incoming, c.req.param("databaseId"), summaryOf(c));
    }
  });
  if (!parts.allowRemote) {
    app.post(path, refuseForeignRequest);
  }
  app.post(path, authorize(keys), async (c) => {
    const waitSeconds = Number(c.req.query("wait") ?? 0);
    if (!(waitSeconds >= 0 && waitSeconds <= maxWaitSeconds)) {
      return sendError(c, 400, `wait must be a number of seconds, 0 to ${maxWaitSeconds}.`);
    }
    const read = await readJson(c);
    if (read instanceof Response) {
      return read;
    }
    const emitted = emit({ ...Object(read.body), databaseId: c.req.param("databaseId") });
    if (emitted.problems !== undefined) {
      return sendError(c, 400, `Invalid event: ${emitted.problems.join("; ")}.`);
    }
    const event = emitted.value;
    await settledWithin(event.finished, waitSeconds * 1000, closing);
    const isPending = event.deliveries.some(({ outcome }) => outcome === "pending");
    return c.json(
      { id: event.id, deliveries: event.deliveries.map(toShown) },
      isPending ? 202 : 200,
    );
  });
}

async function settledWithin(
  promise: Promise<unknown>,
  limitMs: number,
  closing: AbortSignal,
): Promise<void> {
  if (limitMs > 0) {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, closing]);
    await Promise.race([promise, delay(limitMs, undefined, { signal })]).catch(() => {});
    over.abort();
  }
}

/** Without the receiver's address, which can be a credential. */
function toShown({ webhookId, outcome, attempts, statusCode, problem }: Delivery) {
  return { webhookId, outcome, attempts, statusCode, problem };
}
