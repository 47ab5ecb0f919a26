// Decides about retries, without I/O: whether, when, until when, and why not.

import type { HttpFailure, HttpOutcome, HttpRequest } from "./http-exchange.js";
import { classOf, factsOf, factsOfStatus } from "./response-class.js";

/**
 * How long a refused connection is retried: a service that restarts accepts connections by then.
 */
export const connectionRefusedSeconds = 15;

const firstBackoffMs = 500;
const longestBackoffMs = 10_000;
// Codes of Node.js and OpenSSL, and a name of undici, for a host that does not exist, a port that
// speaks another protocol, a certificate that is not trusted and a connection that the permission
// model of Node.js refuses.
const permanentCodes =
  /^(ENOTFOUND|ERR_ACCESS_DENIED|ERR_SSL_.*|ERR_HTTP2_.*|CERT_.*|UNABLE_TO_.*|.*SELF_SIGNED_CERT.*|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID|HTTPParserError)$/;

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly method: HttpRequest["method"];
  readonly outcome: HttpOutcome;
  /** The first attempt is number 1. */
  readonly attemptNumber: number;
  /** The time since the first attempt began. */
  readonly elapsedMs: number;
  /** Whether Pulumi is stopping, so that this request is not retried. */
  readonly isStopping: boolean;
}

/** The step after an attempt: the end of the request, or a delay and another attempt. */
export type Step = { readonly kind: "end"; readonly giveUpReason?: GiveUpReason } | Delay;

/** A delay before a retry. `pause`: the service asks for it, so all requests wait. */
export interface Delay {
  readonly kind: "retry" | "pause";
  readonly delayMs: number;
}

/**
 * Why a retry that was due does not take place. `connectionRefused`: after {@link
 * connectionRefusedSeconds}.
 */
export type GiveUpReason = "retrySeconds" | "connectionRefused" | "stopping";

/** Decides about the step after an attempt. */
export function stepAfterAttempt(
  { method, outcome, attemptNumber, elapsedMs, isStopping }: EndedAttempt,
  retrySeconds: number,
  random: () => number,
): Step {
  if (!isRetriable(method, outcome)) {
    return { kind: "end" };
  }
  if (isStopping) {
    return { kind: "end", giveUpReason: "stopping" };
  }
  const delayMs = delayAfter(outcome, attemptNumber, random);
  const isConnectionRefused =
    hasCode(outcome, /^ECONNREFUSED$/) && retrySeconds > connectionRefusedSeconds;
  const seconds = isConnectionRefused ? connectionRefusedSeconds : retrySeconds;
  if (elapsedMs + delayMs > seconds * 1000) {
    return {
      kind: "end",
      giveUpReason: isConnectionRefused ? "connectionRefused" : "retrySeconds",
    };
  }
  return { kind: classOf(outcome) === "throttled" ? "pause" : "retry", delayMs };
}

function isRetriable(method: HttpRequest["method"], outcome: HttpOutcome): boolean {
  const { retried } = factsOf(outcome);
  // Of the requests to this API, only a creation is not idempotent.
  const mayBeRetried = retried === "always" || (retried === "ifIdempotent" && method !== "POST");
  return mayBeRetried && (outcome.kind === "response" || !isPermanent(outcome));
}

/** Whether another attempt would fail in the same way. */
function isPermanent(failure: HttpFailure): boolean {
  switch (failure.cause) {
    case "timeout":
      return false;
    case "stopping":
    case "proxyUrl":
      return true;
    case "proxy":
      return factsOfStatus(failure.statusCode).retried === "never";
    case "connection":
      return hasCode(failure, permanentCodes);
  }
}

function hasCode(outcome: HttpOutcome, pattern: RegExp): boolean {
  return "codes" in outcome && outcome.codes.some((code) => pattern.test(code));
}

function delayAfter(outcome: HttpOutcome, number: number, random: () => number): number {
  const retryAfterMs = outcome.kind === "response" ? outcome.retryAfterMs : undefined;
  const backoffMs = Math.min(firstBackoffMs * 2 ** (number - 1), longestBackoffMs);
  // "Retry-After: 0" names no delay.
  return retryAfterMs || backoffMs * (0.5 + random() / 2);
}
