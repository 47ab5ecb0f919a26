import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "undici";
import { completeEvent, type DeliveredEvent, eventSchema, type NewEvent } from "./events.js";
import type { ServiceLog } from "./log.js";
import type { LocalServiceOptions } from "./options.js";
import { deliveryUrl, sendNotification } from "./send-notification.js";
import * as is from "./validation.js";
import type { StoredWebhook, WebhookStore } from "./webhook-store.js";

/** The delivery of one event to one webhook. The object's fields change as the delivery proceeds. */
export interface Delivery {
  /** Position in the order of creation since the start: 1, 2, 3, …. */
  readonly number: number;
  /** Event that is delivered. */
  readonly event: DeliveredEvent;
  /** Identifier of the webhook. */
  readonly webhookId: number;
  /** Address of the latest attempt, in clear text: it can be a credential. Absent before the first. */
  readonly url?: string;
  /** Attempts begun so far. */
  readonly attempts: number;
  /** Status of the latest response; absent when the latest finished attempt got none. */
  readonly statusCode?: number;
  /** Why the latest finished attempt got no response. */
  readonly problem?: string;
  /**
   * `"delivered"`: the receiver responded with 2xx; `"failed"`: no attempts are left; `"dropped"`: the
   * webhook was deleted or switched off first; `"pending"`: not finished yet.
   */
  readonly outcome: DeliveryOutcome;
  /** Seconds from the end of the latest attempt to the next one, while the delivery waits for it. */
  readonly retryInSeconds?: number;
}

/** The outcome of a delivery; see {@link Delivery.outcome}. */
export type DeliveryOutcome = "pending" | "delivered" | "failed" | "dropped";

/** An event that was emitted, and the deliveries that it led to. */
export interface EmittedEvent extends DeliveredEvent {
  /** One for every active webhook that subscribes to the event. */
  readonly deliveries: readonly Delivery[];
  /** Fulfilled when every delivery has finished; rejected when the service closes first. */
  readonly finished: Promise<readonly Delivery[]>;
}

/** A mutable {@link Delivery}. */
type DeliveryEntry = { -readonly [K in keyof Delivery]: Delivery[K] };

const defaultRetryWaitsSeconds = [0.5, 1, 2, 4, 8, 16, 32, 60, 60];
const dropped = new Error("The webhook is deleted or switched off.");

/** Delivers events to receivers. Pending deliveries are kept in memory and end with the process. */
export class Deliveries {
  readonly pending = new Map<Delivery, AbortController>();
  readonly #webhooks: WebhookStore;
  readonly #timeoutSeconds: number;
  readonly #retryWaitsSeconds: readonly number[];
  readonly #deliverTo: string | undefined;
  readonly #log: ServiceLog;
  readonly #eventSchema: ReturnType<typeof eventSchema>;
  readonly #agent: Agent;
  readonly #attempts = new Set<Promise<boolean>>();

  constructor(webhooks: WebhookStore, options: LocalServiceOptions, log: ServiceLog) {
    const { deliveries = {}, allowUnknownEvents = false } = options;
    const { timeoutSeconds = 15 } = deliveries;
    this.#webhooks = webhooks;
    this.#timeoutSeconds = timeoutSeconds;
    this.#retryWaitsSeconds = deliveries.retryWaitsSeconds ?? defaultRetryWaitsSeconds;
    this.#deliverTo = deliveries.deliverTo;
    this.#log = log;
    this.#eventSchema = eventSchema(allowUnknownEvents);
    // `sendNotification` enforces the timeout of an attempt. undici's timeouts for a response are off, and
    // its timeout for connecting, 10 s by default, must not be shorter.
    const connect = { timeout: Math.ceil(timeoutSeconds * 1000) };
    this.#agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  }

  validateEvent(event: unknown): string[] {
    return is.problemsOf(this.#eventSchema, event);
  }

  /** Starts to deliver a valid event to every webhook that subscribes to it. */
  emit(newEvent: NewEvent): EmittedEvent {
    const event = completeEvent(newEvent);
    const webhooks = this.#webhooks
      .list(event.databaseId)
      .filter((webhook) => subscribes(webhook, event));
    const deliveries = webhooks.map(({ id }) => this.#add(event, id));
    // Starts in a microtask, so that the event is logged before its deliveries.
    const finished = Promise.resolve().then(() =>
      Promise.all(deliveries.map((delivery) => this.#deliver(delivery))),
    );
    // A caller may ignore the promise, and an unhandled rejection would end the process.
    finished.catch(() => {});
    const emitted = { ...event, deliveries, finished };
    this.#log.emit("entry", { type: "event", event: emitted });
    return emitted;
  }

  /** Drops the waiting deliveries of a webhook that is deleted or switched off. Attempts in flight complete. */
  drop(webhookId: number): void {
    for (const [delivery, controller] of this.pending) {
      if (delivery.webhookId === webhookId) {
        controller.abort(dropped);
      }
    }
  }

  /** Abandons all pending deliveries, including attempts in flight. Their outcome stays `pending`. */
  async close(): Promise<void> {
    const closed = new Error("The local service was closed before the delivery finished.");
    for (const controller of this.pending.values()) {
      controller.abort(closed);
    }
    await this.#agent.destroy();
    await Promise.allSettled(this.#attempts);
  }

  #add(event: DeliveredEvent, webhookId: number): DeliveryEntry {
    const delivery = this.#log.addDelivery({ event, webhookId, attempts: 0, outcome: "pending" });
    this.pending.set(delivery, new AbortController());
    return delivery;
  }

  /** Attempts a delivery until it has finished. Rejects when the service closes first. */
  async #deliver(delivery: DeliveryEntry): Promise<Delivery> {
    const { signal } = this.pending.get(delivery) as AbortController;
    try {
      for (let failures = 0; ; failures += 1) {
        const attempt = this.#attempt(delivery, signal);
        this.#attempts.add(attempt);
        const isAccepted = await attempt.finally(() => this.#attempts.delete(attempt));
        if (isAccepted) {
          return this.#finish(delivery, "delivered");
        }
        signal.throwIfAborted();
        const waitSeconds = this.#retryWaitsSeconds[failures];
        if (waitSeconds === undefined) {
          return this.#finish(delivery, "failed");
        }
        delivery.retryInSeconds = waitSeconds;
        this.#log.emit("entry", { type: "delivery", delivery });
        await delay(waitSeconds * 1000, undefined, { signal });
      }
    } catch (error) {
      if (signal.reason === dropped) {
        return this.#finish(delivery, "dropped");
      }
      throw signal.reason ?? error;
    } finally {
      this.pending.delete(delivery);
    }
  }

  /** Sends one notification; true when the receiver accepts it. */
  async #attempt(delivery: DeliveryEntry, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    // Read again, because `url` may have changed. The webhook exists, because a deletion aborts the signal.
    const webhook = this.#webhooks.get(delivery.webhookId) as StoredWebhook;
    delete delivery.retryInSeconds;
    delivery.attempts += 1;
    delivery.url = deliveryUrl(webhook.url, this.#deliverTo);
    const result = await sendNotification(
      delivery,
      webhook.secret,
      this.#agent,
      this.#timeoutSeconds,
    );
    delete delivery.statusCode;
    delete delivery.problem;
    Object.assign(delivery, result);
    // A receiver accepts with any 2xx, but not with a redirect. Source: Standard Webhooks.
    return result.statusCode !== undefined && Math.floor(result.statusCode / 100) === 2;
  }

  #finish(delivery: DeliveryEntry, outcome: DeliveryOutcome): Delivery {
    delivery.outcome = outcome;
    delete delivery.retryInSeconds;
    this.#log.emit("entry", { type: "delivery", delivery });
    this.#log.emit("delivery", delivery);
    return delivery;
  }
}

/** Whether a webhook receives an event (docs/api/README.md#notifications). */
function subscribes({ active, events, tableId }: StoredWebhook, event: DeliveredEvent): boolean {
  return active && events.includes(event.type) && (tableId === null || tableId === event.tableId);
}
