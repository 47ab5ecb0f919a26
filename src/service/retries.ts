import type { HttpOutcome } from "./http.js";
import { type AccountSettings, nameOfSetting } from "./settings.js";

const firstBackoffMs = 500;
const longestBackoffMs = 10_000;
// For a service that answers 429 with "Retry-After: 0", the first time.
const shortestPauseMs = 50;
// A service that restarts listens again by then.
const refusedSeconds = 15;

/** Whether the service refused the request for now, without acting on it, and said so. */
export function isThrottled(outcome: HttpOutcome): boolean {
  return (
    outcome.kind === "response" &&
    (outcome.statusCode === 429 ||
      (outcome.statusCode === 503 && outcome.retryAfterMs !== undefined))
  );
}

/** What the service did, to be read after its name: `answered 500`, `could not be reached (…)`. */
export function outcomeText(outcome: HttpOutcome): string {
  return outcome.kind === "response" ? `answered ${outcome.statusCode}` : outcome.reason;
}

/** How long to wait before a further attempt: as the service asked, or longer each time. */
export function delayBeforeRetry(
  outcome: HttpOutcome,
  attempt: number,
  random: () => number,
): number {
  const backoffMs = (firstMs: number) => Math.min(firstMs * 2 ** (attempt - 1), longestBackoffMs);
  return outcome.kind === "response" && outcome.retryAfterMs !== undefined
    ? outcome.retryAfterMs || backoffMs(shortestPauseMs)
    : backoffMs(firstBackoffMs) * (0.5 + random() / 2);
}

/** How long a request may be tried again; a refused connection for a shorter time. */
export function retryLimit(
  settings: AccountSettings,
  isRefused: boolean,
): { readonly seconds: number; readonly text: string } {
  const { retrySeconds } = settings;
  return isRefused && retrySeconds > refusedSeconds
    ? { seconds: refusedSeconds, text: `a refused connection is tried for ${refusedSeconds} s` }
    : {
        seconds: retrySeconds,
        text: `${nameOfSetting(settings, "retrySeconds")} is ${retrySeconds}`,
      };
}

/** Why there is no further attempt, for a message. */
export function gaveUpText(
  outcome: HttpOutcome,
  attempt: number,
  elapsedMs: number,
  limit: string,
): string {
  return outcome.kind === "response" && outcome.retryAfterMs
    ? `it asked to wait ${secondsText(outcome.retryAfterMs)} more; ${limit}`
    : `tried ${attempt} ${attempt === 1 ? "time" : "times"} in ${secondsText(elapsedMs)}; ${limit}`;
}

/** A time for a message, in whole seconds. */
export function secondsText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds > 86_400 ? "over a day" : `${seconds} s`;
}
