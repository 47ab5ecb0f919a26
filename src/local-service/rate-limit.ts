import { createMiddleware } from "hono/factory";
import type { KnownApiKeys } from "./access.js";
import type { RateLimit } from "./options.js";
import type { ServiceEnv } from "./requests.js";
import { sendError } from "./responses.js";

/** Responds with 429 when a key exceeds its rate limit, before the body is read. Each key has a token bucket. */
export function limitRate({ requestsPerSecond }: RateLimit, keys: KnownApiKeys) {
  const capacity = Math.max(1, requestsPerSecond);
  const buckets = new Map<string, { tokens: number; filledAt: number }>();
  return createMiddleware<ServiceEnv>(async (c, next) => {
    // Unknown keys share one bucket, because clients can invent any number of them.
    const key = keys.knownKeyOf(c.req.header("authorization")) ?? "";
    const now = Date.now();
    const bucket = buckets.get(key) ?? { tokens: capacity, filledAt: now };
    const refill = ((now - bucket.filledAt) / 1000) * requestsPerSecond;
    const tokens = Math.min(capacity, bucket.tokens + refill);
    buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, filledAt: now });
    if (tokens >= 1) {
      return next();
    }
    // Rounded up, so that a client that waits this long does not exceed the limit again.
    const retryAfter = Math.ceil((1 - tokens) / requestsPerSecond);
    const message = `More than ${requestsPerSecond} requests per second.`;
    return sendError(c, 429, message, { "retry-after": String(retryAfter) });
  });
}
