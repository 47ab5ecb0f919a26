// The state of a webhook: what Pulumi stores, parsed once.
import { isPathSegment } from "../common/identifier.js";
import { sensitivePartsOfUrl } from "../common/redact.js";
import type { Settings } from "./config.js";
import type { WebhookAddress } from "./run-state.js";
import { normalizeBaseUrl, validateBaseUrl } from "./url-rules.js";
import { type Properties, unwrapSecret } from "./values.js";

// Nothing is sent to a base URL from the state, so it may use `http:`.
const anyScheme = { allowInsecureBaseUrl: true };

/** What Pulumi stores of a webhook. Whoever can write the state can edit it, so every field can be missing. */
export interface WebhookState {
  readonly databaseId?: string | undefined;
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly tableId?: string | undefined;
  /** Normalized. `undefined` if the state holds no valid one. */
  readonly baseUrl?: string | undefined;
  readonly secret?: string | undefined;
}

/** Reads the outputs of a webhook. Some versions of Pulumi pass secrets in their envelopes. */
export function parseState(props: Properties): WebhookState {
  const text = (name: string) => {
    const value = unwrapSecret(props[name]);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const events = unwrapSecret(props.events);
  const baseUrl = text("baseUrl");
  return {
    databaseId: text("databaseId"),
    url: text("url"),
    events: isTextList(events) ? events : undefined,
    tableId: text("tableId"),
    baseUrl:
      baseUrl !== undefined && validateBaseUrl(baseUrl, anyScheme) === undefined
        ? normalizeBaseUrl(baseUrl)
        : undefined,
    secret: text("secret"),
    // A field that is missing here would be a difference in every update.
  } satisfies Record<keyof WebhookState, unknown>;
}

/**
 * Returns where a webhook is today, or `undefined` if its id and its state do not say so. A webhook that was
 * created at a former base URL of the service is at the current one.
 */
export function addressOf(
  id: string,
  { databaseId, baseUrl }: WebhookState,
  settings: Settings | undefined,
): WebhookAddress | undefined {
  if (databaseId === undefined || ![id, databaseId].every(isPathSegment) || baseUrl === undefined) {
    return undefined;
  }
  if (settings === undefined || baseUrl === settings.baseUrl) {
    return { baseUrl, databaseId, id };
  }
  const isFormer = settings.formerBaseUrls.includes(baseUrl);
  return { baseUrl: isFormer ? settings.baseUrl : baseUrl, databaseId, id, isFormer };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Returns the values that no message may show, of arguments or a state: secrets, and parts of the url. */
export function sensitiveValues({ url, secret, adopt }: Properties): string[] {
  const adopted = unwrapSecret(adopt) as { secret?: unknown } | null | undefined;
  const isString = (value: unknown) => typeof value === "string";
  return [
    ...[secret, adopted?.secret].map(unwrapSecret).filter(isString),
    ...[unwrapSecret(url)].filter(isString).flatMap(sensitivePartsOfUrl),
  ];
}
