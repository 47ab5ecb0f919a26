import { replacingArguments } from "./arguments.js";
import type { Settings } from "./config.js";
import { baseUrlReason } from "./messages.js";
import { currentBaseUrl, idToAdopt } from "./state.js";
import { isUnknown, normalizeEvents, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook, and why. */
export interface Difference {
  readonly property: string;
  readonly reason: string;
}

/**
 * Compares stored outputs with checked arguments and the configured base URL, where that is all right,
 * and returns what forces a replacement. A stored webhook without a secret is replaced too. `ignored`
 * are paths of arguments whose changes the program ignores.
 */
export function compareWebhook(
  id: string,
  olds: Properties,
  news: Properties,
  settings: Settings | undefined,
  ignored: readonly string[] = [],
): readonly Difference[] {
  const differences: Difference[] = [];
  for (const property of replacingArguments) {
    if (isIgnored(property, ignored)) {
      continue;
    }
    if (isUnknown(news[property])) {
      differences.push({ property, reason: `${property} is not known yet` });
    } else if (!isSame(olds[property], news[property])) {
      differences.push({ property, reason: `${property} changes` });
    }
  }
  const baseUrl = currentBaseUrl(olds, settings);
  if (settings !== undefined && baseUrl !== settings.baseUrl) {
    differences.push({ property: "baseUrl", reason: baseUrlReason(settings, baseUrl) });
  }
  const adoptedId = idToAdopt(news);
  if (isUnknown(adoptedId)) {
    differences.push({ property: "adopt", reason: "adopt.id is not known yet" });
  } else if (adoptedId !== undefined && adoptedId !== id) {
    differences.push({ property: "adopt", reason: "adopt.id names another webhook" });
  }
  if (typeof olds.secret !== "string" || olds.secret === "") {
    differences.push({ property: "secret", reason: "its state holds no secret" });
  }
  return differences;
}

/** A part of an argument, such as `events[0]`, has all of it ignored; `*` is every argument. */
function isIgnored(property: string, ignored: readonly string[]): boolean {
  return ignored.some((path) => [property, "*"].includes(firstName(path)));
}

/**
 * The first name of a path, in any spelling: `url`, `["url"]`, `*`, `[*]`.
 *
 * Source: `ParsePropertyPath` in `sdk/go/common/resource/property_path.go` of pulumi/pulumi.
 */
function firstName(path: string): string {
  const [, quoted, star, bare] = /^(?:\["([^"]*)"\]|\[(\*)\]|([^.[]+))/.exec(path) ?? [];
  return quoted ?? star ?? bare ?? "";
}

/** Whether two values mean the same: events in any order, and absent in any spelling. */
export function isSame(old: unknown, next: unknown): boolean {
  if (Array.isArray(old) && Array.isArray(next)) {
    return JSON.stringify(normalizeEvents(old)) === JSON.stringify(normalizeEvents(next));
  }
  return (old ?? undefined) === (next ?? undefined);
}
