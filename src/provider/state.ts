import { isPathSegment } from "../common/identifier.js";
import { sensitivePartsOfUrl } from "../common/redact.js";
import { replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import type { WebhookAddress } from "./run-state.js";
import { normalizeBaseUrl, validateBaseUrl } from "./urls.js";
import { type Properties, unwrapSecret } from "./values.js";

// Nothing is sent to a base URL from the state, so it may use `http:`.
const anyScheme = { allowInsecureBaseUrl: true };

/** Returns what Pulumi stores besides the secret: the arguments that define the webhook, and the base URL. */
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
  if (typeof baseUrl !== "string" || validateBaseUrl(baseUrl, anyScheme) !== undefined) {
    return undefined;
  }
  const stored = normalizeBaseUrl(baseUrl);
  return settings?.formerBaseUrls.includes(stored) ? settings.baseUrl : stored;
}

/** Returns the id that the argument `adopt` names, as a string, or `undefined` without that argument. */
export function idToAdopt({ adopt }: Properties): string | undefined {
  if (adopt === undefined || adopt === null) {
    return undefined;
  }
  // An argument that is not known yet is a marker, which stands for its id.
  return String(typeof adopt === "object" ? (adopt as { id?: unknown }).id : adopt);
}

/** Returns the values that no message may show: the API key, and those among arguments or state. */
export function sensitiveValues({ url, secret, adopt }: Properties, apiKey?: string): string[] {
  const adopted = unwrapSecret(adopt) as { secret?: unknown } | null | undefined;
  const isString = (value: unknown) => typeof value === "string";
  return [
    ...[apiKey, secret, adopted?.secret].map(unwrapSecret).filter(isString),
    ...[unwrapSecret(url)].filter(isString).flatMap(sensitivePartsOfUrl),
  ];
}
