/** A webhook as the local service keeps it. */
export interface StoredWebhook {
  /**
   * Identifier of the webhook, never used twice. Ids count up from the time of the start, so that a
   * stack never confuses its webhook with one of a later service.
   */
  readonly id: number;
  /** Database that the webhook belongs to. */
  readonly databaseId: string;
  /** The URL that receives the notifications, as sent. */
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
