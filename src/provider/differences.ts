// What differs between a stored webhook and the program. Nothing here throws, warns or remembers.
import { shownValue } from "../common/redact.js";
import { idToAdopt, normalizeEvents, replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import { addressOf, type WebhookState } from "./state.js";
import { isSameUrl } from "./url-rules.js";
import { isUnknown, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook. */
export interface Difference {
  readonly property: string;
  /** The property in messages, with details. */
  readonly label: string;
  /** Whether the new value is not known yet, so that it may turn out to be the same. */
  readonly isUnknown: boolean;
}

/** A stored webhook and the arguments that the program declares for it. */
export interface Comparison {
  readonly id: string;
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
  id,
  state,
  news,
  settings,
  ignored = [],
}: Comparison): readonly Difference[] {
  const differences: Difference[] = [];
  const add = (property: string, label: string, value?: unknown) => {
    const hasUnknown = isUnknown(value);
    const shown = hasUnknown ? `${label} (not known yet)` : label;
    differences.push({ property, label: shown, isUnknown: hasUnknown });
  };
  for (const property of replacingArguments) {
    const value = news[property];
    const isDifferent = isUnknown(value) || !isSame(property, state[property], value);
    if (isDifferent && !isIgnored(property, ignored)) {
      add(property, property, value);
    }
  }
  const baseUrl = addressOf(id, state)?.baseUrl;
  if (settings !== undefined && baseUrl !== settings.baseUrl) {
    const from = baseUrl === undefined ? "" : `from ${shownValue(baseUrl)} `;
    add("baseUrl", `baseUrl (${from}to ${shownValue(settings.baseUrl)})`);
  }
  const adopted = idToAdopt(news);
  if (adopted !== undefined && adopted !== id) {
    add("adopt", "adopt.id", adopted);
  }
  if (state.secret === undefined) {
    add("secret", "secret (missing in the state)");
  }
  return differences;
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
 * Whether the program ignores an argument as a whole. Pulumi has already applied a path into an argument,
 * such as `events[0]`, to the new arguments.
 *
 * Source of the spellings: `ParsePropertyPath` in `sdk/go/common/resource/property_path.go` of
 * pulumi/pulumi.
 */
function isIgnored(property: string, ignored: readonly string[]): boolean {
  return ignored.some((path) => [property, `["${property}"]`, "*", "[*]"].includes(path));
}
