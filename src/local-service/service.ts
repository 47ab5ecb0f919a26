import type { StoredWebhook, WebhookChanges } from "./data/webhook-store.js";
import type { AwaitedDelivery, Delivery, EmittedEvent } from "./deliveries/delivery-log.js";
import type { NewEvent } from "./deliveries/event.js";
import type { FaultRule, InjectedFault } from "./faults/faults.js";
import type { AwaitedRequest, ReceivedRequest } from "./http/request-log.js";

/** A running local service. */
export interface LocalService extends AsyncDisposable {
  /** `{base_url}` of the interface: `http://127.0.0.1:PORT`, or the `host`, and the path prefix. */
  readonly baseUrl: string;
  /** TCP port that the service listens on. */
  readonly port: number;
  /** The first API key. */
  readonly apiKey: string;
  /** The newest requests in order of arrival, as a snapshot; its entries are live. */
  readonly requests: readonly ReceivedRequest[];
  /** Webhooks that exist now, in the order of their ids, as a snapshot. Not after `close`. */
  readonly webhooks: readonly StoredWebhook[];
  /** Totals since the start; `clearRequests` does not change them. After `close`: the last totals. */
  readonly counts: ServiceCounts;
  /** Empties `requests`; `counts` and faults stay as they are. */
  clearRequests(): void;
  /**
   * Waits for the first matching request that reaches the stage after this call. Rejects when the
   * service closes first. Without an argument: for the next request that is received.
   */
  nextRequest(awaited?: AwaitedRequest): Promise<ReceivedRequest>;
  /**
   * Makes an event happen: stores it for every active webhook that selects it, and begins to
   * deliver. Throws a TypeError, and stores nothing, when the event does not fit.
   */
  emit(event: NewEvent): EmittedEvent;
  /** The newest deliveries in the order of their events, as a snapshot; its entries are live. */
  readonly deliveries: readonly Delivery[];
  /**
   * Waits for the first matching delivery that reaches the stage after this call. Rejects when the
   * service closes first. Without an argument: for the next delivery that is over, well or not.
   */
  nextDelivery(awaited?: AwaitedDelivery): Promise<Delivery>;
  /**
   * Puts a fault in force, behind those already in force: the first that matches acts alone. Throws a
   * TypeError that names every problem when the rule is malformed.
   */
  inject(rule: FaultRule): InjectedFault;
  /** Takes all faults out of force, and releases what they hold. */
  clearFaults(): void;
  /**
   * Changes a webhook from outside, as the update operation would. Throws a
   * RangeError when there is none with this id.
   */
  updateWebhook(id: number, changes: WebhookChanges): void;
  /** Removes a webhook from outside. Throws a RangeError when there is none with this id. */
  removeWebhook(id: number): void;
  /**
   * Stops listening and closes every connection. Webhooks and pending deliveries stay in the file of
   * `data`, and are lost without one. A second call has no effect.
   */
  close(): Promise<void>;
}

/** Totals of a service since it started, and what is pending now. */
export interface ServiceCounts {
  /** Requests of any method and outcome. */
  readonly requests: number;
  /** `POST` requests among them. */
  readonly posts: number;
  /** `DELETE` requests among them. */
  readonly deletes: number;
  /** TCP connections accepted. */
  readonly connections: number;
  /** Webhooks ever stored. */
  readonly created: number;
  /** Webhooks removed, by request or by `removeWebhook`. */
  readonly deleted: number;
  /** Deliveries that are not over now, those left by an earlier process included. */
  readonly pending: number;
}
