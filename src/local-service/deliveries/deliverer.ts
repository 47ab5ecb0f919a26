import type { DeliveryStore, PendingDelivery } from "../data/delivery-store.js";
import type { StoredWebhook, WebhookStore } from "../data/webhook-store.js";
import type { Delivery, DeliveryEntry, DeliveryLog, EmittedEvent } from "./delivery-log.js";
import { type DeliverySettings, deliveryAddress } from "./delivery-options.js";
import type { StoredEvent } from "./event.js";
import { writeNotification } from "./notification.js";
import { ReceiverQueues } from "./receiver-queues.js";
import {
  type AttemptResult,
  isAccepted,
  type NotificationSender,
  openNotificationSender,
} from "./send-notification.js";
import { isSubscribed } from "./subscription.js";

interface DelivererParts {
  readonly webhooks: WebhookStore;
  readonly store: DeliveryStore;
  readonly log: DeliveryLog;
  readonly now: () => number;
  /** Called when a delivery cannot be recorded or continued. */
  readonly onError: (error: Error) => void;
}

/** Delivers events to the receivers. Each receiver has its own queue. */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #settings: DeliverySettings;
  readonly #sender: NotificationSender;
  readonly #queues: ReceiverQueues;
  /** Deliveries that wait in a queue, without those in flight. */
  readonly #queued = new Set<DeliveryEntry>();
  readonly #timers = new Map<DeliveryEntry, NodeJS.Timeout>();
  #isClosed = false;

  constructor(parts: DelivererParts, settings: DeliverySettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#sender = openNotificationSender(settings.timeoutMs);
    this.#queues = new ReceiverQueues(settings.maxConcurrent);
  }

  /** Stores an event for every webhook that selects it. {@link begin} starts its deliveries. */
  store(event: StoredEvent): EmittedEvent {
    const { webhooks, store, log, now } = this.#parts;
    const subscribed = webhooks.list(event.databaseId).filter((one) => isSubscribed(one, event));
    const pending = store.add(
      event,
      subscribed.map(({ id }) => id),
      now(),
    );
    const deliveries = pending.map((one) => this.#log(one));
    return { ...event, deliveries, finished: log.endOf(deliveries) };
  }

  begin(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      this.#schedule(delivery, 0);
    }
  }

  /** Continues the deliveries that an earlier process left pending. */
  resume(left: readonly PendingDelivery[]): void {
    const { now } = this.#parts;
    for (const pending of left) {
      // The clock may have changed: cap the wait at its configured length.
      const longest = this.#settings.retryWaitsMs[pending.attempts - 1] ?? 0;
      this.#schedule(this.#log(pending), Math.min(pending.dueAt - now(), longest));
    }
  }

  /** Drops the waiting deliveries of a webhook that is deleted or switched off, not those in flight. */
  drop(webhookId: number): void {
    for (const entry of [...this.#timers.keys(), ...this.#queued]) {
      if (entry.webhookId === webhookId) {
        this.#finish(entry, "dropped");
      }
    }
  }

  /** Aborts attempts in flight. Pending deliveries stay in the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) {
      clearTimeout(timer);
    }
    this.#queues.clear();
    await this.#sender.destroy();
    await this.#queues.onIdle();
    this.#parts.log.close();
  }

  #log({ number, webhookId, event, attempts, bytes }: PendingDelivery): DeliveryEntry {
    const entry: DeliveryEntry = { number, event, webhookId, attempts, outcome: "pending" };
    this.#parts.log.begun(entry, bytes);
    return entry;
  }

  #schedule(entry: DeliveryEntry, waitMs: number): void {
    try {
      this.#plan(entry, waitMs);
    } catch (error) {
      this.#abandon(entry, error);
    }
  }

  #plan(entry: DeliveryEntry, waitMs: number): void {
    const webhook = this.#receiverOf(entry);
    if (webhook === undefined) {
      this.#finish(entry, "dropped");
    } else if (waitMs > 0) {
      this.#timers.set(
        entry,
        setTimeout(() => this.#schedule(entry, 0), waitMs),
      );
    } else {
      this.#timers.delete(entry);
      this.#queued.add(entry);
      this.#queues.add(webhook.url, () =>
        this.#attempt(entry).catch((error) => this.#abandon(entry, error)),
      );
    }
  }

  async #attempt(entry: DeliveryEntry): Promise<void> {
    const { store, log, now } = this.#parts;
    // While it waited, the delivery may have been dropped, or the url of the webhook changed.
    const webhook = this.#queued.delete(entry) ? this.#receiverOf(entry) : undefined;
    if (webhook === undefined) {
      return;
    }
    entry.attempts += 1;
    delete entry.retryInSeconds;
    entry.url = deliveryAddress(webhook.url, this.#settings);
    const notification = writeNotification(
      entry.event,
      { ...webhook, url: entry.url },
      entry.attempts,
      now(),
    );
    const result = await this.#sender.send(notification);
    if (this.#isClosed && !isAccepted(result)) {
      return;
    }
    noteResult(entry, result);
    const waitMs = this.#settings.retryWaitsMs[entry.attempts - 1];
    if (isAccepted(result)) {
      this.#finish(entry, "delivered");
    } else if (waitMs === undefined) {
      this.#finish(entry, "failed");
    } else {
      const dueAt = now() + waitMs;
      entry.retryInSeconds = waitMs / 1000;
      this.#record(entry, () => store.postpone(entry.number, entry.attempts, dueAt));
      log.attempted(entry);
      this.#schedule(entry, waitMs);
    }
  }

  #finish(entry: DeliveryEntry, outcome: "delivered" | "failed" | "dropped"): void {
    const { store, log } = this.#parts;
    clearTimeout(this.#timers.get(entry));
    this.#timers.delete(entry);
    this.#queued.delete(entry);
    this.#record(entry, () => store.delete(entry.number));
    entry.outcome = outcome;
    delete entry.retryInSeconds;
    if (outcome !== "dropped") {
      log.attempted(entry);
    }
    log.finished(entry);
  }

  /** A full disk ends neither the delivery nor the process. A restart may repeat the delivery. */
  #record(entry: DeliveryEntry, write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#report(entry, "could not be recorded, and may be repeated after a restart", error);
    }
  }

  /** Ends a delivery that this process cannot continue. It stays in the store for the next start. */
  #abandon(entry: DeliveryEntry, error: unknown): void {
    const { log } = this.#parts;
    this.#report(entry, "cannot go on", error);
    this.#timers.delete(entry);
    noteResult(entry, { problem: "the local service failed" });
    entry.outcome = "failed";
    log.attempted(entry);
    log.finished(entry);
  }

  #report({ event, webhookId }: DeliveryEntry, what: string, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The delivery of ${event.id} to webhook ${webhookId} ${what}: ${reason}`;
    this.#parts.onError(new Error(message, { cause }));
  }

  #receiverOf({ webhookId }: DeliveryEntry): StoredWebhook | undefined {
    const webhook = this.#parts.webhooks.get(webhookId);
    return webhook?.active ? webhook : undefined;
  }
}

function noteResult(entry: DeliveryEntry, result: AttemptResult): void {
  delete entry.statusCode;
  delete entry.problem;
  Object.assign(entry, result);
}
