import { setTimeout as delay } from "node:timers/promises";
import type { Hono, MiddlewareHandler } from "hono";
import { authorize } from "./access.js";
import type { Delivery } from "./deliveries.js";
import { sendError } from "./errors.js";
import { readBody } from "./read-body.js";
import type { ServiceEnv } from "./requests.js";
import type { ServiceParts } from "./webhook-routes.js";

const path = "/_local/bases/:databaseId/events";
const maxWaitSeconds = 600;

/**
 * `POST /_local/bases/{databaseId}/events` emits an event. The body is the event without its database.
 * `?wait=SECONDS` delays the response until every delivery is over, at most for that time.
 */
export function addEventRoute(
  app: Hono<ServiceEnv>,
  { keys, deliveries }: ServiceParts,
  recordPath: MiddlewareHandler<ServiceEnv>,
): void {
  app.post(path, recordPath, authorize(keys), async (c) => {
    const waitSeconds = Number(c.req.query("wait") ?? 0);
    if (!(waitSeconds >= 0 && waitSeconds <= maxWaitSeconds)) {
      return sendError(c, 400, `wait must be a number of seconds, 0 to ${maxWaitSeconds}.`);
    }
    const tooLarge = await readBody(c);
    if (tooLarge !== undefined) {
      return tooLarge;
    }
    const body = { ...Object(c.get("entry").body), databaseId: c.req.param("databaseId") };
    const problems = deliveries.validateEvent(body);
    if (problems.length > 0) {
      return sendError(c, 400, `Invalid event: ${problems.join("; ")}.`);
    }
    const event = deliveries.emit(body);
    const timeout = delay(waitSeconds * 1000, undefined, { ref: false });
    await Promise.race([event.finished, timeout]).catch(() => {});
    const isPending = event.deliveries.some(({ outcome }) => outcome === "pending");
    const shown = event.deliveries.map(toShown);
    return c.json({ id: event.id, deliveries: shown }, isPending ? 202 : 200);
  });
}

/** Leaves out the address of the receiver, which can be a credential. */
function toShown({ webhookId, outcome, attempts, statusCode, problem }: Delivery) {
  return { webhookId, outcome, attempts, statusCode, problem };
}
