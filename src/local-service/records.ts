// The records that the service keeps and returns.

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
  /**
   * The signing secret, in clear text: `whsec_` and base64. The API reveals it only at creation.
   */
  readonly secret: string;
}

/** The fields that `updateWebhook` can change. */
export type WebhookChanges = Partial<Pick<StoredWebhook, "url" | "events" | "tableId" | "active">>;

/**
 * An event as it is delivered. The API shows no body of notifications:
 * `docs/api/README.md#what-the-local-service-does` says what the body holds.
 */
export interface DeliveredEvent {
  /** Identifier by which receivers detect duplicates; also the header `webhook-id`. */
  readonly id: string;
  /** The event type, such as `record.created`. */
  readonly type: string;
  /** Database of the event. */
  readonly databaseId: string;
  /** Table of the event; absent where the emitted event has none. */
  readonly tableId?: string;
  /** When the event was emitted, in ISO 8601, in UTC. */
  readonly timestamp: string;
  /** The details of the event, as emitted or a sample. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The outcome of the one request that delivers an event to a webhook. */
export interface Delivery {
  /** Identifier of the webhook. */
  readonly webhookId: number;
  /** Whether the receiver responded with 2xx. */
  readonly delivered: boolean;
  /** Status of the receiver's response; absent when there was none. */
  readonly statusCode?: number;
  /** Why there was no response. */
  readonly problem?: string;
}

/** An event that was emitted, and its deliveries. */
export interface EmittedEvent extends DeliveredEvent {
  /** One for every active webhook that subscribes to the event. */
  readonly deliveries: readonly Delivery[];
}
