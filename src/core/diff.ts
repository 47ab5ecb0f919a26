import { shownValue } from "../common/redact.js";
import { isAbsoluteHttpUrl, normalizeBaseUrl } from "../common/url.js";
import { nameOfWebhook } from "../service/advice.js";
import { type AccountSettings, nameOfSetting } from "../service/settings.js";
import { argumentsThat } from "./arguments.js";
import { idToAdopt } from "./state.js";
import { isUnknown, normalizeEvents, type Properties } from "./values.js";

/** A property that forces the replacement of a webhook, and why. */
export interface Difference {
  readonly property: string;
  readonly reason: string;
}

/** What differs between the state and the arguments. */
export interface Comparison {
  /** What forces a replacement. */
  readonly differences: readonly Difference[];
  /** Arguments with a new value that never reaches the service. */
  readonly localChanges: readonly string[];
}

/**
 * Compares stored outputs with checked arguments and the configured base URL, where that is all right.
 * A stored webhook without a secret is replaced too.
 *
 * @param ignored Paths of arguments whose changes the program ignores.
 */
export function compareWebhook(
  id: string,
  olds: Properties,
  news: Properties,
  settings: AccountSettings | undefined,
  ignored: readonly string[] = [],
): Comparison {
  const differences: Difference[] = [];
  for (const property of replacing) {
    if (isIgnored(property, ignored)) {
      continue;
    }
    if (isUnknown(news[property])) {
      differences.push({ property, reason: `${property} is not known yet` });
    } else if (!isSame(olds[property], news[property])) {
      differences.push({ property, reason: `${property} changes` });
    }
  }
  if (settings !== undefined && !isSameService(olds.baseUrl, settings)) {
    differences.push({ property: "baseUrl", reason: baseUrlReason(olds.baseUrl, settings) });
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
  const localChanges = local.filter((name) => !isSame(olds[name], news[name]));
  return { differences, localChanges };
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

const replacing = argumentsThat("replace");
const local = argumentsThat("local");

/** Says, before it happens, what replaces a webhook and what that means. */
export function replacementWarning(
  id: string,
  olds: Properties,
  differences: readonly Difference[],
): string {
  return `Replacing ${nameOfWebhook(id, olds.databaseId)}: ${reasonsOf(differences)}. Its secret will change. The old webhook and its secret keep working until the end of the update; with deleteBeforeReplace they are deleted first, with retainOnDelete they stay.`;
}

/** Says of an import why Pulumi refuses it: after the option `import` it replaces nothing. */
export function importWarning(
  id: string,
  olds: Properties,
  differences: readonly Difference[],
): string {
  return `The program does not declare ${nameOfWebhook(id, olds.databaseId)} as the service has it: ${reasonsOf(differences)}. Pulumi replaces no webhook that it imports. Declare it as it is there, and change it after the import.`;
}

/** The reasons of a replacement, for a message. */
export function reasonsOf(differences: readonly Difference[]): string {
  return differences.map(({ reason }) => reason).join(", ");
}

function isSame(old: unknown, next: unknown): boolean {
  if (Array.isArray(old) && Array.isArray(next)) {
    const isEqual = old.length === next.length && old.every((item, at) => item === next[at]);
    return (
      isEqual || JSON.stringify(normalizeEvents(old)) === JSON.stringify(normalizeEvents(next))
    );
  }
  return (old ?? undefined) === (next ?? undefined);
}

function isSameService(old: unknown, { baseUrl, formerBaseUrls }: AccountSettings): boolean {
  if (old === baseUrl) {
    return true;
  }
  const stored = typeof old === "string" && URL.canParse(old) ? normalizeBaseUrl(old) : undefined;
  return stored !== undefined && [baseUrl, ...formerBaseUrls].includes(stored);
}

function baseUrlReason(old: unknown, settings: AccountSettings): string {
  const key = nameOfSetting(settings, "baseUrl");
  const from = typeof old === "string" && isAbsoluteHttpUrl(old) ? ` from ${shownValue(old)}` : "";
  return `${key} changes${from} to ${shownValue(settings.baseUrl)} (if the same service has moved, set dbwebhooks:formerBaseUrls to the former address)`;
}
