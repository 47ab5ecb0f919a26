import { oneLine, redactorOf } from "../common/redact.js";
import type { Delivery, EmittedEvent, ReceivedRequest } from "../local-service/index.js";

/** What `serve --json` writes, one a line. `docs/local-service.md` lists the fields. */
export type TimedRecord = { readonly time: string } & LogRecord;

/** A {@link TimedRecord} without its time. */
export type LogRecord =
  | StartRecord
  | RequestRecord
  | EventRecord
  | DeliveryRecord
  | { readonly type: "error"; readonly problem: string }
  | {
      readonly type: "stopped";
      readonly pendingDeliveries: number;
      readonly dataFile?: string | undefined;
    };

/** The settings at the start, and what the file of `--data` holds. */
export interface StartRecord {
  readonly type: "started";
  readonly baseUrl: string;
  readonly apiKeys: number;
  readonly listing: boolean;
  readonly allowRemote: boolean;
  readonly allowUnknownEvents: boolean;
  readonly requestsPerSecond?: number | undefined;
  readonly deliverTo?: string | undefined;
  readonly dataFile?: string | undefined;
  readonly webhooks: number;
  readonly pendingDeliveries: number;
}

/** A request of any client, with its outcome. */
export interface RequestRecord {
  readonly type: "request";
  readonly method: string;
  readonly path: string;
  readonly databaseId?: string | undefined;
  readonly outcome: string;
  readonly statusCode?: number | undefined;
  readonly action?: "created" | "deleted" | "listed" | undefined;
  readonly webhookId?: string | undefined;
  readonly problem?: string | undefined;
}

/** An event that happened. */
export interface EventRecord {
  readonly type: "event";
  readonly eventId: string;
  readonly eventType: string;
  readonly databaseId: string;
  readonly tableId?: string | undefined;
  readonly webhookIds: readonly number[];
}

/** An attempt to deliver an event to a webhook, or the end of a delivery without one. */
export interface DeliveryRecord {
  readonly type: "delivery";
  readonly eventId: string;
  readonly eventType: string;
  readonly webhookId: number;
  readonly host?: string | undefined;
  readonly attempt: number;
  readonly statusCode?: number | undefined;
  readonly problem?: string | undefined;
  readonly outcome: string;
  readonly retryInSeconds?: number | undefined;
}

const maxLength = 300;

/** Makes the records of the log. None of them holds a key, a secret or the path of a receiver. */
export class Recorder {
  readonly #redact: (text: string) => string;

  constructor(apiKeys: readonly string[]) {
    this.#redact = redactorOf(apiKeys);
  }

  request(request: ReceivedRequest): RequestRecord {
    const { method, path, databaseId, statusCode, outcome, webhookId, problem } = request;
    const [pathname = ""] = path.split("?");
    return {
      type: "request",
      method,
      path: this.#safe(pathname),
      databaseId: this.#safe(databaseId),
      outcome,
      statusCode,
      action: actionOf(request),
      webhookId: this.#safe(webhookId),
      problem: this.#safe(problem),
    };
  }

  event({ type, id, databaseId, tableId, deliveries }: EmittedEvent): EventRecord {
    return {
      type: "event",
      eventId: this.#safe(id),
      eventType: this.#safe(type),
      databaseId: this.#safe(databaseId),
      tableId: this.#safe(tableId),
      webhookIds: deliveries.map(({ webhookId }) => webhookId),
    };
  }

  delivery(delivery: Delivery): DeliveryRecord {
    const { event, webhookId, url, attempts, statusCode, problem, outcome } = delivery;
    return {
      type: "delivery",
      eventId: this.#safe(event.id),
      eventType: this.#safe(event.type),
      webhookId,
      host: url && new URL(url).host,
      attempt: attempts,
      statusCode,
      problem: this.#safe(problem),
      outcome,
      retryInSeconds: delivery.retryInSeconds,
    };
  }

  error({ message }: Error): LogRecord {
    return { type: "error", problem: this.#safe(message) };
  }

  #safe<Text extends string | undefined>(text: Text): Text {
    return (text && oneLine(this.#redact(text), maxLength)) as Text;
  }
}

function actionOf({ method, committed, databaseId, statusCode }: ReceivedRequest) {
  if (committed) {
    return method === "POST" ? "created" : "deleted";
  }
  const isListing = method === "GET" && databaseId !== undefined && statusCode === 200;
  return isListing ? "listed" : undefined;
}
