import { randomBytes } from "node:crypto";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { authorize, type KnownApiKeys, loopbackOnly } from "./access.js";
import { creationSchema, validateBody } from "./bodies.js";
import type { Deliveries } from "./deliveries.js";
import type { NewEvent } from "./events.js";
import { type Interceptors, intercept } from "./interceptors.js";
import type { ServiceLog } from "./log.js";
import type { LocalServiceOptions } from "./options.js";
import type { RequestEntry, StoredWebhook } from "./records.js";
import { logRequest, readBody, type ServiceEnv } from "./requests.js";
import { sendError, sendNotFound, sendPlainError } from "./responses.js";

/** The parts of the service that the routes use. */
export interface ServiceParts {
  readonly webhooks: Map<number, StoredWebhook>;
  readonly deliveries: Deliveries;
  readonly keys: KnownApiKeys;
  readonly log: ServiceLog;
  readonly interceptors: Interceptors;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

const collectionPath = "/:databaseId/webhooks";
const itemPath = "/:databaseId/webhooks/:webhookId";
const eventsPath = "/_local/bases/:databaseId/events";

/**
 * The routes of docs/api/README.md. The steps of a request are, in order: the log, `Host` and
 * `Origin`, the body if the API key may use the database, interceptors, refusal without such a key,
 * and the handler.
 */
export function createRoutes(parts: ServiceParts, options: LocalServiceOptions): Hono<ServiceEnv> {
  const { webhooks, deliveries, keys, log, interceptors, closing } = parts;
  const { allowUnknownEvents = false, listing = false } = options;
  const creation = creationSchema(allowUnknownEvents);
  let lastId = microsecondsSinceEpoch();
  const app = new Hono<ServiceEnv>();
  const bases = app.basePath("/api/v1/bases");

  const noteCommitted = (entry: RequestEntry, webhookId: number) => {
    log.emit("request", Object.assign(entry, { committed: true, webhookId: String(webhookId) }));
  };

  app.onError((error, c) => sendError(c, 500, `The local service failed: ${error.message}`));
  // In plain text, because NOT_FOUND in the error body would tell a client that its webhook is
  // gone.
  app.notFound((c) => sendPlainError(c, 404, "There is nothing at this path."));
  app.use(logRequest(log));
  app.use(loopbackOnly);
  // Before the interceptors, because these two are not part of the API.
  app.get("/", (c) => c.text("The local service of pulumi-dbwebhooks is running.\n"));
  app.post(eventsPath, logPathAndAccess(keys), authorize(keys), readBody(log), (c) =>
    emitEvent(c, deliveries),
  );
  bases.use(collectionPath, logPathAndAccess(keys));
  bases.use(itemPath, logPathAndAccess(keys));
  app.use(readBody(log));
  app.use(intercept(interceptors, log, closing));

  bases.post(collectionPath, authorize(keys), (c) => {
    if (!/^application\/json *(;|$)/i.test(c.req.header("content-type") ?? "")) {
      return sendError(c, 415, "Content-Type must be application/json.");
    }
    const { body } = c.get("entry");
    const problem = validateBody(creation, body);
    if (problem !== undefined) {
      return sendError(c, 400, `Invalid request body: ${problem}.`);
    }
    lastId += 1;
    const { url, events, tableId = null } = body as StoredWebhook;
    const subscription = { url, events: [...new Set(events)], tableId, active: true };
    const created = { id: lastId, secret: createSecret() };
    webhooks.set(lastId, { databaseId: c.req.param("databaseId"), ...subscription, ...created });
    noteCommitted(c.get("entry"), lastId);
    return c.json(created, 201);
  });

  if (listing) {
    bases.get(collectionPath, authorize(keys), (c) => {
      const isOfDatabase = (one: StoredWebhook) => one.databaseId === c.req.param("databaseId");
      return c.json({ webhooks: [...webhooks.values()].filter(isOfDatabase).map(toListed) });
    });
  }

  bases.delete(itemPath, authorize(keys), (c) => {
    const { databaseId, webhookId } = c.req.param();
    const webhook = webhooks.get(Number(webhookId));
    // Compared as text, because `Number` accepts spellings such as "01".
    if (webhook?.databaseId !== databaseId || String(webhook.id) !== webhookId) {
      return sendNotFound(c);
    }
    webhooks.delete(webhook.id);
    noteCommitted(c.get("entry"), webhook.id);
    return c.json({ success: true, message: `Webhook ${webhookId} deleted` });
  });

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
  const problem = emitter.validateNewEvent(event);
  if (problem !== undefined) {
    return sendError(c, 400, `Invalid event: ${problem}.`);
  }
  const { id, deliveries } = await emitter.emit(event);
  // The line feed is for people who emit an event with curl in a terminal.
  const body = `${JSON.stringify({ id, deliveries })}\n`;
  return c.body(body, 200, { "content-type": "application/json" });
}

function logPathAndAccess(keys: KnownApiKeys) {
  return createMiddleware<ServiceEnv, typeof itemPath>((c, next) => {
    const { databaseId, webhookId } = c.req.param();
    const authorized = keys.mayUse(keys.knownKeyOf(c.req.header("authorization")), databaseId);
    Object.assign(c.get("entry"), { databaseId, webhookId, authorized });
    return next();
  });
}

function refuseMethod(allow: string) {
  return (c: Context) => sendError(c, 405, `Only ${allow} here.`, { allow });
}

/** No service creates a webhook per microsecond, so the ids of a later start are higher. */
function microsecondsSinceEpoch(): number {
  return Math.floor(1000 * (performance.timeOrigin + performance.now()));
}

/** 256 random bits in the form of Standard Webhooks (specification, "Signature scheme"). */
function createSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Returns a webhook as the list operation shows it, with an array of tables or `null` for all. */
function toListed({ id, url, events, tableId, active }: StoredWebhook) {
  return { id, url, events, tableIds: tableId === null ? null : [tableId], active };
}
