// What one HTTP exchange is to the rest of the package. Only `http.ts` knows the library behind it.

/** One request, as the API's client makes it. */
export interface HttpRequest {
  readonly method: "POST" | "DELETE" | "GET";
  readonly url: URL;
  readonly apiKey: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** A complete answer. */
export interface HttpResponse {
  readonly kind: "response";
  readonly statusCode: number;
  readonly body: string;
  /** Milliseconds that the service asked to wait (RFC 9110, section 10.2.3). */
  readonly retryAfterMs?: number | undefined;
  /** Origin that a redirect points to. */
  readonly redirectOrigin?: string | undefined;
  /** Whether it may be a part only: status 206 (RFC 9110, section 15.3.7), or a `Link` (RFC 8288). */
  readonly isPart?: boolean;
}

/** No complete answer. */
export interface HttpFailure {
  /**
   * `unsent`: it is certain that the service has not seen the request. `unanswered`: the service may
   * have acted on it. `unreadable`: it answered, with more than 1 MiB.
   */
  readonly kind: "unsent" | "unanswered" | "unreadable";
  readonly cause: FailureCause;
}

/** Why there is no complete answer. */
export type FailureCause =
  /** A limit ended: that of one attempt, or that of the whole operation. */
  | { readonly kind: "limit"; readonly limit: "attempt" | "operation"; readonly ms: number }
  /** The connection failed: codes and text of Node.js, TLS or the HTTP library. */
  | { readonly kind: "connection"; readonly codes: readonly string[]; readonly text: string }
  | { readonly kind: "tooLong"; readonly statusCode: number }
  /** The proxy that the environment names has no usable address. */
  | { readonly kind: "badProxy" }
  /** Pulumi stops, or the time of the operation is over: there was no attempt. */
  | { readonly kind: "noAttempt"; readonly because: "stopping" | "operation" };

/** How an attempt to exchange one request for an answer ended. */
export type HttpOutcome = HttpResponse | HttpFailure;

/**
 * Exchanges one request for an answer, without ever trying again.
 *
 * @returns `undefined` when `stopping` aborts before the request is sent: then it is not sent.
 */
export type Exchange = (
  request: HttpRequest,
  limit?: TimeLimit,
  stopping?: AbortSignal,
) => Promise<HttpOutcome | undefined>;

/** The time that one operation may take, where the program sets one (the option `customTimeouts`). */
export class TimeLimit {
  readonly seconds: number;
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  readonly #endsAtMs: number;

  constructor(seconds: number) {
    const end = new AbortController();
    this.seconds = seconds;
    this.signal = end.signal;
    this.#endsAtMs = Date.now() + seconds * 1000;
    // Node.js ends a longer timer at once. It may outlive the operation, but not keep the process.
    setTimeout(() => end.abort(), Math.min(seconds * 1000, 2 ** 31 - 1)).unref();
  }

  /** Milliseconds that are left, at least 1. */
  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#endsAtMs - Date.now()));
  }
}
