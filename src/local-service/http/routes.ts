import { randomBytes } from "node:crypto";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { StoredWebhook, WebhookStore } from "../data/webhook-store.js";
import type { EmittedEvent } from "../deliveries/delivery-log.js";
import type { FaultRules } from "../faults/fault-rules.js";
import { playFaults } from "../faults/play-faults.js";
import type { Checked } from "../problems.js";
import { type ApiKeyRing, authorize, sendNotFound } from "./api-keys.js";
import { createBodyReader } from "./create-body.js";
import { sendError } from "./errors.js";
import { addEventRoutes } from "./event-routes.js";
import { refuseForeignRequest } from "./foreign-requests.js";
import { limitRate, type RateLimit } from "./rate-limit.js";
import { type RequestLog, type ServiceEnv, summaryOf } from "./request-log.js";

/** The parts of the service that the routes use. */
export interface ServiceParts {
  readonly store: WebhookStore;
  readonly remove: (webhookId: number) => void;
  readonly emit: (event: unknown) => Checked<EmittedEvent>;
  readonly keys: ApiKeyRing;
  readonly log: RequestLog;
  readonly rules: FaultRules;
  readonly closing: AbortSignal;
  readonly now: () => number;
  readonly rateLimit: RateLimit | undefined;
  readonly pathPrefix: string;
  readonly allowUnknownEvents: boolean;
  readonly listing: boolean;
  readonly allowRemote: boolean;
}

const collection = "/:databaseId/webhooks";
const item = "/:databaseId/webhooks/:webhookId";

/** The routes. A request is recorded, rate limited, met by faults, authorized and then handled. */
export function createRoutes(parts: ServiceParts): Hono<ServiceEnv> {
  const { store, remove, keys, log, rules, closing, now, rateLimit } = parts;
  const readCreateBody = createBodyReader(parts.allowUnknownEvents);
  const app = new Hono<ServiceEnv>();
  const bases = app.basePath(`${parts.pathPrefix}/api/v1/bases`);

  app.onError((error, c) => sendError(c, 500, `The local service failed: ${error.message}`));
  // Plain text: the envelope's NOT_FOUND would tell a client that its webhook is gone.
  app.notFound((c) => {
    const problem = "There is nothing at this path.";
    c.set("problem", problem);
    return c.text(problem, 404);
  });
  // Before the log, the rate limit and the faults, because emit is not part of the interface.
  addEventRoutes(app.basePath(`${parts.pathPrefix}/_local`), parts);
  app.use(record(log));
  if (!parts.allowRemote) {
    app.use(refuseForeignRequest);
  }
  bases.use(collection, recordPath(keys));
  bases.use(item, recordPath(keys));
  if (rateLimit !== undefined) {
    app.use(limitRate(rateLimit, keys, now));
  }
  app.use(playFaults(rules, log, closing));

  bases.post(collection, authorize(keys), (c) => {
    if (!/^application\/json *(;|$)/i.test(c.req.header("content-type") ?? "")) {
      return sendError(c, 415, "Content-Type must be application/json.");
    }
    const body = readCreateBody(c.get("entry").body);
    if (body.problems !== undefined) {
      return sendError(c, 400, `Invalid request body: ${body.problems.join("; ")}.`);
    }
    const databaseId = c.req.param("databaseId");
    const secret = createSecret();
    const id = store.create({ ...body.value, databaseId, active: true, secret });
    log.committed(c.get("entry"), id);
    return c.json({ id, secret }, 201);
  });

  if (parts.listing) {
    bases.get(collection, authorize(keys), (c) =>
      c.json({ webhooks: store.list(c.req.param("databaseId")).map(toListed) }),
    );
  }

  bases.delete(item, authorize(keys), (c) => {
    const id = parseId(c.req.param("webhookId"));
    if (id === undefined || store.get(id)?.databaseId !== c.req.param("databaseId")) {
      return sendNotFound(c);
    }
    remove(id);
    log.committed(c.get("entry"), id);
    return c.json({ success: true, message: `Webhook ${id} deleted` });
  });

  bases.all(collection, refuseMethod(parts.listing ? "GET, HEAD, POST" : "POST"));
  bases.all(item, refuseMethod("DELETE"));
  return app;
}

function record(log: RequestLog) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const { incoming, outgoing } = c.env;
    const entry = log.arrived(incoming);
    c.set("entry", entry);
    outgoing.once("close", () => log.finished(entry, "disconnected"));
    await next();
    log.finished(entry, "answered", summaryOf(c));
  });
}

function recordPath(keys: ApiKeyRing) {
  return createMiddleware<ServiceEnv, typeof item>((c, next) => {
    const { databaseId, webhookId } = c.req.param();
    const authorized = keys.refusalOf(c.req.header("authorization"), databaseId) === undefined;
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

/** Only a plain decimal integer can be an id. */
function parseId(segment: string): number | undefined {
  const id = Number(segment);
  return Number.isSafeInteger(id) && String(id) === segment ? id : undefined;
}

/** The list operation shows tables as an array, or `null` for all. */
function toListed({ id, url, events, tableId, active }: StoredWebhook) {
  return { id, url, events, tableIds: tableId === null ? null : [tableId], active };
}
