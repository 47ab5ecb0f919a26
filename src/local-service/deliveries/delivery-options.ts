import * as z from "zod/mini";
import { isAbsoluteHttpUrl } from "../../common/url.js";
import { checkOption } from "../problems.js";

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
   * the webhook's `url`; path and query stay. For tests that must not reach the real receivers.
   * Default: the `url` of each webhook.
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

/** Fills in the defaults; throws a TypeError that names every option that does not fit. */
export function readDeliveryOptions(options: DeliveryOptions = {}): DeliverySettings {
  const { timeoutSeconds, maxConcurrent, retryWaitsSeconds, deliverTo } = checkOption(
    "deliveries",
    deliveryOptions,
    options,
  );
  return {
    timeoutMs: timeoutSeconds * 1000,
    maxConcurrent,
    retryWaitsMs: retryWaitsSeconds.map((wait) => wait * 1000),
    deliverTo,
  };
}

const timeoutMessage = "must be a number of seconds over 0";
const maxConcurrentMessage = "must be a whole number of at least 1";
const waitMessage = "must be a number of seconds from 0 to 86400";

const deliveryOptions = z.object({
  timeoutSeconds: z._default(z.number(timeoutMessage).check(z.positive(timeoutMessage)), 15),
  maxConcurrent: z._default(
    z.int(maxConcurrentMessage).check(z.positive(maxConcurrentMessage)),
    16,
  ),
  retryWaitsSeconds: z._default(
    z.array(
      z.number(waitMessage).check(z.nonnegative(waitMessage), z.maximum(86_400, waitMessage)),
      "must be a list of seconds",
    ),
    [0.5, 1, 2, 4, 8, 16, 32, 60, 60],
  ),
  deliverTo: z.optional(
    z.string().check(z.refine(isOrigin, 'must be an origin, such as "http://127.0.0.1:9000"')),
  ),
});

/** The address for a notification to a webhook's `url`. */
export function deliveryAddress(url: string, { deliverTo }: DeliverySettings): string {
  if (deliverTo === undefined) {
    return url;
  }
  const { pathname, search } = new URL(url);
  // Joined as text: resolving the path "//host" would give another host.
  return new URL(deliverTo).origin + pathname + search;
}

function isOrigin(text: string): boolean {
  return isAbsoluteHttpUrl(text) && /^https?:\/\/[^/?#@]+\/?$/i.test(text);
}
