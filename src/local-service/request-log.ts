import type { IncomingMessage } from "node:http";
import type { Activity } from "./activity.js";
import type { ReceivedRequest, RequestEntry } from "./requests.js";

/** Keeps the newest requests in order of arrival, and emits the stages that they reach. */
export class RequestLog {
  readonly newest: RequestEntry[] = [];
  readonly counts = { requests: 0, posts: 0, deletes: 0, connections: 0 };
  readonly #maxRequests: number;
  readonly #activity: Activity;
  readonly #unread = new WeakSet<RequestEntry>();

  constructor(maxRequests: number, activity: Activity) {
    this.#maxRequests = maxRequests;
    this.#activity = activity;
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
    this.#unread.add(entry);
    this.newest.push(entry);
    if (this.newest.length > this.#maxRequests) {
      this.newest.shift();
    }
    return entry;
  }

  noteReceived(entry: RequestEntry): void {
    if (this.#unread.delete(entry)) {
      this.#activity.emit("received", entry);
    }
  }

  noteCommitted(entry: RequestEntry, webhookId: number): void {
    entry.committed = true;
    entry.webhookId = String(webhookId);
    this.#activity.emit("committed", entry);
  }

  /** Keeps the first outcome: a response after the client has disconnected changes nothing. */
  noteFinished(
    entry: RequestEntry,
    result: Pick<ReceivedRequest, "outcome" | "statusCode" | "problem">,
  ): void {
    if (entry.outcome === "pending") {
      Object.assign(entry, result);
      // A request that is refused before its body is read counts as received.
      this.noteReceived(entry);
      this.#activity.emit("finished", entry);
      this.#activity.emit("log", { type: "request", request: entry });
    }
  }
}
