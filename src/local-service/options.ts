import { isApiKey } from "../common/identifier.js";
import { isHttpOrigin, isLoopbackAddress } from "../common/url.js";
import type { Interceptor } from "./interceptors.js";
import type { LogEntry } from "./records.js";

/** The API key of a service that is given none. */
export const defaultApiKey = "local-api-key";

/**
 * What is wrong with options with which a service would be useless or open to everybody, and what
 * to write instead.
 */
export const optionProblems = {
  unusableKey:
    "apiKeys must hold at least one key, and each must consist of visible ASCII characters",
  publicKey: `apiKeys must hold keys of your own, because other machines can reach this host, and everybody knows "${defaultApiKey}"`,
  noOrigin: 'deliverTo must be an origin, such as "http://127.0.0.1:9000"',
};

/** How a local service starts; everything has a default. */
export interface LocalServiceOptions {
  /** TCP port, 0 to 65,535. Default: 0, any free one. */
  readonly port?: number;
  /**
   * Address to listen on. Default: `127.0.0.1`. Other machines can reach any address that is not
   * loopback, whatever `allowRemote` is, and keys travel in clear text: there is no TLS. Such an
   * address needs `apiKeys` of your own.
   */
  readonly host?: string;
  /**
   * Accepts requests with any `Host` and any `Origin`, for example behind a proxy; only `host`
   * decides which machines can connect. Default: `false` on a loopback `host`: a `Host` that is not
   * a loopback name gets 421 and such an `Origin` 403, so that no web page can use the service.
   * Always `true` on any other `host`.
   */
  readonly allowRemote?: boolean;
  /**
   * The API keys that the service knows, of visible ASCII characters. Default: `["local-api-key"]`.
   * There must be at least one.
   */
  readonly apiKeys?: ApiKeys;
  /**
   * Accepts event types other than the nine documented ones. Default: `false`, the response to them
   * is 400.
   */
  readonly allowUnknownEvents?: boolean;
  /** Supports the list operation, `GET …/webhooks`. Default: `false`, the response to it is 405. */
  readonly listing?: boolean;
  /** An interceptor from the start, as added by `use`. Default: none. */
  readonly intercept?: Interceptor;
  /**
   * Origin that receives every notification, such as `http://127.0.0.1:9000`, in place of the
   * origin of the webhook's `url`; path and query stay. For tests that must not reach the real
   * receivers. Default: the `url` of each webhook.
   */
  readonly deliverTo?: string;
  /** How many requests `requests` holds; the service forgets the oldest first. Default: 10,000. */
  readonly maxRequests?: number;
  /**
   * Called with each request when its outcome is known, and with each delivery that has ended. An
   * error that it throws is an uncaught exception.
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

/** Lists every problem of the options. */
export function validateOptions(options: LocalServiceOptions): (keyof typeof optionProblems)[] {
  const { apiKeys = [defaultApiKey], deliverTo, host = "127.0.0.1" } = options;
  const keys = keysOf(apiKeys);
  const found = {
    unusableKey: keys.length === 0 || !keys.every(isApiKey),
    publicKey: keys.includes(defaultApiKey) && !isLoopbackAddress(host),
    noOrigin: deliverTo !== undefined && !isHttpOrigin(deliverTo),
  };
  return (Object.keys(found) as (keyof typeof found)[]).filter((problem) => found[problem]);
}

/** A JavaScript program can pass any value. */
function keysOf(apiKeys: unknown): readonly string[] {
  if (Array.isArray(apiKeys)) {
    return apiKeys;
  }
  return typeof apiKeys === "object" ? Object.keys(apiKeys ?? {}) : [];
}

/** Whether only clients and web pages of this machine may use the service. */
export function isLoopbackOnly({
  host = "127.0.0.1",
  allowRemote = false,
}: LocalServiceOptions): boolean {
  return !allowRemote && isLoopbackAddress(host);
}
