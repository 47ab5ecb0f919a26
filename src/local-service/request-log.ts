import type { IncomingMessage } from "node:http";
import type { ReceivedRequest, RequestEntry } from "./requests.js";
import type { ServiceEmitter } from "./service-emitter.js";

/** Keeps the newest requests in order of arrival, and emits the stages that they reach. */
export class RequestLog {
  readonly newest: RequestEntry[] = [];
  readonly counts = { requests: 0, posts: 0, deletes: 0, connections: 0 };
  readonly #maxEntries: number;
  readonly #emitter: ServiceEmitter;
  readonly #notYetReported = new WeakSet<RequestEntry>();

  constructor(maxEntries: number, emitter: ServiceEmitter) {
    this.#maxEntries = maxEntries;
    this.#emitter = emitter;
  }

  add({ method = "", url = "", headers }: IncomingMessage): RequestEntry {
    this.counts.requests += 1;
    this.counts.posts += Number(method === "POST");
    this.counts.deletes += Number(method === "DELETE");
    const entry: RequestEntry = {
      number: this.counts.requests,
      method,
      path: url,
      headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
      body: undefined,
      committed: false,
      outcome: "pending",
    };
    this.#notYetReported.add(entry);
    this.newest.push(entry);
    if (this.newest.length > this.#maxEntries) {
      this.newest.shift();
    }
    return entry;
  }

  /** Reports the stage "received" once. */
  noteReceived(entry: RequestEntry): void {
    if (this.#notYetReported.delete(entry)) {
      this.#emitter.emit("received", entry);
    }
  }

  noteCommitted(entry: RequestEntry, webhookId: number): void {
    entry.committed = true;
    entry.webhookId = String(webhookId);
    this.#emitter.emit("committed", entry);
  }

  /** Keeps the first outcome, for example when a response follows after the client has disconnected. */
  noteFinished(
    entry: RequestEntry,
    result: Pick<ReceivedRequest, "outcome" | "statusCode" | "problem">,
  ): void {
    if (entry.outcome === "pending") {
      Object.assign(entry, result);
      // A request that is refused before its body is read counts as received.
      this.noteReceived(entry);
      this.#emitter.emit("finished", entry);
      this.#emitter.emit("log", { type: "request", request: entry });
    }
  }
}
