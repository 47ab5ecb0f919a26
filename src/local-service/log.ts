import { EventEmitter, on } from "node:events";
import type { Delivery, EmittedEvent } from "./deliveries.js";
import type { ReceivedRequest, RequestEntry } from "./requests.js";

/** One entry of the log. Its request or delivery is the object itself, which changes as it proceeds. */
export type LogEntry =
  /** A request whose outcome is known. */
  | { readonly type: "request"; readonly request: ReceivedRequest }
  /** A database event that was emitted. */
  | { readonly type: "event"; readonly event: EmittedEvent }
  /** A delivery after each of its attempts, or when it was dropped. */
  | { readonly type: "delivery"; readonly delivery: Delivery };

/** What the service has counted since it started; `created` and `deleted` since its data file was made. */
export interface ServiceCounts {
  /** Requests of any method and outcome. */
  readonly requests: number;
  /** `POST` requests among them. */
  readonly posts: number;
  /** `DELETE` requests among them. */
  readonly deletes: number;
  /** Webhooks ever stored. */
  readonly created: number;
  /** Webhooks ever deleted, by request or by `removeWebhook`. */
  readonly deleted: number;
  /** Deliveries that have not finished. */
  readonly pending: number;
}

interface Listeners {
  /** A request was received, has stored or deleted a webhook, or has its outcome. */
  request: [ReceivedRequest];
  /** A delivery has finished. */
  delivery: [Delivery];
  entry: [LogEntry];
}

/** Keeps the newest requests and deliveries, and tells `nextRequest`, `nextDelivery` and `onLog` of them. */
export class ServiceLog extends EventEmitter<Listeners> {
  readonly requests: ReceivedRequest[] = [];
  readonly deliveries: Delivery[] = [];
  readonly counts = { requests: 0, posts: 0, deletes: 0, deliveries: 0 };
  readonly #maxEntries: number;
  readonly #closing: AbortSignal;

  constructor(maxEntries: number, closing: AbortSignal) {
    super();
    this.#maxEntries = maxEntries;
    this.#closing = closing;
    this.setMaxListeners(0);
  }

  /** Waits for a matching request or delivery. Rejects with an AbortError when the service closes first. */
  next<Item>(name: "request" | "delivery", matches: (item: Item) => boolean): Promise<Item> {
    const find = async () => {
      for await (const [item] of on(this, name, { signal: this.#closing })) {
        if (matches(item)) {
          return item;
        }
      }
    };
    const found = find();
    // A test may end without awaiting the promise, and an unhandled rejection would end the process.
    found.catch(() => {});
    return found;
  }

  /** Adds a request, which gets the next number. */
  addRequest(request: Omit<RequestEntry, "number">): RequestEntry {
    this.counts.posts += Number(request.method === "POST");
    this.counts.deletes += Number(request.method === "DELETE");
    this.counts.requests += 1;
    return this.#keep(this.requests, { number: this.counts.requests, ...request });
  }

  /** Adds a delivery, which gets the next number. */
  addDelivery(delivery: Omit<Delivery, "number">): Delivery {
    this.counts.deliveries += 1;
    return this.#keep(this.deliveries, { number: this.counts.deliveries, ...delivery });
  }

  /** Keeps the first outcome, for example when a response follows after the client has disconnected. */
  finishRequest(
    request: RequestEntry,
    result: Pick<ReceivedRequest, "outcome" | "statusCode" | "problem">,
  ): void {
    if (request.outcome === "pending") {
      Object.assign(request, result);
      this.emit("request", request);
      this.emit("entry", { type: "request", request });
    }
  }

  #keep<Item>(list: Item[], item: Item): Item {
    list.push(item);
    if (list.length > this.#maxEntries) {
      list.shift();
    }
    return item;
  }
}
