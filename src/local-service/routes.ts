import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod/mini";
import { isAbsoluteHttpUrl, isLoopbackAddress } from "../common/url.js";
import { authorize, type KnownApiKeys, loopbackOnly } from "./access.js";
import type { Deliveries } from "./deliveries.js";
import { eventTypeSchema, type NewEvent } from "./events.js";
import { type Interceptors, intercept } from "./interceptors.js";
import type { ServiceLog } from "./log.js";
import type { LocalServiceOptions } from "./options.js";
import { limitRate } from "./rate-limit.js";
import { logRequest, type RequestEntry, readBody, type ServiceEnv } from "./requests.js";
import { sendError, sendNotFound, sendPlainError } from "./responses.js";
import * as is from "./validation.js";
import type { StoredWebhook, WebhookStore } from "./webhook-store.js";

/** The parts of the service that the routes use. */
export interface ServiceParts {
  readonly webhooks: WebhookStore;
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
const maxWaitSeconds = 600;

/**
 * The routes of docs/api/README.md. The steps of a request are, in order: the log, `Host` and `Origin`, the
 * rate limit, the body if the API key may use the database, interceptors, refusal without such a key, and the
 * handler.
 */
export function createRoutes(parts: ServiceParts, options: LocalServiceOptions): Hono<ServiceEnv> {
  const { webhooks, deliveries, keys, log, interceptors, closing } = parts;
  const { allowUnknownEvents = false, listing = false, host = "127.0.0.1" } = options;
  const creation = creationSchema(allowUnknownEvents);
  const app = new Hono<ServiceEnv>();
  const bases = app.basePath("/api/v1/bases");

  const noteCommitted = (entry: RequestEntry, webhookId: number) => {
    log.emit("request", Object.assign(entry, { committed: true, webhookId: String(webhookId) }));
  };

  app.onError((error, c) => sendError(c, 500, `The local service failed: ${error.message}`));
  // In plain text, because NOT_FOUND in the error body would tell a client that its webhook is gone.
  app.notFound((c) => sendPlainError(c, 404, "There is nothing at this path."));
  app.use(logRequest(log));
  if (!options.allowRemote && isLoopbackAddress(host)) {
    app.use(loopbackOnly);
  }
  // Before the rate limit and the interceptors, because an emission is not part of the API.
  app.post(eventsPath, logPathAndAccess(keys), authorize(keys), readBody(log), (c) =>
    emitEvent(c, deliveries),
  );
  bases.use(collectionPath, logPathAndAccess(keys));
  bases.use(itemPath, logPathAndAccess(keys));
  if (options.rateLimit !== undefined) {
    app.use(limitRate(options.rateLimit, keys));
  }
  app.use(readBody(log));
  app.use(intercept(interceptors, log, closing));

  bases.post(collectionPath, authorize(keys), (c) => {
    if (!/^application\/json *(;|$)/i.test(c.req.header("content-type") ?? "")) {
      return sendError(c, 415, "Content-Type must be application/json.");
    }
    const { body } = c.get("entry");
    const problems = is.problemsOf(creation, body);
    if (problems.length > 0) {
      return sendError(c, 400, `Invalid request body: ${problems.join("; ")}.`);
    }
    const { url, events, tableId = null } = body as StoredWebhook;
    const subscription = { url, events: [...new Set(events)], tableId, active: true };
    const databaseId = c.req.param("databaseId");
    const { id, secret } = webhooks.create({ databaseId, ...subscription, secret: createSecret() });
    noteCommitted(c.get("entry"), id);
    return c.json({ id, secret }, 201);
  });

  if (listing) {
    bases.get(collectionPath, authorize(keys), (c) =>
      c.json({ webhooks: webhooks.list(c.req.param("databaseId")).map(toListed) }),
    );
  }

  bases.delete(itemPath, authorize(keys), (c) => {
    const { databaseId, webhookId } = c.req.param();
    const webhook = webhooks.get(Number(webhookId));
    // Compared as text, because `Number` accepts spellings such as "01".
    if (webhook?.databaseId !== databaseId || String(webhook.id) !== webhookId) {
      return sendNotFound(c);
    }
    webhooks.delete(webhook.id);
    deliveries.drop(webhook.id);
    noteCommitted(c.get("entry"), webhook.id);
    return c.json({ success: true, message: `Webhook ${webhookId} deleted` });
  });

  bases.all(collectionPath, refuseMethod(listing ? "GET, HEAD, POST" : "POST"));
  bases.all(itemPath, refuseMethod("DELETE"));
  return app;
}

/**
 * Emits an event: the body is the event without its database. `?wait=SECONDS` delays the response until
 * every delivery has finished, at most for that time.
 */
async function emitEvent(
  c: Context<ServiceEnv, typeof eventsPath>,
  emitter: Deliveries,
): Promise<Response> {
  const waitSeconds = Number(c.req.query("wait") ?? 0);
  if (!(waitSeconds >= 0 && waitSeconds <= maxWaitSeconds)) {
    return sendError(c, 400, `wait must be a number of seconds, 0 to ${maxWaitSeconds}.`);
  }
  const body: NewEvent = { ...c.get("entry").body, databaseId: c.req.param("databaseId") };
  const problems = emitter.validateEvent(body);
  if (problems.length > 0) {
    return sendError(c, 400, `Invalid event: ${problems.join("; ")}.`);
  }
  const event = emitter.emit(body);
  const timeout = delay(waitSeconds * 1000, undefined, { ref: false });
  await Promise.race([event.finished, timeout]).catch(() => {});
  const isPending = event.deliveries.some(({ outcome }) => outcome === "pending");
  // Without the address of the receiver, which can be a credential.
  const deliveries = event.deliveries.map(({ url: _url, event: _event, ...rest }) => rest);
  return c.json({ id: event.id, deliveries }, isPending ? 202 : 200);
}

/** The body of a creation (docs/api/README.md#create-a-webhook). */
function creationSchema(allowUnknownEvents: boolean) {
  const isUrl = (url: unknown) => typeof url === "string" && isAbsoluteHttpUrl(url);
  const error = "must be an array of at least one event type";
  return is.fields({
    url: is.must("be an absolute http or https URL", isUrl),
    events: z
      .array(eventTypeSchema(allowUnknownEvents), { error })
      .check(z.minLength(1, { error })),
    tableId: z.optional(is.aNonEmptyString),
  });
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

/** 256 random bits in the form of Standard Webhooks (specification, "Signature scheme"). */
function createSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Returns a webhook as the list operation shows it, with an array of tables or `null` for all. */
function toListed({ id, url, events, tableId, active }: StoredWebhook) {
  return { id, url, events, tableIds: tableId === null ? null : [tableId], active };
}
