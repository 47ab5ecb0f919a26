import * as z from "zod/mini";
import { isApiKey } from "../common/identifier.js";
import { isHttpOrigin } from "../common/url.js";
import type { Interceptor } from "./interceptors.js";
import type { LogEntry } from "./log.js";
import * as is from "./validation.js";

/** How a local service starts; everything has a default. */
export interface LocalServiceOptions {
  /** TCP port. Default: 0, any free one. The start fails with `EADDRINUSE` when the port is taken. */
  readonly port?: number;
  /**
   * Address to listen on. Default: `127.0.0.1`. Other machines can reach any address that is not
   * loopback, whatever `allowRemote` is, and keys travel in clear text: there is no TLS.
   */
  readonly host?: string;
  /**
   * Accepts requests with any `Host` and any `Origin`, for example behind a proxy; only `host` decides which
   * machines can connect. Default: `false` on a loopback `host`: a `Host` that is not a loopback name gets
   * 421 and such an `Origin` 403, so that no web page can use the service. Always `true` on any other `host`.
   */
  readonly allowRemote?: boolean;
  /** The API keys that the service knows. Default: `["local-api-key"]`. There must be at least one. */
  readonly apiKeys?: ApiKeys;
  /** Accepts event types other than the nine documented ones. Default: `false`, the response to them is 400. */
  readonly allowUnknownEvents?: boolean;
  /** Supports the list operation, `GET …/webhooks`. Default: `false`, the response to it is 405. */
  readonly listing?: boolean;
  /** Limits the requests of each key. Default: no limit. */
  readonly rateLimit?: RateLimit;
  /** An interceptor from the start, as added by `use`. Default: none. */
  readonly intercept?: Interceptor;
  /**
   * File that keeps the webhooks, created when it does not exist. The file survives the death of the
   * process at any moment. It holds the signing secrets in clear text. Default: memory. The start fails
   * with a {@link DataFileError} when the file cannot be used.
   */
  readonly data?: string;
  /** Timeouts, retries and the destination of notifications. */
  readonly deliveries?: DeliveryOptions;
  /**
   * How many requests, and how many deliveries, the service remembers for `requests` and
   * `deliveries`; the service forgets the oldest first. Default: 10,000.
   */
  readonly maxRequests?: number;
  /**
   * Called in order with each request when its outcome is known, each event, each attempt of a delivery,
   * and each delivery that is dropped. An error that it throws is an uncaught exception.
   */
  readonly onLog?: (entry: LogEntry) => void;
}

/**
 * The API keys that the service knows, and the databases that each may use.
 *
 * A list gives every key access to every database. An object names the databases of each key; `"*"`
 * stands for every database. Databases need not be created: every database id exists.
 */
export type ApiKeys = readonly string[] | Readonly<Record<string, readonly string[] | "*">>;

/**
 * A limit on each API key's requests, above which they get 429 with `Retry-After` in seconds. It is applied
 * before interceptors, and not to emissions over HTTP.
 */
export interface RateLimit {
  /** More than 0, fractions allowed. After a pause, a key may send so many at once, and at least one. */
  readonly requestsPerSecond: number;
}

/** How notifications are delivered. The API does not specify these values. */
export interface DeliveryOptions {
  /** Timeout of one attempt, connection included, in seconds. Default: 15. */
  readonly timeoutSeconds?: number;
  /**
   * Waits after the first, second, … attempt that fails, in seconds; there is one attempt more than
   * there are waits. Default: 0.5, 1, 2, 4, 8, 16, 32, 60, 60: ten attempts in about three minutes.
   */
  readonly retryWaitsSeconds?: readonly number[];
  /**
   * Origin that receives every notification, such as `http://127.0.0.1:9000`, in place of the origin of
   * the webhook's `url`; path and query stay. For tests that must not reach the real receivers.
   * Default: the `url` of each webhook.
   */
  readonly deliverTo?: string;
}

const schema = is.options({
  port: z.optional(is.aWholeNumber(0)),
  host: z.optional(is.aNonEmptyString),
  allowRemote: z.optional(is.aBoolean),
  apiKeys: z.optional(
    is.must("name at least one key, each of visible ASCII characters", areApiKeys),
  ),
  allowUnknownEvents: z.optional(is.aBoolean),
  listing: z.optional(is.aBoolean),
  rateLimit: z.optional(is.options({ requestsPerSecond: is.aPositiveNumber })),
  intercept: z.optional(is.aFunction),
  // The path is validated when the file is opened.
  data: z.optional(z.unknown()),
  deliveries: z.optional(
    is.options({
      timeoutSeconds: z.optional(is.aPositiveNumber),
      retryWaitsSeconds: z.optional(is.must("be a list of seconds, 0 to 86400", areWaits)),
      deliverTo: z.optional(is.must("be an origin, such as http://h:9000", isHttpOrigin)),
    }),
  ),
  maxRequests: z.optional(is.aWholeNumber(0)),
  onLog: z.optional(is.aFunction),
});

/** Throws a TypeError that names every invalid option, and an unknown one. */
export function assertServiceOptions(options: LocalServiceOptions): void {
  const problems = is.problemsOf(schema, options);
  if (problems.length > 0) {
    throw new TypeError(`startLocalService: ${problems.join("; ")}.`);
  }
}

function areApiKeys(value: unknown): boolean {
  const keys: unknown[] = Array.isArray(value) ? value : Object.keys(Object(value));
  return keys.length > 0 && keys.every((key) => typeof key === "string" && isApiKey(key));
}

function areWaits(value: unknown): boolean {
  const isWait = (wait: unknown) => typeof wait === "number" && wait >= 0 && wait <= 86_400;
  return Array.isArray(value) && value.every(isWait);
}
