import { EventEmitter, on } from "node:events";
import type { Delivery, EmittedEvent } from "./delivery.js";
import type { ReceivedRequest } from "./requests.js";

/** One thing that happened in the local service. The objects are live. */
export type LogEntry =
  /** A request whose outcome is known. */
  | { readonly type: "request"; readonly request: ReceivedRequest }
  /** An event that was emitted. */
  | { readonly type: "event"; readonly event: EmittedEvent }
  /** An attempt of a delivery that ended, or a delivery that was dropped. */
  | { readonly type: "delivery"; readonly delivery: Delivery };

interface ActivityEvents {
  received: [ReceivedRequest];
  committed: [ReceivedRequest];
  finished: [ReceivedRequest];
  deliveryEnded: [Delivery];
  log: [LogEntry];
}

/** Emits everything that happens in the service, for `nextRequest`, `nextDelivery` and `onLog`. */
export class Activity extends EventEmitter<ActivityEvents> {
  readonly #closing: AbortSignal;

  constructor(closing: AbortSignal) {
    super();
    this.#closing = closing;
    this.setMaxListeners(0);
  }

  /** Waits for the next matching item. Rejects with an AbortError when the service closes first. */
  next<Name extends Exclude<keyof ActivityEvents, "log">>(
    name: Name,
    matches: (item: ActivityEvents[Name][0]) => boolean,
  ): Promise<ActivityEvents[Name][0]> {
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
