import type { HttpOutcome } from "./exchange.js";
import { serviceErrorIn } from "./schemas.js";

// All of "send again or not, when, until when, and why not", without I/O. `transport` does what it says.

const firstBackoffMs = 500;
const longestBackoffMs = 10_000;
// For a service that answers 429 with "Retry-After: 0", the first time.
const shortestPauseMs = 50;
// A service that restarts listens again by then.
const refusedSeconds = 15;

/** What a request does. Only a creation is not idempotent. */
export type RequestKind = "create" | "delete" | "list";

/** An attempt that has ended. */
export interface Attempt {
  readonly kind: RequestKind;
  readonly outcome: HttpOutcome;
  /** 1 for the first. */
  readonly number: number;
  /** Since the first attempt began. */
  readonly elapsedMs: number;
}

/** How long attempts may go on. */
export interface RetryLimits {
  readonly retrySeconds: number;
  /** What is left of the operation's own time, where it has a limit. */
  readonly remainingMs?: number | undefined;
  /** Whether Pulumi stops, so that nothing more is sent. */
  readonly isStopping: boolean;
}

/** What follows an attempt: the end, or a wait and another attempt. */
export type Step =
  | { readonly kind: "end"; readonly gaveUp?: GaveUp }
  | {
      readonly kind: "again";
      readonly delayMs: number;
      /** Whether the service asked, so that all other requests wait too. */
      readonly isForAll: boolean;
    };

/** Why there is no further attempt, where one was due. */
export type GaveUp =
  | { readonly limit: "retries"; readonly seconds: number; readonly isRefused: boolean }
  | { readonly limit: "operation" }
  | { readonly limit: "stopping" };

/** Decides what follows an attempt. */
export function nextStep(
  { kind, outcome, number, elapsedMs }: Attempt,
  { retrySeconds, remainingMs = Number.POSITIVE_INFINITY, isStopping }: RetryLimits,
  random: () => number,
): Step {
  if (!mayBeSentAgain(kind, outcome)) {
    return { kind: "end" };
  }
  if (isStopping) {
    return { kind: "end", gaveUp: { limit: "stopping" } };
  }
  const delayMs = delayAfter(outcome, number, random);
  if (delayMs >= remainingMs) {
    return { kind: "end", gaveUp: { limit: "operation" } };
  }
  const isRefused = hasCode(outcome, /^ECONNREFUSED$/) && retrySeconds > refusedSeconds;
  const seconds = isRefused ? refusedSeconds : retrySeconds;
  return elapsedMs + delayMs > seconds * 1000
    ? { kind: "end", gaveUp: { limit: "retries", seconds, isRefused } }
    : { kind: "again", delayMs, isForAll: isThrottled(outcome) };
}

/**
 * Whether a request that was answered so, or not answered, may have been carried out. 303 follows on a
 * request that was carried out; 408 comes from proxies too, about requests that arrived; 409 can mean
 * that the webhook exists; a proxy answers 5xx about requests that the service has carried out.
 */
export function mayHaveActed(outcome: HttpOutcome): boolean {
  return outcome.kind === "response"
    ? !isThrottled(outcome) && !refusals.includes(outcome.statusCode)
    : outcome.kind !== "unsent";
}

// Statuses of RFC 9110, section 15, that say that a request was not carried out.
const refusals = [300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422];

/**
 * Whether the service refused the request for now, without acting on it, and said so. A 503 with
 * `Retry-After` alone does not say it: proxies answer so by themselves, also after a time-out of their
 * backend, which may have carried the request out.
 */
function isThrottled(outcome: HttpOutcome): boolean {
  if (outcome.kind !== "response") {
    return false;
  }
  const { statusCode, retryAfterMs, body } = outcome;
  const isRefusal503 = retryAfterMs !== undefined && serviceErrorIn(body) !== undefined;
  return statusCode === 429 || (statusCode === 503 && isRefusal503);
}

function mayBeSentAgain(kind: RequestKind, outcome: HttpOutcome): boolean {
  if (outcome.kind === "unsent") {
    const { kind: cause } = outcome.cause;
    return cause !== "badProxy" && cause !== "noAttempt" && !hasCode(outcome, permanentCodes);
  }
  if (kind === "create") {
    return isThrottled(outcome);
  }
  return outcome.kind === "response"
    ? [408, 425, 429].includes(outcome.statusCode) || outcome.statusCode >= 500
    : outcome.kind === "unanswered";
}

// Codes of Node.js and OpenSSL for a host that does not exist, and for a certificate that is not trusted.
const permanentCodes =
  /^(ENOTFOUND|CERT_.*|UNABLE_TO_.*|.*SELF_SIGNED_CERT.*|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID)$/;

function hasCode(outcome: HttpOutcome, pattern: RegExp): boolean {
  return (
    outcome.kind !== "response" &&
    outcome.cause.kind === "connection" &&
    outcome.cause.codes.some((code) => pattern.test(code))
  );
}

/** As long as the service asked, or longer each time. */
function delayAfter(outcome: HttpOutcome, number: number, random: () => number): number {
  const backoffMs = (firstMs: number) => Math.min(firstMs * 2 ** (number - 1), longestBackoffMs);
  return outcome.kind === "response" && outcome.retryAfterMs !== undefined
    ? outcome.retryAfterMs || backoffMs(shortestPauseMs)
    : backoffMs(firstBackoffMs) * (0.5 + random() / 2);
}
