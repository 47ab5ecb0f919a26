/** How notifications are delivered; the interface shows none of it. */
export interface DeliveryOptions {
  /** Limit of one attempt, connection included, in seconds. Default: 15. */
  readonly timeoutSeconds?: number;
  /** Attempts under way at once to one receiver, that is to one `url`. Default: 16. */
  readonly maxConcurrent?: number;
  /**
   * Waits after the first, second, … attempt that fails, in seconds; there is one attempt more than
   * there are waits. Default: 0.5, 1, 2, 4, 8, 16, 32, 60, 60: ten attempts in about three minutes.
   */
  readonly retryWaitsSeconds?: readonly number[];
  /**
   * Origin that receives every notification, such as `http://127.0.0.1:9000`, in place of the origin of
   * the subscription's `url`; path and query stay. For programs whose receivers are not to be reached
   * from a test. Default: each goes where its subscription says.
   */
  readonly deliverTo?: string;
}

/** The options, checked and with their defaults. */
export interface DeliverySettings {
  readonly timeoutMs: number;
  readonly maxConcurrent: number;
  readonly retryWaitsMs: readonly number[];
  readonly deliverTo: string | undefined;
}

const defaultWaitsSeconds = [0.5, 1, 2, 4, 8, 16, 32, 60, 60];

/** Fills in the defaults; throws when an option does not fit. */
export function readDeliveryOptions(options: DeliveryOptions = {}): DeliverySettings {
  const { timeoutSeconds = 15, maxConcurrent = 16, deliverTo } = options;
  const waitsSeconds = options.retryWaitsSeconds ?? defaultWaitsSeconds;
  if (!(timeoutSeconds > 0) || !Number.isSafeInteger(maxConcurrent) || maxConcurrent < 1) {
    throw new RangeError("deliveries: timeoutSeconds must be over 0, maxConcurrent at least 1.");
  }
  if (!waitsSeconds.every((wait) => wait >= 0 && wait <= 86_400)) {
    throw new RangeError("deliveries: retryWaitsSeconds must be 0 to 86400 each.");
  }
  if (deliverTo !== undefined && !isOrigin(deliverTo)) {
    throw new TypeError('deliveries: deliverTo must be an origin like "http://127.0.0.1:9000".');
  }
  return {
    timeoutMs: timeoutSeconds * 1000,
    maxConcurrent,
    retryWaitsMs: waitsSeconds.map((wait) => wait * 1000),
    deliverTo,
  };
}

/** Where a notification goes that is meant for the `url` of a subscription. */
export function addressOf(url: string, { deliverTo }: DeliverySettings): string {
  if (deliverTo === undefined) {
    return url;
  }
  const { pathname, search } = new URL(url);
  // Not resolved as a reference: a path of "//host" would name another host.
  return new URL(deliverTo).origin + pathname + search;
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/]+\/?$/.test(text) && URL.canParse(text);
}
