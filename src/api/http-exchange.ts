// The requests to the service, and how an attempt of one can end. Without undici, which is loaded
// only with the first request.
import type { ListExtent } from "./list-completeness.js";

/** The part of a request that a message may show: neither the API key nor a body. */
export interface RequestLine {
  readonly method: "POST" | "DELETE" | "GET";
  readonly url: URL;
}

/** A request to the service, to which only `send-once.ts` adds the API key. */
export interface HttpRequest extends RequestLine {
  readonly body?: unknown;
}

/** A response that has ended. */
export interface HttpResponse {
  readonly kind: "response";
  readonly statusCode: number;
  /** The request that got this response. */
  readonly request?: RequestLine;
  /** `undefined`: larger than the limit, and not read. */
  readonly body: string | undefined;
  /** How long the service asks to wait (RFC 9110, section 10.2.3). */
  readonly retryAfterMs?: number | undefined;
  /** The origin that the header `Location` points to. */
  readonly redirectOrigin?: string | undefined;
  /** How far a list in the body goes, by the headers. */
  readonly extent?: ListExtent;
}

/** The error of Node.js, TLS or undici about a failed connection. */
interface ConnectionProblem {
  readonly codes: readonly string[];
  readonly text: string;
}

/**
 * An attempt without a response. `unsent`: the service certainly has not seen the request.
 * `noResponse`: it may have carried it out, because a part of the request may have been sent.
 */
export type HttpFailure = FailedAttempt & {
  /** The variable that names the proxy through which the attempt went. */
  readonly proxyVariable?: string;
};

type FailedAttempt =
  | { readonly kind: "unsent" | "noResponse"; readonly cause: "timeout" }
  /** `stopping`: Pulumi is stopping. `proxyUrl`: the environment names no usable proxy. */
  | { readonly kind: "unsent"; readonly cause: "stopping" | "proxyUrl" }
  | (ConnectionProblem & { readonly kind: "unsent" | "noResponse"; readonly cause: "connection" })
  /** A proxy refused, with this status code, to connect to the service. */
  | (ConnectionProblem & {
      readonly kind: "unsent";
      readonly cause: "proxy";
      readonly statusCode: number;
    });

/** How one attempt ended. */
export type HttpOutcome = HttpResponse | HttpFailure;
