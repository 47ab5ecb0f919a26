import { sensitivePartsOfUrl } from "../common/redact.js";
import { isPathSegment, normalizeBaseUrl, problemOfBaseUrl } from "../common/url.js";
import type { WebhookAddress } from "../service/client.js";
import { argumentsThat } from "./arguments.js";
import type { Settings } from "./config.js";
import { bareValue, type Properties } from "./values.js";

/** What Pulumi stores of a webhook besides its secret: what the service has, and the base URL. */
export function stateOf(inputs: Properties, baseUrl: string): Properties {
  const names: readonly string[] = argumentsThat("replace");
  const stored = Object.entries(inputs).filter(([name]) => names.includes(name));
  return { ...Object.fromEntries(stored), baseUrl };
}

/** Where a webhook is, by its state. */
export interface StoredAddress {
  readonly address: WebhookAddress;
  /**
   * Whether the API key may not be sent there. Whoever can write to the state decides about it, so it
   * never decides where the key goes.
   */
  readonly isElsewhere: boolean;
}

/**
 * Where a webhook is, by its id and its state; `undefined` where these do not tell. One that was created
 * at a former base URL of the service is at today's.
 */
export function addressOf(
  id: string,
  state: Properties,
  settings: Settings | undefined,
): StoredAddress | undefined {
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
  const isHere = stored === settings?.baseUrl || settings?.formerBaseUrls.includes(stored) === true;
  return {
    address: { baseUrl: isHere ? settings.baseUrl : stored, databaseId, id },
    isElsewhere: !isHere && settings?.otherBaseUrls.includes(stored) !== true,
  };
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
