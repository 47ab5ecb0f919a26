import { normalizeBaseUrl } from "../common/url.js";
import type { Properties } from "./state.js";
import { isUnknown } from "./values.js";

/** A property that forces the replacement of a webhook, and why. */
export interface Difference {
  readonly property: string;
  readonly reason: string;
}

/**
 * Compares stored outputs with checked arguments. All differences replace the webhook, because no
 * update operation is fully described by the service's interface (part 4.3).
 */
export function diffWebhook(
  id: string,
  olds: Properties,
  news: Properties,
  baseUrl: string | undefined,
): Difference[] {
  const differences: Difference[] = [];
  for (const property of ["databaseId", "url", "events", "tableId"]) {
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
  return differences;
}

/** The id of the webhook to take over, as text; nothing without the argument `adopt`. */
export function idToAdopt({ adopt }: Properties): string | undefined {
  if (adopt === undefined || adopt === null) {
    return undefined;
  }
  return String(typeof adopt === "object" ? (adopt as { id?: unknown }).id : adopt);
}

/** Sorts events and drops duplicates, once all are known: their order means nothing. */
export function normalizeEvents(events: unknown): unknown {
  return Array.isArray(events) && !isUnknown(events) ? [...new Set(events)].sort() : events;
}

function isSame(old: unknown, next: unknown): boolean {
  if (Array.isArray(old) && Array.isArray(next)) {
    return JSON.stringify(normalizeEvents(old)) === JSON.stringify(normalizeEvents(next));
  }
  return (old ?? undefined) === (next ?? undefined);
}

function isSameBaseUrl(old: unknown, next: string): boolean {
  return typeof old === "string" && URL.canParse(old) && normalizeBaseUrl(old) === next;
}
