import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { authorize, hasKnownKey, loopbackOnly } from "./access.js";
import type { Deliveries } from "./deliveries.js";
import type { NewEvent } from "./events.js";
import { type Interceptors, intercept } from "./interceptors.js";
import type { ServiceLog } from "./log.js";
import type { LocalServiceOptions } from "./options.js";
import type { StoredWebhook } from "./records.js";
import { logRequest, readBody, type ServiceEnv } from "./requests.js";
import { sendError, sendPlainError } from "./responses.js";
import {
  collectionPath,
  createWebhook,
  deleteWebhook,
  itemPath,
  listWebhooks,
} from "./webhook-handlers.js";

/** The parts of the service that the routes use. */
export interface ServiceParts {
  readonly webhooks: Map<number, StoredWebhook>;
  readonly deliveries: Deliveries;
  readonly apiKeys: readonly string[];
  readonly log: ServiceLog;
  readonly interceptors: Interceptors;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

const eventsPath = "/_local/bases/:databaseId/events";

/**
 * The routes of docs/api/README.md. The steps of a request are, in order: the log, `Host` and
 * `Origin`, the body if the API key is known, interceptors, refusal without such a key, and the
 * handler.
 */
export function createRoutes(parts: ServiceParts, options: LocalServiceOptions): Hono<ServiceEnv> {
  const { deliveries, apiKeys, log, interceptors, closing } = parts;
  const { listing = false } = options;
  const app = new Hono<ServiceEnv>();
  const bases = app.basePath("/api/v1/bases");

  app.onError((error, c) => sendError(c, 500, `The local service failed: ${error.message}`));
  // In plain text, because NOT_FOUND in the error body would tell a client that its webhook is
  // gone.
  app.notFound((c) => sendPlainError(c, 404, "There is nothing at this path."));
  app.use(logRequest(log));
  app.use(loopbackOnly);
  // Before the interceptors, because these two are not part of the API.
  app.get("/", (c) => c.text("The local service of pulumi-dbwebhooks is running.\n"));
  app.post(eventsPath, logPathAndAccess(apiKeys), authorize(apiKeys), readBody(log), (c) =>
    emitEvent(c, deliveries),
  );
  bases.use(collectionPath, logPathAndAccess(apiKeys));
  bases.use(itemPath, logPathAndAccess(apiKeys));
  app.use(readBody(log));
  app.use(intercept(interceptors, log, closing));

  bases.post(collectionPath, authorize(apiKeys), createWebhook(parts, options));
  if (listing) {
    bases.get(collectionPath, authorize(apiKeys), listWebhooks(parts));
  }
  bases.delete(itemPath, authorize(apiKeys), deleteWebhook(parts));
  bases.all(collectionPath, refuseMethod(listing ? "GET, HEAD, POST" : "POST"));
  bases.all(itemPath, refuseMethod("DELETE"));
  return app;
}

/**
 * Emits an event, whose body is the event without its database, and responds when every delivery
 * has ended.
 */
async function emitEvent(
  c: Context<ServiceEnv, typeof eventsPath>,
  emitter: Deliveries,
): Promise<Response> {
  const event: NewEvent = { ...c.get("entry").body, databaseId: c.req.param("databaseId") };
  const problems = emitter.validateNewEvent(event);
  if (problems.length > 0) {
    return sendError(c, 400, `Invalid event: ${problems.join("; ")}.`);
  }
  const { id, deliveries } = await emitter.emit(event);
  // The line feed is for people who emit an event with curl in a terminal.
  const body = `${JSON.stringify({ id, deliveries })}\n`;
  return c.body(body, 200, { "content-type": "application/json" });
}

function logPathAndAccess(apiKeys: readonly string[]) {
  return createMiddleware<ServiceEnv, typeof itemPath>((c, next) => {
    const { databaseId, webhookId } = c.req.param();
    const authorized = hasKnownKey(c.req.header("authorization"), apiKeys);
    Object.assign(c.get("entry"), { databaseId, webhookId, authorized });
    return next();
  });
}

function refuseMethod(allow: string) {
  return (c: Context) => sendError(c, 405, `Only ${allow} here.`, { allow });
}
