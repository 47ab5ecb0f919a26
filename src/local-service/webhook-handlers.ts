import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { creationSchema, parseBody } from "./bodies.js";
import { sendError } from "./responses.js";
import type { collectionPath, itemPath, ServiceEnv } from "./routing.js";
import type { StoredWebhook, WebhookStore } from "./webhooks.js";

type CollectionContext = Context<ServiceEnv, typeof collectionPath>;
type ItemContext = Context<ServiceEnv, typeof itemPath>;

/** Handles creations (docs/api/README.md#create-a-webhook). */
export function handleCreation(store: WebhookStore, allowUnknownEvents: boolean) {
  const schema = creationSchema(allowUnknownEvents);
  let lastId = microsecondsSinceEpoch();
  return (c: CollectionContext) => {
    if (!/^application\/json *(;|$)/i.test(c.req.header("content-type") ?? "")) {
      return sendError(c, 415, "Content-Type must be application/json.");
    }
    const parsed = parseBody(schema, c.env.body);
    if ("problems" in parsed) {
      return sendError(c, 400, `Invalid request body: ${parsed.problems.join("; ")}.`);
    }
    lastId += 1;
    const { url, events, tableId = null } = parsed.body;
    const subscription = { url, events: [...new Set(events)], tableId, active: true };
    const created = { id: lastId, secret: randomBytes(32).toString("hex") };
    const databaseId = c.req.param("databaseId");
    store.webhooks = [...store.webhooks, { databaseId, ...subscription, ...created }];
    return c.json(created);
  };
}

/** Handles requests for a list (docs/api/README.md#list-webhooks). */
export function handleList(store: WebhookStore) {
  return (c: CollectionContext) => {
    const isOfDatabase = (one: StoredWebhook) => one.databaseId === c.req.param("databaseId");
    return c.json({ webhooks: store.webhooks.filter(isOfDatabase).map(toListed) });
  };
}

/** Handles deletions (docs/api/README.md#delete-a-webhook). */
export function handleDeletion(store: WebhookStore) {
  return (c: ItemContext) => {
    const { databaseId, webhookId } = c.req.param();
    const webhook = store.webhooks.find(({ id }) => String(id) === webhookId);
    if (webhook?.databaseId !== databaseId) {
      return sendError(c, 404, `Webhook ${webhookId} not found`);
    }
    store.webhooks = store.webhooks.filter((one) => one !== webhook);
    return c.json({ success: true, message: `Webhook ${webhookId} deleted` });
  };
}

/** No service creates a webhook per microsecond, so the ids of a later start are higher. */
function microsecondsSinceEpoch(): number {
  return Math.floor(1000 * (performance.timeOrigin + performance.now()));
}

/** Returns a webhook as the list operation shows it, with an array of tables or `null` for all. */
function toListed({ id, url, events, tableId, active }: StoredWebhook) {
  return { id, url, events, tableIds: tableId === null ? null : [tableId], active };
}
