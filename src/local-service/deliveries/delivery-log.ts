import { Newest } from "../newest.js";
import { Waiters } from "../waiters.js";
import type { StoredEvent } from "./event.js";

/** An event on its way to one webhook. The object is live: its fields follow the delivery. */
export interface Delivery {
  /** Number of the delivery; never used twice, not even after a restart with `data`. */
  readonly number: number;
  /** The event. */
  readonly event: StoredEvent;
  /** Identifier of the webhook. */
  readonly webhookId: number;
  /** Where the latest attempt went, in clear: it can be a credential. Absent before the first. */
  readonly url?: string;
  /** Attempts begun so far. */
  readonly attempts: number;
  /** Status of the latest answer; absent when the latest finished attempt got none. */
  readonly statusCode?: number;
  /** Why the latest finished attempt got no answer. */
  readonly problem?: string;
  /**
   * `"delivered"`: the receiver answered with 2xx; `"failed"`: no attempts are left; `"dropped"`: the
   * webhook was deleted or switched off before; `"pending"`: not over yet.
   */
  readonly outcome: DeliveryOutcome;
  /** How long it waits for the next attempt, from the end of the latest; absent when it does not. */
  readonly retryInSeconds?: number;
}

/** How a delivery ended; see {@link Delivery.outcome}. */
export type DeliveryOutcome = "pending" | "delivered" | "failed" | "dropped";

/** An event that was emitted, and the deliveries that it led to. */
export interface EmittedEvent extends StoredEvent {
  /** One for every active webhook that selects the event. */
  readonly deliveries: readonly Delivery[];
  /** Fulfilled when every delivery is over; rejected when the service closes first. */
  readonly finished: Promise<readonly Delivery[]>;
}

/** Which delivery to wait for, and how far it must have come. */
export interface AwaitedDelivery {
  /** Event kind. Default: any. */
  readonly type?: string;
  /** Identifier of the webhook. Default: any. */
  readonly webhookId?: number;
  /** A further condition. Default: none. An error thrown here rejects the wait. */
  readonly where?: (delivery: Delivery) => boolean;
  /** `"finished"` (default): it is over; `"attempted"`: an attempt ended, well or not. */
  readonly stage?: "attempted" | "finished";
}

/** A {@link Delivery} as the service fills it in. */
export type DeliveryEntry = { -readonly [K in keyof Delivery]: Delivery[K] };

const closedMessage = "The local service was closed before the delivery was over.";

/** The newest deliveries in the order of their events, and the promises of `nextDelivery`. */
export class DeliveryLog {
  readonly #newest: Newest<Delivery>;
  readonly #ends = new Map<Delivery, PromiseWithResolvers<Delivery>>();
  readonly #waiters = new Waiters<AwaitedDelivery["stage"], Delivery>(closedMessage);
  readonly #onChange: (delivery: Delivery) => void;

  constructor(maxDeliveries: number, onChange: (delivery: Delivery) => void) {
    this.#newest = new Newest(maxDeliveries);
    this.#onChange = onChange;
  }

  get deliveries(): readonly Delivery[] {
    return this.#newest.items;
  }

  begun(delivery: Delivery, bytes: number): void {
    this.#ends.set(delivery, Promise.withResolvers());
    this.#newest.add(delivery, bytes);
  }

  attempted(delivery: Delivery): void {
    this.#waiters.tell("attempted", delivery);
    this.#onChange(delivery);
  }

  finished(delivery: Delivery): void {
    this.#ends.get(delivery)?.resolve(delivery);
    this.#ends.delete(delivery);
    this.#waiters.tell("finished", delivery);
    if (delivery.outcome === "dropped") {
      this.#onChange(delivery);
    }
  }

  /** The end of all of them. */
  endOf(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    const end = Promise.all(
      deliveries.map((delivery) => this.#ends.get(delivery)?.promise ?? delivery),
    );
    end.catch(() => {});
    return end;
  }

  next({ stage = "finished", type, webhookId, where }: AwaitedDelivery): Promise<Delivery> {
    return this.#waiters.next(
      stage,
      (delivery) =>
        (type === undefined || type === delivery.event.type) &&
        (webhookId === undefined || webhookId === delivery.webhookId) &&
        (where === undefined || where(delivery)),
    );
  }

  close(): void {
    for (const { promise, reject } of this.#ends.values()) {
      promise.catch(() => {});
      reject(new Error(closedMessage));
    }
    this.#ends.clear();
    this.#waiters.close();
  }
}
