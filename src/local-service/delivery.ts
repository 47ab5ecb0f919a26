import type { DeliveredEvent } from "./events.js";

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

/** Which delivery to wait for; every given condition must hold. */
export interface AwaitedDelivery {
  /** Event type. Default: any. */
  readonly type?: string;
  /** Identifier of the webhook. Default: any. */
  readonly webhookId?: number;
  /** A further condition. Default: none. */
  readonly where?: (delivery: Delivery) => boolean;
}
