import { EventEmitter, on } from "node:events";
import type { LogEntry, ReceivedRequest, RequestEntry } from "./records.js";

interface Listeners {
  /** A request was received, has stored or deleted a webhook, or has its outcome. */
  request: [ReceivedRequest];
  entry: [LogEntry];
}

/** Keeps the newest requests, and tells `nextRequest` and `onLog` of new entries. */
export class ServiceLog extends EventEmitter<Listeners> {
  readonly requests: ReceivedRequest[] = [];
  readonly #maxRequests: number;
  readonly #closing: AbortSignal;
  #received = 0;

  constructor(maxRequests: number, closing: AbortSignal) {
    super();
    this.#maxRequests = maxRequests;
    this.#closing = closing;
    this.setMaxListeners(0);
  }

  /** Waits for a matching request. Rejects with an AbortError when the service closes first. */
  nextRequest(matches: (request: ReceivedRequest) => boolean): Promise<ReceivedRequest> {
    const find = async () => {
      for await (const [request] of on(this, "request", { signal: this.#closing })) {
        if (matches(request)) {
          return request;
        }
      }
    };
    const found = find();
    // A test may end without awaiting the promise, and an unhandled rejection would end the
    // process.
    found.catch(() => {});
    return found;
  }

  /** Adds a request, which gets the next number. */
  addRequest(request: Omit<RequestEntry, "number">): RequestEntry {
    this.#received += 1;
    const entry = { number: this.#received, ...request };
    this.requests.push(entry);
    if (this.requests.length > this.#maxRequests) {
      this.requests.shift();
    }
    return entry;
  }

  /**
   * Keeps the first outcome, for example when a response follows after the client has disconnected.
   */
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
}
