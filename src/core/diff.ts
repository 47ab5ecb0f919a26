import { normalizeBaseUrl } from "../common/url.js";
import { nameOfWebhook } from "../service/advice.js";
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
 * Compares stored outputs with checked arguments and the configured base URL, where that is known.
 * A stored webhook without a secret is replaced too.
 */
export function compareWebhook(
  id: string,
  olds: Properties,
  news: Properties,
  baseUrl: string | undefined,
): Comparison {
  const differences: Difference[] = [];
  for (const property of replacing) {
    if (isUnknown(news[property])) {
      differences.push({ property, reason: `${property} is not known yet` });
    } else if (!isSame(olds[property], news[property])) {
      differences.push({ property, reason: `${property} changes` });
    }
  }
  if (baseUrl !== undefined && !isSameBaseUrl(olds.baseUrl, baseUrl)) {
    differences.push({ property: "baseUrl", reason: "dbwebhooks:baseUrl changes" });
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

function isSameBaseUrl(old: unknown, next: string): boolean {
  return (
    old === next || (typeof old === "string" && URL.canParse(old) && normalizeBaseUrl(old) === next)
  );
}
