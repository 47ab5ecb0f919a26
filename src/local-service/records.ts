// The records that the service keeps, logs and returns.

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

/** One request as the service saw it. The object's fields change as the request proceeds. */
export interface ReceivedRequest {
  /** Position in the order of arrival since the start: 1, 2, 3, …. */
  readonly number: number;
  /** Method, as sent. */
  readonly method: string;
  /** The request target as sent: with the query, and still percent-encoded. */
  readonly path: string;
  /**
   * The headers, with names in lower case. **`authorization` is in clear text**, for assertions
   * only.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The database in the path, decoded; absent when the service does not know the path. */
  readonly databaseId?: string;
  /**
   * The last segment of a deletion's path, decoded; for a creation, the id of the stored webhook as
   * text.
   */
  readonly webhookId?: string;
  /**
   * Whether the API key is known; absent when the service does not know the path.
   */
  readonly authorized?: boolean;
  /**
   * The parsed JSON body; `undefined` when there is none, when it is not JSON, and before it is
   * read. The service reads only the body of an authorized request.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a client can send any JSON.
  readonly body?: any;
  /** Whether the service has stored or deleted a webhook for this request. */
  readonly committed: boolean;
  /**
   * The status of the response, after interceptors; absent as long as no complete response was
   * written.
   */
  readonly statusCode?: number;
  /** Why the service refused the request, in the words of its response. */
  readonly problem?: string;
  /**
   * The outcome. `"responded"`: the service wrote a complete response; `"reset"`: an interceptor
   * reset the connection; `"disconnected"`: the client went away first; `"pending"`: not finished
   * yet. A pending or disconnected request may still be committed.
   */
  readonly outcome: RequestOutcome;
}

/** The outcome of a request; see {@link ReceivedRequest.outcome}. */
export type RequestOutcome = "pending" | "responded" | "reset" | "disconnected";

/** A mutable {@link ReceivedRequest}. */
export type RequestEntry = { -readonly [K in keyof ReceivedRequest]: ReceivedRequest[K] };

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

/** One entry of the log. */
export type LogEntry =
  /** A request whose outcome is known. */
  | { readonly type: "request"; readonly request: ReceivedRequest }
  /** A delivery that has ended. */
  | { readonly type: "delivery"; readonly event: DeliveredEvent; readonly delivery: Delivery };
