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
  | { readonly type: "stopped"; readonly pendingDeliveries: number; readonly dataFile?: string };

/** The settings at the start, and what the file of `--data` holds. */
export interface StartRecord {
  readonly type: "started";
  readonly baseUrl: string;
  readonly apiKeys: number;
  readonly listing: boolean;
  readonly allowRemote: boolean;
  readonly allowUnknownEvents: boolean;
  readonly requestsPerSecond?: number;
  readonly deliverTo?: string;
  readonly dataFile?: string;
  readonly webhooks: number;
  readonly pendingDeliveries: number;
}

/** A request of any client, with its outcome. */
export interface RequestRecord {
  readonly type: "request";
  readonly method: string;
  readonly path: string;
  readonly databaseId?: string;
  readonly outcome: string;
  readonly statusCode?: number;
  readonly action?: "created" | "deleted" | "listed";
  readonly webhookId?: string;
  readonly problem?: string;
}

/** An event that happened. */
export interface EventRecord {
  readonly type: "event";
  readonly eventId: string;
  readonly eventType: string;
  readonly databaseId: string;
  readonly tableId?: string;
  readonly webhookIds: readonly number[];
}

/** An attempt to deliver an event to a webhook, or the end of a delivery without one. */
export interface DeliveryRecord {
  readonly type: "delivery";
  readonly eventId: string;
  readonly eventType: string;
  readonly webhookId: number;
  readonly host?: string;
  readonly attempt: number;
  readonly statusCode?: number;
  readonly problem?: string;
  readonly outcome: string;
  readonly retryInSeconds?: number;
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
      ...(databaseId !== undefined && { databaseId: this.#safe(databaseId) }),
      outcome,
      ...(statusCode !== undefined && { statusCode }),
      ...actionOf(request),
      ...(webhookId !== undefined && { webhookId: this.#safe(webhookId) }),
      ...(problem !== undefined && { problem: this.#safe(problem) }),
    };
  }

  event({ type, id, databaseId, tableId, deliveries }: EmittedEvent): EventRecord {
    return {
      type: "event",
      eventId: this.#safe(id),
      eventType: this.#safe(type),
      databaseId: this.#safe(databaseId),
      ...(tableId !== undefined && { tableId: this.#safe(tableId) }),
      webhookIds: deliveries.map(({ webhookId }) => webhookId),
    };
  }

  delivery(delivery: Delivery): DeliveryRecord {
    const { event, webhookId, url, attempts, statusCode, problem, outcome } = delivery;
    const { retryInSeconds } = delivery;
    return {
      type: "delivery",
      eventId: this.#safe(event.id),
      eventType: this.#safe(event.type),
      webhookId,
      ...(url !== undefined && { host: new URL(url).host }),
      attempt: attempts,
      ...(statusCode !== undefined && { statusCode }),
      ...(problem !== undefined && { problem: this.#safe(problem) }),
      outcome,
      ...(retryInSeconds !== undefined && { retryInSeconds }),
    };
  }

  error({ message }: Error): LogRecord {
    return { type: "error", problem: this.#safe(message) };
  }

  #safe(text: string): string {
    return oneLine(this.#redact(text), maxLength);
  }
}

function actionOf({ method, committed, databaseId, statusCode }: ReceivedRequest) {
  if (committed) {
    return { action: method === "POST" ? "created" : "deleted" } as const;
  }
  const isListing = method === "GET" && databaseId !== undefined && statusCode === 200;
  return isListing ? ({ action: "listed" } as const) : {};
}
