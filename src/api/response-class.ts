// The classes of outcomes, with the only list of status codes. Retries, doubts and advice read the
// class of an outcome and its facts.

import { errorCodeOf } from "./error-body.js";
import type { HttpFailure, HttpOutcome, HttpResponse } from "./http-exchange.js";

/** The facts that follow from the class of an outcome. */
interface ClassFacts {
  /** Which requests are retried. All but creations are idempotent. */
  readonly retried: "never" | "ifIdempotent" | "always";
  /** Whether the service may have carried the request out. */
  readonly mayBeCarriedOut: boolean;
}

// Sources: RFC 9110, section 15; RFC 4918, section 11; RFC 6585; RFC 7725; RFC 8470, section 5.2.
const facts = {
  success: { retried: "never", mayBeCarriedOut: true },
  /**
   * The service limits the rate of requests, so all of them wait
   * (docs/api/README.md#rate-limits).
   */
  throttled: { retried: "always", mayBeCarriedOut: false },
  /** Proxies send these about requests that the service may have carried out. */
  temporary: { retried: "ifIdempotent", mayBeCarriedOut: true },
  /**
   * Every status that no class names, among others. 303 follows a request that was carried out, as
   * 301 and 302 within one host can after a POST; 409 can mean that the webhook exists.
   */
  unclear: { retried: "never", mayBeCarriedOut: true },
  redirect: { retried: "never", mayBeCarriedOut: false },
  /** The key or the network has no access. */
  denied: { retried: "never", mayBeCarriedOut: false },
  /**
   * There is no such database or webhook, or none for this key. Only the service itself says so
   * (docs/api/README.md#errors).
   */
  notFound: { retried: "never", mayBeCarriedOut: false },
  /** There is no such operation at this URL. */
  unsupported: { retried: "never", mayBeCarriedOut: false },
  refused: { retried: "never", mayBeCarriedOut: false },
  noResponse: { retried: "ifIdempotent", mayBeCarriedOut: true },
  unsent: { retried: "always", mayBeCarriedOut: false },
} as const satisfies Readonly<Record<string, ClassFacts>>;

type OutcomeClass = keyof typeof facts;

/** The class of a response. */
export type ResponseClass = Exclude<OutcomeClass, HttpFailure["kind"]>;

/** The status codes of each class, besides the ranges of `classOfStatus`. */
const statusCodes: Readonly<Partial<Record<ResponseClass, readonly number[]>>> = {
  throttled: [429],
  temporary: [408],
  unclear: [303, 304, 409, 412, 424],
  redirect: [300, 301, 302, 307, 308],
  denied: [401, 403, 407, 511],
  // 404 is here without the error of the service; with it, its class is `notFound`.
  unsupported: [404, 405, 501],
  refused: [
    400, 402, 406, 410, 411, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428, 431, 451, 505,
  ],
};

const classByStatus = new Map(
  Object.entries(statusCodes).flatMap(([name, codes]) =>
    codes.map((code) => [code, name as ResponseClass]),
  ),
);

export function classOf(outcome: HttpOutcome): OutcomeClass {
  return outcome.kind === "response" ? classOfResponse(outcome) : outcome.kind;
}

/** Returns the facts of the class of an outcome. */
export function factsOf(outcome: HttpOutcome): ClassFacts {
  return facts[classOf(outcome)];
}

export function classOfResponse(response: HttpResponse): ResponseClass {
  const { statusCode, retryAfterMs, body } = response;
  if (statusCode === 404 && errorCodeOf(body) === "NOT_FOUND") {
    return "notFound";
  }
  // Without the error of the service, a proxy may have sent it after a timeout of its backend
  // (docs/api/README.md#rate-limits).
  if (statusCode === 503 && retryAfterMs !== undefined && errorCodeOf(body) !== undefined) {
    return "throttled";
  }
  return isAfterPost(response) ? "unclear" : classOfStatus(statusCode);
}

/**
 * Whether a response may lead to the result of a POST: many servers send 301 or 302 to another path
 * in place of 303 (RFC 9110, sections 15.4.2 and 15.4.3).
 */
function isAfterPost({ statusCode, request, redirectOrigin }: HttpResponse): boolean {
  return (
    [301, 302].includes(statusCode) &&
    request?.method === "POST" &&
    request.url.origin === redirectOrigin
  );
}

/**
 * Whether a response leads to another address. Responses with other statuses can have a `Location`
 * too (RFC 9110, section 10.2.2).
 */
export function isRedirection({ statusCode, redirectOrigin }: HttpResponse): boolean {
  return statusCode >= 300 && statusCode < 400 && redirectOrigin !== undefined;
}

/** Returns the facts of a status code by itself, such as that of a proxy. */
export function factsOfStatus(statusCode: number): ClassFacts {
  return facts[classOfStatus(statusCode)];
}

function classOfStatus(statusCode: number): ResponseClass {
  const named = classByStatus.get(statusCode);
  if (named !== undefined) {
    return named;
  }
  if (statusCode >= 200 && statusCode < 300) {
    return "success";
  }
  return statusCode >= 500 && statusCode < 600 ? "temporary" : "unclear";
}
