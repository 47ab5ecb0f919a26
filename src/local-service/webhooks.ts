import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { creationSchema, parseBody } from "./bodies.js";
import { sendError } from "./responses.js";

/** A webhook as the local service keeps it. */
export interface StoredWebhook {
  /**
   * Identifier of the webhook, never used twice. Ids count up from the time of the start, so that a
   * stack never confuses its webhook with one of a later service.
   */
  readonly id: number;
  /** Database that the webhook belongs to. */
  readonly databaseId: string;
  /** Address that receives the notifications, as sent. */
  readonly url: string;
  /** Event types subscribed to, in the order sent, without duplicates. */
  readonly events: readonly string[];
  /** The one table whose events are delivered; `null` for all tables. */
  readonly tableId: string | null;
  /** Whether notifications are delivered. `true` at creation. */
  readonly active: boolean;
  /** The signing secret, in clear text: 64 hex digits. The API reveals it only at creation. */
  readonly secret: string;
}

/** The webhooks that exist now, in the order of their ids. Every change replaces the list. */
export interface WebhookStore {
  webhooks: readonly StoredWebhook[];
}

/** The types of Hono's context in the routes. */
export interface ServiceEnv {
  /** `body` is the parsed JSON body; `undefined` if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a client can send any JSON.
  Bindings: { readonly body: any };
}

/** The path of the webhooks of a database, after that of all databases. */
export const collectionPath = "/:databaseId/webhooks";
/** The path of one webhook. */
export const itemPath = "/:databaseId/webhooks/:webhookId";

type CollectionContext = Context<ServiceEnv, typeof collectionPath>;
type ItemContext = Context<ServiceEnv, typeof itemPath>;

/** The operations of the API (docs/api/README.md). */
export function createWebhook(store: WebhookStore, allowUnknownEvents: boolean) {
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

export function listWebhooks(store: WebhookStore) {
  return (c: CollectionContext) => {
    const isOfDatabase = (one: StoredWebhook) => one.databaseId === c.req.param("databaseId");
    return c.json({ webhooks: store.webhooks.filter(isOfDatabase).map(toListed) });
  };
}

export function deleteWebhook(store: WebhookStore) {
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
