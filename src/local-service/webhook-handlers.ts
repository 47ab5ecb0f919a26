// The operations of the API (docs/api/README.md), for requests with a known key.
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { creationSchema, validateBody } from "./bodies.js";
import type { StoredWebhook } from "./records.js";
import { sendError } from "./responses.js";

/** The types of Hono's context in the routes. */
export interface ServiceEnv {
  /** `body` is the parsed JSON body, such as {@link ServiceRequest.body}. */
  // biome-ignore lint/suspicious/noExplicitAny: a client can send any JSON.
  Bindings: { readonly body: any };
}

/** The path of the webhooks of a database, after that of all databases. */
export const collectionPath = "/:databaseId/webhooks";
/** The path of one webhook. */
export const itemPath = "/:databaseId/webhooks/:webhookId";

type CollectionContext = Context<ServiceEnv, typeof collectionPath>;
type ItemContext = Context<ServiceEnv, typeof itemPath>;

export function createWebhook(webhooks: Map<number, StoredWebhook>, allowUnknownEvents: boolean) {
  const schema = creationSchema(allowUnknownEvents);
  let lastId = microsecondsSinceEpoch();
  return (c: CollectionContext) => {
    if (!/^application\/json *(;|$)/i.test(c.req.header("content-type") ?? "")) {
      return sendError(c, 415, "Content-Type must be application/json.");
    }
    const { body } = c.env;
    const problems = validateBody(schema, body);
    if (problems.length > 0) {
      return sendError(c, 400, `Invalid request body: ${problems.join("; ")}.`);
    }
    lastId += 1;
    const { url, events, tableId = null } = body as StoredWebhook;
    const subscription = { url, events: [...new Set(events)], tableId, active: true };
    const created = { id: lastId, secret: createSecret() };
    webhooks.set(lastId, { databaseId: c.req.param("databaseId"), ...subscription, ...created });
    return c.json(created, 201);
  };
}

export function listWebhooks(webhooks: ReadonlyMap<number, StoredWebhook>) {
  return (c: CollectionContext) => {
    const isOfDatabase = (one: StoredWebhook) => one.databaseId === c.req.param("databaseId");
    return c.json({ webhooks: [...webhooks.values()].filter(isOfDatabase).map(toListed) });
  };
}

export function deleteWebhook(webhooks: Map<number, StoredWebhook>) {
  return (c: ItemContext) => {
    const { databaseId, webhookId } = c.req.param();
    const webhook = webhooks.get(Number(webhookId));
    // Compared as text, because `Number` accepts spellings such as "01".
    if (webhook?.databaseId !== databaseId || String(webhook.id) !== webhookId) {
      return sendError(c, 404, `Webhook ${webhookId} not found`);
    }
    webhooks.delete(webhook.id);
    return c.json({ success: true, message: `Webhook ${webhookId} deleted` });
  };
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
