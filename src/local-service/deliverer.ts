import PQueue from "p-queue";
import type { Delivery, DeliveryEntry, DeliveryLog, EmittedEvent } from "./deliveries.js";
import type { DeliverySettings } from "./delivery-options.js";
import type { DeliveryStore, PendingDelivery } from "./delivery-store.js";
import type { StoredEvent } from "./event.js";
import { writeNotification } from "./notification.js";
import {
  type AttemptResult,
  type NotificationSender,
  openNotificationSender,
} from "./send-notification.js";
import type { StoredWebhook, WebhookStore } from "./store.js";

interface DelivererParts {
  readonly webhooks: WebhookStore;
  readonly store: DeliveryStore;
  readonly log: DeliveryLog;
  readonly now: () => number;
}

/** Delivers events to the receivers, each in its own queue, so that none waits for another. */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #settings: DeliverySettings;
  readonly #sender: NotificationSender;
  readonly #queues = new Map<string, PQueue>();
  readonly #timers = new Map<DeliveryEntry, NodeJS.Timeout>();
  #isClosed = false;

  constructor(parts: DelivererParts, settings: DeliverySettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#sender = openNotificationSender(settings.timeoutMs);
  }

  /** Stores an event for all who subscribed to it. {@link begin} lets it go. */
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

  /** Goes on with what an earlier process left behind. */
  resume(left: readonly PendingDelivery[]): void {
    const { now } = this.#parts;
    for (const pending of left) {
      // Whatever the clock says by now: no wait is longer than it was meant to be.
      const longest = this.#settings.retryWaitsMs[pending.attempts - 1] ?? 0;
      this.#schedule(this.#log(pending), Math.min(pending.dueAt - now(), longest));
    }
  }

  /** Ends what waits for a webhook that is deleted or switched off; what is under way ends by itself. */
  drop(webhookId: number): void {
    for (const entry of this.#timers.keys()) {
      if (entry.webhookId === webhookId) {
        this.#finish(entry, "dropped");
      }
    }
  }

  /** Breaks off what is under way. What is pending stays in the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) {
      clearTimeout(timer);
    }
    const queues = [...this.#queues.values()];
    for (const queue of queues) {
      queue.clear();
    }
    await this.#sender.destroy();
    await Promise.all(queues.map((queue) => queue.onIdle()));
    this.#parts.log.close();
  }

  #log({ number, webhookId, event, attempts }: PendingDelivery): DeliveryEntry {
    const entry: DeliveryEntry = { number, event, webhookId, attempts, outcome: "pending" };
    this.#parts.log.begun(entry);
    return entry;
  }

  #schedule(entry: DeliveryEntry, waitMs: number): void {
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
      this.#enqueue(entry, webhook.url);
    }
  }

  #enqueue(entry: DeliveryEntry, receiver: string): void {
    const queue =
      this.#queues.get(receiver) ?? new PQueue({ concurrency: this.#settings.maxConcurrent });
    this.#queues.set(receiver, queue);
    void queue.add(async () => {
      await this.#attempt(entry);
      if (queue.size === 0 && queue.pending === 1) {
        this.#queues.delete(receiver);
      }
    });
  }

  async #attempt(entry: DeliveryEntry): Promise<void> {
    const { store, log, now } = this.#parts;
    // It may have been deleted, switched off or moved while this delivery stood in the queue.
    const webhook = this.#receiverOf(entry);
    if (webhook === undefined) {
      this.#finish(entry, "dropped");
      return;
    }
    entry.attempts += 1;
    entry.url = this.#addressOf(webhook);
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
      store.postpone(entry.number, entry.attempts, now() + waitMs);
      log.attempted(entry);
      this.#schedule(entry, waitMs);
    }
  }

  #finish(entry: DeliveryEntry, outcome: "delivered" | "failed" | "dropped"): void {
    const { store, log } = this.#parts;
    clearTimeout(this.#timers.get(entry));
    this.#timers.delete(entry);
    store.delete(entry.number);
    entry.outcome = outcome;
    if (outcome !== "dropped") {
      log.attempted(entry);
    }
    log.finished(entry);
  }

  #receiverOf({ webhookId }: DeliveryEntry): StoredWebhook | undefined {
    const webhook = this.#parts.webhooks.get(webhookId);
    return webhook?.active ? webhook : undefined;
  }

  #addressOf({ url }: StoredWebhook): string {
    const { deliverTo } = this.#settings;
    if (deliverTo === undefined) {
      return url;
    }
    const { pathname, search } = new URL(url);
    // Not resolved as a reference: a path of "//host" would name another host.
    return new URL(deliverTo).origin + pathname + search;
  }
}

/** Interface section 6, rules 1 and 2, and section 3. */
function isSubscribed({ active, events, tableId }: StoredWebhook, event: StoredEvent): boolean {
  return active && events.includes(event.type) && (tableId === null || tableId === event.tableId);
}

/** Any 2xx, as Standard Webhooks has it; a redirect is no acceptance, and is not followed. */
function isAccepted(result: AttemptResult): boolean {
  return "statusCode" in result && result.statusCode >= 200 && result.statusCode < 300;
}

function noteResult(entry: DeliveryEntry, result: AttemptResult): void {
  delete entry.statusCode;
  delete entry.problem;
  Object.assign(entry, result);
}
