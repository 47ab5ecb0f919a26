import type { WebhookAddress } from "../api/client.js";
import { isPathSegment } from "../common/identifier.js";
import { sensitivePartsOfUrl } from "../common/redact.js";
import { normalizeBaseUrl, problemOfBaseUrl } from "../common/url.js";
import { replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import { bareValue, type Properties } from "./values.js";

/** What Pulumi stores of a webhook besides its secret: what the service has, and the base URL. */
export function stateOf(inputs: Properties, baseUrl: string): Properties {
  const stored = Object.entries(inputs).filter(([name]) => replacingArguments.includes(name));
  return { ...Object.fromEntries(stored), baseUrl };
}

/** Where a webhook is, by its state. */
export interface StoredAddress extends WebhookAddress {
  /**
   * Whether the API key may not be sent there. Whoever can write to the state decides about it, so it
   * never decides where the key goes.
   */
  readonly isElsewhere: boolean;
}

/** Where a webhook is, by its id and its state; `undefined` where these do not tell. */
export function addressOf(
  id: string,
  state: Properties,
  settings: Settings | undefined,
): StoredAddress | undefined {
  const { databaseId } = state;
  const baseUrl = currentBaseUrl(state, settings);
  if (typeof databaseId !== "string" || ![id, databaseId].every(isPathSegment) || !baseUrl) {
    return undefined;
  }
  const known = [settings?.baseUrl, ...(settings?.otherBaseUrls ?? [])];
  return { baseUrl, databaseId, id, isElsewhere: !known.includes(baseUrl) };
}

/**
 * The base URL at which a stored webhook is; `undefined` where the state holds none. One that was
 * created at a former base URL of the service is at today's.
 */
export function currentBaseUrl(
  { baseUrl }: Properties,
  settings: Settings | undefined,
): string | undefined {
  if (typeof baseUrl !== "string" || problemOfBaseUrl(baseUrl, true) !== undefined) {
    return undefined;
  }
  const stored = normalizeBaseUrl(baseUrl);
  return settings?.formerBaseUrls.includes(stored) ? settings.baseUrl : stored;
}

/** The id of the webhook to take over, as text; nothing without the argument `adopt`. */
export function idToAdopt({ adopt }: Properties): string | undefined {
  if (adopt === undefined || adopt === null) {
    return undefined;
  }
  return String(typeof adopt === "object" ? (adopt as { id?: unknown }).id : adopt);
}

/** The API key, and the values among arguments or state that no message may show. */
export function hiddenValues({ url, secret, adopt }: Properties, apiKey?: string): string[] {
  const adopted = bareValue(adopt) as { secret?: unknown } | null | undefined;
  const isText = (value: unknown) => typeof value === "string";
  return [
    ...[apiKey, secret, adopted?.secret].map(bareValue).filter(isText),
    ...[bareValue(url)].filter(isText).flatMap(sensitivePartsOfUrl),
  ];
}
