// What differs between a stored webhook and the program. Nothing here throws, warns or remembers.
import { idToAdopt, normalizeEvents, replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import { baseUrlLabel } from "./messages/replacement.js";
import { addressOf, type WebhookState } from "./state.js";
import { isSameUrl } from "./url-rules.js";
import { isUnknown, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook, and its name in messages, with details. */
export interface Difference {
  readonly property: string;
  readonly label: string;
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
  for (const property of replacingArguments) {
    if (isIgnored(property, ignored)) {
      continue;
    }
    if (isUnknown(news[property])) {
      differences.push({ property, label: `${property} (not known yet)` });
    } else if (!isSame(property, state[property], news[property])) {
      differences.push({ property, label: property });
    }
  }
  const baseUrl = addressOf(id, state, settings)?.baseUrl;
  if (settings !== undefined && baseUrl !== settings.baseUrl) {
    const label = baseUrlLabel(baseUrl, settings.baseUrl);
    differences.push({ property: "baseUrl", label });
  }
  const adopted = idToAdopt(news);
  if (isUnknown(adopted)) {
    differences.push({ property: "adopt", label: "adopt.id (not known yet)" });
  } else if (adopted !== undefined && adopted !== id) {
    differences.push({ property: "adopt", label: "adopt.id" });
  }
  if (state.secret === undefined) {
    differences.push({ property: "secret", label: "secret (missing in the state)" });
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
