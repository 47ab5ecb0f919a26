// Compares a stored webhook with the program, and with the list of the service. Nothing here
// throws, warns or remembers.
import type { ListedWebhook } from "../../api/schemas.js";
import { shownValue } from "../../common/plain-text.js";
import { normalizeUrl } from "../../common/url-rules.js";
import { type WebhookField, webhookFields } from "../../common/webhook-fields.js";
import { normalizeEvents } from "./arguments.js";
import type { WebhookState } from "./state.js";
import { hasMarker, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook. */
interface Difference {
  readonly property: string;
  /** The property in messages, with details. */
  readonly label: string;
}

/**
 * Lists what forces a replacement. A stored webhook without a secret is replaced too.
 *
 * @param news The checked arguments. Some can be markers of values that are not known yet.
 * @param ignored The paths of `ignoreChanges`, where Pulumi has not applied them.
 */
export function compareWebhook(
  state: WebhookState,
  news: Properties,
  ignored: readonly string[] = [],
): readonly Difference[] {
  const differences: Difference[] = webhookFields
    .filter((name) => hasMarker(news[name]) || !isSame(name, state[name], news[name]))
    .filter((name) => !isIgnored(name, ignored))
    .map((property) => ({ property, label: labelOf(property, news[property]) }));
  return state.secret === undefined
    ? [...differences, { property: "secret", label: "secret (missing in the state)" }]
    : differences;
}

/** Returns the difference of a webhook that moves to the provider of another base URL. */
export function baseUrlDifference(from: string, to: string): Difference {
  const label = `baseUrl (from ${shownValue(from)} to ${shownValue(to)})`;
  return { property: "baseUrl", label };
}

function labelOf(property: WebhookField, value: unknown): string {
  if (hasMarker(value)) {
    return `${property} (not known yet)`;
  }
  const isDropped = property === "tableId" && (value ?? undefined) === undefined;
  return isDropped ? "tableId (now all tables)" : property;
}

/** The fields that a list shows: all but the database, for which it was requested. */
export const listedFields = webhookFields.filter((name) => name !== "databaseId");

/** The fields in which a listed webhook differs from the state, with the service's values. */
export type Drift = Partial<Pick<ListedWebhook, (typeof listedFields)[number]>>;

/** Returns the drift of a webhook. A table that the list does not show is not compared. */
export function driftOf(listed: ListedWebhook, state: WebhookState): Drift {
  const changed = listedFields.filter(
    (name) => name in listed && !isSame(name, listed[name], state[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, listed[name]]));
}

/** Whether two values of an argument mean the same, such as events in another order. */
export function isSame(property: string, old: unknown, next: unknown): boolean {
  return comparable(property, old) === comparable(property, next);
}

/** Returns one value for all values of an argument that mean the same. */
function comparable(property: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    return JSON.stringify(normalizeEvents(value));
  }
  return property === "url" && typeof value === "string"
    ? normalizeUrl(value)
    : (value ?? undefined);
}

/**
 * Whether the program ignores an argument as a whole. Pulumi has already applied a path into an
 * argument, such as `events[0]`, to the new arguments.
 *
 * Source of the spellings: `ParsePropertyPath` in `sdk/go/common/resource/property_path.go` of
 * pulumi/pulumi.
 */
function isIgnored(property: string, ignored: readonly string[]): boolean {
  return ignored.some((path) => [property, `["${property}"]`, "*", "[*]"].includes(path));
}
