import { EventEmitter, on } from "node:events";
import type { Delivery, EmittedEvent } from "./deliveries.js";
import type { ReceivedRequest } from "./requests.js";

/** One entry of the log. Its request or delivery is the object itself, which changes as it proceeds. */
export type LogEntry =
  /** A request whose outcome is known. */
  | { readonly type: "request"; readonly request: ReceivedRequest }
  /** A database event that was emitted. */
  | { readonly type: "event"; readonly event: EmittedEvent }
  /** A delivery after each of its attempts, or when it was dropped. */
  | { readonly type: "delivery"; readonly delivery: Delivery };

/** What happens to requests and deliveries, for `nextRequest`, `nextDelivery` and `onLog`. */
export class ServiceLog extends EventEmitter<{
  /** A request was received, has stored or deleted a webhook, or has its outcome. */
  request: [ReceivedRequest];
  /** A delivery has finished. */
  delivery: [Delivery];
  entry: [LogEntry];
}> {
  readonly #closing: AbortSignal;

  constructor(closing: AbortSignal) {
    super();
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
}
