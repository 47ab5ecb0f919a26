// What differs between a stored webhook and the program. Nothing here throws, warns or remembers.
import { shownValue } from "../../common/plain-text.js";
import { normalizeEvents, type ReplacingArgument, replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import type { WebhookState } from "./state.js";
import { isSameUrl } from "./url-rules.js";
import { isUnknown, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook. */
export interface Difference {
  readonly property: string;
  /** The property in messages, with details. */
  readonly label: string;
}

/** A stored webhook and the arguments that the program declares for it. */
export interface Comparison {
  readonly state: WebhookState;
  /** The checked arguments. Some can be markers of values that are not known yet. */
  readonly news: Properties;
  /** The settings of the provider, if they are valid. */
  readonly settings: Settings | undefined;
  /** The paths of `ignoreChanges`, where Pulumi has not applied them. */
  readonly ignored?: readonly string[] | undefined;
}

/** Lists what forces a replacement. A stored webhook without a secret is replaced too. */
export function compareWebhook({
  state,
  news,
  settings,
  ignored = [],
}: Comparison): readonly Difference[] {
  const differences: Difference[] = replacingArguments
    .filter((name) => isUnknown(news[name]) || !isSame(name, state[name], news[name]))
    .filter((name) => !isIgnored(name, ignored))
    .map((property) => ({ property, label: labelOf(property, news[property]) }));
  if (settings !== undefined && state.baseUrl !== settings.baseUrl) {
    const addresses = [state.baseUrl ?? "none", settings.baseUrl].map(shownValue);
    differences.push({ property: "baseUrl", label: `baseUrl (from ${addresses.join(" to ")})` });
  }
  if (state.secret === undefined) {
    differences.push({ property: "secret", label: "secret (missing in the state)" });
  }
  return differences;
}

function labelOf(property: ReplacingArgument, value: unknown): string {
  if (isUnknown(value)) {
    return `${property} (not known yet)`;
  }
  const isDropped = property === "tableId" && (value ?? undefined) === undefined;
  return isDropped ? "tableId (now all tables)" : property;
}

/** Whether two values of an argument mean the same, such as events in another order. */
export function isSame(property: string, old: unknown, next: unknown): boolean {
  if (property === "url" && typeof old === "string" && typeof next === "string") {
    return isSameUrl(old, next);
  }
  if (Array.isArray(old) && Array.isArray(next)) {
    return JSON.stringify(normalizeEvents(old)) === JSON.stringify(normalizeEvents(next));
  }
  return (old ?? undefined) === (next ?? undefined);
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
