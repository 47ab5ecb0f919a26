import { createMiddleware } from "hono/factory";
import * as z from "zod/mini";
import { checkOption } from "../problems.js";
import type { ApiKeyRing } from "./api-keys.js";
import { sendError } from "./errors.js";
import type { ServiceEnv } from "./request-log.js";

/** A limit on the requests of each API key. */
export interface RateLimit {
  /** Average requests per second of one key; more than 0, fractions allowed. */
  readonly requestsPerSecond: number;
  /** Requests that a key may send at once after a pause. Default: `requestsPerSecond`, at least 1. */
  readonly burst?: number;
  /**
   * `Retry-After` of the 429 (RFC 9110, section 10.2.3): whole `"seconds"` (default), an
   * `"http-date"`, no header (`"absent"`), or any value, such as a year or nonsense.
   */
  readonly retryAfter?: "seconds" | "http-date" | "absent" | { readonly value: string };
}

const rateMessage = "must be a number over 0";
const burstMessage = "must be a number of at least 1";

const rateLimit = z.object({
  requestsPerSecond: z.number(rateMessage).check(z.positive(rateMessage)),
  burst: z.optional(z.number(burstMessage).check(z.minimum(1, burstMessage))),
  retryAfter: z.optional(
    z.union(
      [z.enum(["seconds", "http-date", "absent"]), z.object({ value: z.string() })],
      'must be "seconds", "http-date", "absent" or { value: "…" }',
    ),
  ),
});

/** Answers 429 to a key over its limit, before the request is read. */
export function limitRate(limit: RateLimit, keys: ApiKeyRing, now: () => number) {
  checkOption("rateLimit", rateLimit, limit);
  const buckets = new TokenBuckets(limit, now);
  return createMiddleware<ServiceEnv>(async (c, next) => {
    // Unknown keys share a bucket: there is no limit to their number.
    const waitMs = buckets.take(keys.keyIn(c.req.header("authorization")) ?? "");
    if (waitMs === 0) {
      return next();
    }
    const retryAfter = formatRetryAfter(limit.retryAfter ?? "seconds", waitMs, now());
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    return sendError(c, 429, `More than ${limit.requestsPerSecond} requests per second.`, headers);
  });
}

/** A token bucket for each key, filled by the given clock. */
class TokenBuckets {
  readonly #tokensPerMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; filledAt: number }>();

  constructor({ requestsPerSecond, burst }: RateLimit, now: () => number) {
    this.#tokensPerMs = requestsPerSecond / 1000;
    this.#burst = burst ?? Math.max(1, requestsPerSecond);
    this.#now = now;
  }

  /** Takes one token and returns 0; without a token, returns the milliseconds until the next. */
  take(key: string): number {
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, filledAt: now };
    const refill = (now - bucket.filledAt) * this.#tokensPerMs;
    const tokens = Math.min(this.#burst, bucket.tokens + refill);
    const isEmpty = tokens < 1;
    this.#buckets.set(key, { tokens: isEmpty ? tokens : tokens - 1, filledAt: now });
    return isEmpty ? (1 - tokens) / this.#tokensPerMs : 0;
  }
}

/** Rounded up, so that an obedient client does not come too early. */
function formatRetryAfter(
  style: NonNullable<RateLimit["retryAfter"]>,
  waitMs: number,
  now: number,
): string | undefined {
  if (style === "absent") {
    return undefined;
  }
  if (style === "seconds") {
    return String(Math.ceil(waitMs / 1000));
  }
  if (style === "http-date") {
    return new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString();
  }
  return style.value;
}
