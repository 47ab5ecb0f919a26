import type { HttpBindings } from "@hono/node-server";

/** One request as the service saw it. The object's fields change as the request proceeds. */
export interface ReceivedRequest {
  /** Position in the order of arrival since the start: 1, 2, 3, …. */
  readonly number: number;
  /** Method, as sent. */
  readonly method: string;
  /** The request target as sent: with the query, and still percent-encoded. */
  readonly path: string;
  /** The headers, with names in lower case. **`authorization` is in clear text**, for assertions only. */
  readonly headers: Readonly<Record<string, string>>;
  /** The database in the path, decoded; absent when the service does not know the path. */
  readonly databaseId?: string;
  /** The last segment of a deletion's path, decoded; for a creation, the id of the stored webhook as text. */
  readonly webhookId?: string;
  /** Whether the API key is known and may use the database; absent when the service does not know the path. */
  readonly authorized?: boolean;
  /**
   * The parsed JSON body; `undefined` when there is none, when it is not JSON, and before it is read. The
   * service reads only the body of an authorized request.
   */
  readonly body?: unknown;
  /** Whether the service has stored or deleted a webhook for this request. */
  readonly committed: boolean;
  /** The status of the response, after faults. */
  readonly statusCode?: number;
  /** Why the service refused the request, in the words of its response. */
  readonly problem?: string;
  /**
   * The outcome. `"responded"`: the service wrote a complete response; `"reset"`: a fault broke the
   * connection; `"noResponse"`: a fault sends nothing; `"disconnected"`: the client went away first;
   * `"pending"`: not finished yet. A pending or disconnected request may still be committed.
   */
  readonly outcome: RequestOutcome;
}

/** The outcome of a request; see {@link ReceivedRequest.outcome}. */
export type RequestOutcome = "pending" | "responded" | "reset" | "noResponse" | "disconnected";

/** Which requests match; every given condition must hold. */
export interface RequestMatch {
  /** Method. Default: `"any"`. */
  readonly on?: "POST" | "DELETE" | "GET" | "any";
  /** Database in the path, decoded. Default: any. */
  readonly databaseId?: string;
  /** A further condition. Default: none. */
  readonly where?: (request: ReceivedRequest) => boolean;
}

/** Which request to wait for, and the stage that it must have reached. */
export interface AwaitedRequest extends RequestMatch {
  /**
   * `"received"` (default): read, not yet handled; `"committed"`: a webhook was stored or deleted;
   * `"finished"`: its outcome is known.
   */
  readonly stage?: "received" | "committed" | "finished";
}

/** A mutable {@link ReceivedRequest}. */
export type RequestEntry = { -readonly [K in keyof ReceivedRequest]: ReceivedRequest[K] };

/** The types of Hono's context in this service. */
export interface ServiceEnv {
  Bindings: HttpBindings;
  Variables: { entry: RequestEntry; problem?: string | undefined };
}

/** Whether every given condition holds for the request. */
export function matches(match: RequestMatch, request: ReceivedRequest): boolean {
  const { on: method = "any", databaseId, where } = match;
  return (
    (method === "any" || method === request.method) &&
    (databaseId === undefined || databaseId === request.databaseId) &&
    (where === undefined || where(request))
  );
}
