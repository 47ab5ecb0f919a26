import type { DeliveredEvent } from "./events.js";

/** An event on its way to one webhook. The object is live: its fields follow the delivery. */
export interface Delivery {
  /** Number of the delivery since the start: 1, 2, 3, …. */
  readonly number: number;
  /** The event. */
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
   * webhook was deleted or switched off before; `"pending"`: not over yet.
   */
  readonly outcome: DeliveryOutcome;
  /** How long the delivery waits for the next attempt, from the end of the latest. */
  readonly retryInSeconds?: number;
}

/** How a delivery ended; see {@link Delivery.outcome}. */
export type DeliveryOutcome = "pending" | "delivered" | "failed" | "dropped";

/** An event that was emitted, and the deliveries that it led to. */
export interface EmittedEvent extends DeliveredEvent {
  /** One for every active webhook that selects the event. */
  readonly deliveries: readonly Delivery[];
  /** Fulfilled when every delivery is over; rejected when the service closes first. */
  readonly finished: Promise<readonly Delivery[]>;
}

/** Which delivery to wait for; every given condition must hold. */
export interface AwaitedDelivery {
  /** Event kind. Default: any. */
  readonly type?: string;
  /** Identifier of the webhook. Default: any. */
  readonly webhookId?: number;
  /** A further condition. Default: none. */
  readonly where?: (delivery: Delivery) => boolean;
}
