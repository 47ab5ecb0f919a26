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
   * Address to listen on. Default: `127.0.0.1`. Any that is not loopback lets others in, with their
   * keys in clear: there is no TLS.
   */
  readonly host?: string;
  /**
   * Answers requests under any name, as behind a proxy. Default: `false` on a loopback `host`: a
   * request whose `Host` is not a loopback name is answered with 421, so that no web page can reach
   * the service under a name of its own. Always `true` on any other `host`.
   */
  readonly allowRemote?: boolean;
  /**
   * The API keys that the service knows: a list of keys that may use every database, or the databases
   * (or `"*"`) of each key. Default: `["local-api-key"]`. The start fails with a TypeError when there
   * is none. Source: interface section 5.
   */
  readonly apiKeys?: ApiKeys;
  /**
   * Path in front of `/api/v1`, to try base URLs that have one: `"/tables/eu"`. Default: `""`. The
   * start fails with a TypeError unless it is made of `/` and unreserved characters.
   */
  readonly pathPrefix?: string;
  /**
   * Takes event kinds that interface section 6 does not name. Default: `false`, they are answered
   * with 400 (our choice).
   */
  readonly allowUnknownEvents?: boolean;
  /**
   * Answers the list operation, `GET …/webhooks`. Default: `false`, it is answered with 405. Source:
   * not in the interface (section 4.3), documented by a public service that has this interface.
   */
  readonly listing?: boolean;
  /** Limits the requests of each key. Default: no limit. Source: our choice (interface section 8). */
  readonly rateLimit?: RateLimit;
  /**
   * Faults in force from the start, as by `inject`. Default: none. What a `hold` among them holds is
   * released by `clearFaults`.
   */
  readonly faults?: readonly FaultRule[];
  /**
   * File that keeps subscriptions and pending deliveries, made when it does not exist; it survives the
   * death of the process at any moment. The signing secrets are in it in clear. Default: memory. The
   * start fails with an error that says what to do when the file cannot be used.
   */
  readonly data?: string;
  /** How notifications are delivered. */
  readonly deliveries?: DeliveryOptions;
  /** Requests, and also deliveries, that the logs keep; the oldest go first. Default: 10,000. */
  readonly maxRequests?: number;
  /**
   * Clock of the rate limit and of the timestamps in notifications: milliseconds since 1970. Default:
   * `Date.now`. `delay` faults and deliveries wait in real time whatever it says.
   */
  readonly now?: () => number;
  /**
   * Called with each request when its outcome is known, and with each emission over HTTP that is
   * refused. Default: nothing happens. What this function and the next two throw goes to `onError`,
   * and disturbs nothing.
   */
  readonly onRequest?: (request: ReceivedRequest) => void;
  /** Called with each event when it is stored, before its first delivery. Default: nothing happens. */
  readonly onEvent?: (event: EmittedEvent) => void;
  /** Called with each delivery after each attempt, and when it is dropped. Default: nothing happens. */
  readonly onDelivery?: (delivery: Delivery) => void;
  /**
   * Called with each failure that nobody else hears of: of one of the functions above, and of the file
   * of `data` during a delivery. Default: a warning of the process.
   */
  readonly onError?: (error: Error) => void;
}
