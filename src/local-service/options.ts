import type { Delivery, EmittedEvent } from "./deliveries/delivery-log.js";
import type { DeliveryOptions } from "./deliveries/delivery-options.js";
import type { FaultRule } from "./faults/faults.js";
import type { ApiKeys } from "./http/api-keys.js";
import type { RateLimit } from "./http/rate-limit.js";
import type { ReceivedRequest } from "./http/request-log.js";

/** How a local service starts; everything has a default. */
export interface LocalServiceOptions {
  /**
   * TCP port. Default: 0, any free one. The start fails with `EADDRINUSE` when it is taken.
   */
  readonly port?: number;
  /**
   * Address to listen on. Default: `127.0.0.1`. Other machines can reach any address that is not
   * loopback, and keys travel in clear: there is no TLS.
   */
  readonly host?: string;
  /**
   * Answers requests with any `Host` and any `Origin`, for example behind a proxy. Default: `false` on
   * a loopback `host`: only loopback names are answered, another `Host` gets 421 and another `Origin`
   * 403, so that no web page can reach the service. Always `true` on any other `host`.
   */
  readonly allowRemote?: boolean;
  /**
   * The API keys that the service knows: a list of keys that may use every database, or the databases
   * (or `"*"`) of each key. Default: `["local-api-key"]`. The start fails with a TypeError when there
   * is none.
   */
  readonly apiKeys?: ApiKeys;
  /**
   * Path in front of `/api/v1`, to try base URLs that have one: `"/tables/eu"`. Default: `""`. The
   * start fails with a TypeError unless it is made of `/` and unreserved characters.
   */
  readonly pathPrefix?: string;
  /**
   * Takes event kinds beyond the nine. Default: `false`, they are answered with 400.
   */
  readonly allowUnknownEvents?: boolean;
  /**
   * Answers the list operation, `GET …/webhooks`. Default: `false`, it is answered with 405.
   */
  readonly listing?: boolean;
  /** Limits the requests of each key. Default: no limit. */
  readonly rateLimit?: RateLimit;
  /**
   * Faults in force from the start, as by `inject`. Default: none. `clearFaults` ends a `hold` among
   * them.
   */
  readonly faults?: readonly FaultRule[];
  /**
   * File that keeps webhooks and pending deliveries, created when it does not exist. It survives the
   * death of the process at any moment. It holds the signing secrets in clear. Default: memory. The
   * start fails with a {@link DataFileError} when the file cannot be used.
   */
  readonly data?: string;
  /** How notifications are delivered. */
  readonly deliveries?: DeliveryOptions;
  /**
   * Requests, and also deliveries, that the logs keep, 0 for none; the oldest go first. Default: 10,000,
   * and 32 MiB of each at most.
   */
  readonly maxRequests?: number;
  /**
   * Clock of the rate limit and of the timestamps in notifications: milliseconds since 1970. Default:
   * `Date.now`. `delay` faults and deliveries always wait in real time.
   */
  readonly now?: () => number;
  /**
   * Called with each request when its outcome is known, and with each emission over HTTP that is
   * refused. Default: nothing happens. Errors thrown by this function and the next two go to
   * `onError`.
   */
  readonly onRequest?: (request: ReceivedRequest) => void;
  /** Called with each event when it is stored, before its first delivery. Default: nothing happens. */
  readonly onEvent?: (event: EmittedEvent) => void;
  /** Called with each delivery after each attempt, and when it is dropped. Default: nothing happens. */
  readonly onDelivery?: (delivery: Delivery) => void;
  /**
   * Called with each error of the functions above, and with each failure to write the file of `data`
   * during a delivery. Default: a warning of the process.
   */
  readonly onError?: (error: Error) => void;
}
