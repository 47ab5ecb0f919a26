import { isPathSegment } from "../common/identifier.js";
import { sensitivePartsOfUrl } from "../common/redact.js";
import { replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import type { WebhookAddress } from "./run-state.js";
import { normalizeBaseUrl, validateBaseUrl } from "./urls.js";
import { type Properties, unwrapSecret } from "./values.js";

/** Returns what Pulumi stores besides the secret: the arguments that were sent, and the base URL. */
export function stateOf(inputs: Properties, baseUrl: string): Properties {
  const stored = Object.entries(inputs).filter(([name]) => replacingArguments.includes(name));
  return { ...Object.fromEntries(stored), baseUrl };
}

/** Returns where a webhook is, or `undefined` if its id and its state do not say so. */
export function addressOf(
  id: string,
  state: Properties,
  settings: Settings | undefined,
): WebhookAddress | undefined {
  const { databaseId } = state;
  const baseUrl = currentBaseUrl(state, settings);
  if (typeof databaseId !== "string" || ![id, databaseId].every(isPathSegment) || !baseUrl) {
    return undefined;
  }
  return { baseUrl, databaseId, id };
}

/**
 * Returns the base URL at which a stored webhook is now, unless the state holds none. A webhook that was
 * created at a former base URL of the service is at today's base URL.
 */
export function currentBaseUrl(
  { baseUrl }: Properties,
  settings: Settings | undefined,
): string | undefined {
  if (typeof baseUrl !== "string" || validateBaseUrl(baseUrl, true) !== undefined) {
    return undefined;
  }
  const stored = normalizeBaseUrl(baseUrl);
  return settings?.formerBaseUrls.includes(stored) ? settings.baseUrl : stored;
}

/** Returns the id of the webhook that `adopt` names as text, or `undefined` without `adopt`. */
export function adoptedId({ adopt }: Properties): string | undefined {
  if (adopt === undefined || adopt === null) {
    return undefined;
  }
  return String(typeof adopt === "object" ? (adopt as { id?: unknown }).id : adopt);
}

/** Returns the API key and the values among arguments or state that no message may show. */
export function hiddenValues({ url, secret, adopt }: Properties, apiKey?: string): string[] {
  const adopted = unwrapSecret(adopt) as { secret?: unknown } | null | undefined;
  const isText = (value: unknown) => typeof value === "string";
  return [
    ...[apiKey, secret, adopted?.secret].map(unwrapSecret).filter(isText),
    ...[unwrapSecret(url)].filter(isText).flatMap(sensitivePartsOfUrl),
  ];
}
