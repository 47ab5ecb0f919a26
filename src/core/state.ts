import { sensitivePartsOfUrl } from "../common/redact.js";
import { isPathSegment, normalizeBaseUrl, problemOfBaseUrl } from "../common/url.js";
import type { WebhookAddress } from "../service/client.js";
import type { AccountSettings } from "../service/settings.js";
import { bareValue, type Properties } from "./values.js";

/** What Pulumi stores of a webhook: the arguments as checked, the base URL and the secret. */
export function stateOf(inputs: Properties, baseUrl: string): Properties {
  const { adopt: _adopt, ...stored } = inputs;
  return { ...stored, baseUrl };
}

/**
 * Where a webhook is, by its id and its state; `undefined` where these do not tell. One that was created
 * at a former base URL of the service is at today's.
 */
export function addressOf(
  id: string,
  state: Properties,
  settings: AccountSettings | undefined,
): WebhookAddress | undefined {
  const { databaseId, baseUrl } = state;
  const isUsable =
    isPathSegment(id) &&
    typeof databaseId === "string" &&
    isPathSegment(databaseId) &&
    typeof baseUrl === "string" &&
    problemOfBaseUrl(baseUrl, true) === undefined;
  if (!isUsable) {
    return undefined;
  }
  const stored = normalizeBaseUrl(baseUrl);
  const isFormer = settings?.formerBaseUrls.includes(stored) === true;
  return { baseUrl: isFormer ? settings.baseUrl : stored, databaseId, id };
}

/** The id of the webhook to take over, as text; nothing without the argument `adopt`. */
export function idToAdopt({ adopt }: Properties): string | undefined {
  if (adopt === undefined || adopt === null) {
    return undefined;
  }
  return String(typeof adopt === "object" ? (adopt as { id?: unknown }).id : adopt);
}

/** The values among arguments or state that no message may show. */
export function hiddenValues({ url, secret, adopt }: Properties): string[] {
  const adopted = bareValue(adopt) as { secret?: unknown } | null | undefined;
  return [
    ...[secret, adopted?.secret].map(bareValue).filter((value) => typeof value === "string"),
    ...[bareValue(url)].flatMap((value) =>
      typeof value === "string" ? sensitivePartsOfUrl(value) : [],
    ),
  ];
}
