import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { Newest } from "../newest.js";
import { Waiters } from "../waiters.js";

/**
 * One request as the service saw it. The object is live: its fields fill in as the request proceeds.
 */
export interface ReceivedRequest {
  /** Position in the order of arrival since the start: 1, 2, 3, …; 0 for a refused emission. */
  readonly number: number;
  /** Number of the TCP connection: equal for requests that shared one through keep-alive. */
  readonly connection: number;
  /** Method as sent. */
  readonly method: string;
  /** Request target as sent: with the prefix and the query, and still percent-encoded. */
  readonly path: string;
  /** Headers, names in lower case. **`authorization` is in clear**: it is for assertions only. */
  readonly headers: Readonly<Record<string, string>>;
  /** Database of the path, decoded; absent when the service does not know the path. */
  readonly databaseId?: string;
  /** Last segment of a deletion's path, decoded; for a creation the new id, once it is stored. */
  readonly webhookId?: string;
  /** Whether the key is known and may use the database; absent when the service does not know the path. */
  readonly authorized?: boolean;
  /**
   * Body, parsed; `undefined` when there is none, when it is not JSON, and before it is read. Only the
   * body of an authorized request is read.
   */
  readonly body?: unknown;
  /** Whether the request took effect: a webhook was stored, or removed. */
  readonly committed: boolean;
  /** Status that the service answered with, after faults. */
  readonly statusCode?: number;
  /** Why the service refused it, in the words of its answer; can repeat words of the request. */
  readonly problem?: string;
  /**
   * How it ended: `"answered"`: the service wrote a whole answer; `"reset"`: a fault broke the
   * connection; `"unanswered"`: a fault sends nothing; `"disconnected"`: the client went away first;
   * `"pending"`: not over yet. A pending or disconnected request may still take effect.
   */
  readonly outcome: RequestOutcome;
}

/** How a request ended; see {@link ReceivedRequest.outcome}. */
export type RequestOutcome = "pending" | "answered" | "reset" | "unanswered" | "disconnected";

/** Which requests match; every given condition must hold. */
export interface RequestMatch {
  /** Method. Default: `"any"`. */
  readonly on?: "POST" | "DELETE" | "GET" | "any";
  /** Database of the path, decoded. Default: any. */
  readonly databaseId?: string;
  /** A further condition. Default: none. An error thrown here is answered with 500. */
  readonly where?: (request: ReceivedRequest) => boolean;
}

/** Which request to wait for, and how far it must have come. */
export interface AwaitedRequest extends RequestMatch {
  /**
   * `"received"` (default): read, not yet handled; `"committed"`: a webhook was
   * stored or removed; `"finished"`: its outcome is known.
   */
  readonly stage?: "received" | "committed" | "finished";
}

/** A {@link ReceivedRequest} as the service fills it in. */
export type RequestEntry = { -readonly [K in keyof ReceivedRequest]: ReceivedRequest[K] };

type AnswerSummary = Pick<ReceivedRequest, "statusCode" | "problem">;

/** What the log keeps of an answer. */
export function summaryOf(c: Context<ServiceEnv>): AnswerSummary {
  const problem = c.get("problem");
  return { statusCode: c.res.status, ...(problem !== undefined && !c.res.ok && { problem }) };
}

/** The types of Hono's context in this service. */
export interface ServiceEnv {
  Bindings: HttpBindings;
  Variables: { entry: RequestEntry; problem?: string };
}

/** The newest requests in order of arrival, and the promises of `nextRequest`. */
export class RequestLog {
  readonly counts = { requests: 0, posts: 0, deletes: 0, connections: 0 };
  readonly #newest: Newest<RequestEntry>;
  readonly #unread = new WeakSet<RequestEntry>();
  readonly #connections = new WeakMap<object, number>();
  readonly #waiters = new Waiters<AwaitedRequest["stage"], ReceivedRequest>(
    "The local service was closed before such a request came.",
  );
  readonly #onFinished: (request: ReceivedRequest) => void;

  constructor(maxRequests: number, onFinished: (request: ReceivedRequest) => void) {
    this.#newest = new Newest(maxRequests);
    this.#onFinished = onFinished;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.#newest.items;
  }

  clear(): void {
    this.#newest.clear();
  }

  connected(socket: object): void {
    this.counts.connections += 1;
    this.#connections.set(socket, this.counts.connections);
  }

  arrived(incoming: IncomingMessage): RequestEntry {
    this.counts.requests += 1;
    this.counts.posts += Number(incoming.method === "POST");
    this.counts.deletes += Number(incoming.method === "DELETE");
    const entry = this.#entryOf(incoming, this.counts.requests);
    this.#unread.add(entry);
    this.#newest.add(entry, JSON.stringify(entry.headers).length + entry.path.length);
    return entry;
  }

  read(entry: RequestEntry, body: unknown, bytes: number): void {
    entry.body = body;
    this.#newest.grow(entry, bytes);
  }

  received(entry: RequestEntry): void {
    if (this.#unread.delete(entry)) {
      this.#waiters.tell("received", entry);
    }
  }

  committed(entry: RequestEntry, webhookId: number): void {
    entry.committed = true;
    entry.webhookId = String(webhookId);
    this.#waiters.tell("committed", entry);
  }

  /** Only the first outcome counts: an answer after the client left changes nothing. */
  finished(entry: RequestEntry, outcome: RequestOutcome, answer: AnswerSummary = {}): void {
    if (entry.outcome !== "pending") {
      return;
    }
    Object.assign(entry, { outcome, ...answer });
    this.received(entry);
    this.#waiters.tell("finished", entry);
    this.#onFinished(entry);
  }

  /** Reports a refused emission to `onRequest`. It is neither counted nor logged. */
  refused(incoming: IncomingMessage, databaseId: string, answer: AnswerSummary): void {
    const entry = this.#entryOf(incoming, 0);
    this.#onFinished({ ...entry, databaseId, ...answer, outcome: "answered" });
  }

  next({ stage = "received", ...match }: AwaitedRequest): Promise<ReceivedRequest> {
    return this.#waiters.next(stage, (request) => matches(match, request));
  }

  close(): void {
    this.#waiters.close();
  }

  #entryOf({ method = "", url = "", headers, socket }: IncomingMessage, number: number) {
    const entry: RequestEntry = {
      number,
      connection: this.#connections.get(socket) ?? 0,
      method,
      path: url,
      headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
      body: undefined,
      committed: false,
      outcome: "pending",
    };
    return entry;
  }
}

/** Whether every given condition holds for the request. */
export function matches(match: RequestMatch, request: ReceivedRequest): boolean {
  const { on = "any", databaseId = request.databaseId, where } = match;
  return (
    (on === "any" || on === request.method) &&
    databaseId === request.databaseId &&
    (where === undefined || where(request))
  );
}
