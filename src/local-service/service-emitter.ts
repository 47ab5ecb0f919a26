import { EventEmitter, on } from "node:events";
import type { Delivery, EmittedEvent } from "./delivery.js";
import type { ReceivedRequest } from "./requests.js";

/** One entry of the log. Its request or delivery is the object itself, which changes as it proceeds. */
export type LogEntry =
  /** A request whose outcome is known. */
  | { readonly type: "request"; readonly request: ReceivedRequest }
  /** A database event that was emitted. */
  | { readonly type: "event"; readonly event: EmittedEvent }
  /** A delivery after each of its attempts, or when it was dropped. */
  | { readonly type: "delivery"; readonly delivery: Delivery };

/** The arguments of the listeners. The first three are the stages of a request. */
interface ListenerArguments {
  received: [ReceivedRequest];
  committed: [ReceivedRequest];
  finished: [ReceivedRequest];
  deliveryFinished: [Delivery];
  log: [LogEntry];
}

/** Emits the progress of requests and deliveries, for `nextRequest`, `nextDelivery` and `onLog`. */
export class ServiceEmitter extends EventEmitter<ListenerArguments> {
  readonly #closing: AbortSignal;

  constructor(closing: AbortSignal) {
    super();
    this.#closing = closing;
    this.setMaxListeners(0);
  }

  /** Waits for the next matching request or delivery. Rejects with an AbortError when the service closes first. */
  next<Name extends Exclude<keyof ListenerArguments, "log">>(
    name: Name,
    matches: (item: ListenerArguments[Name][0]) => boolean,
  ): Promise<ListenerArguments[Name][0]> {
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
