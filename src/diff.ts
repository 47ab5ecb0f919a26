import type { Properties } from "./properties.js";
import { oneLine } from "./redact.js";
import { isUnknown } from "./unknown.js";
import { normalizeBaseUrl } from "./url.js";

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
  if (typeof olds.secret !== "string" || olds.secret === "") {
    differences.push({ property: "secret", reason: "its state holds no secret" });
  }
  return differences;
}

/** Says, before it happens, what replaces a webhook and what that means. */
export function replacementText(
  id: string,
  olds: Properties,
  differences: readonly Difference[],
): string {
  const reasons = differences.map(({ reason }) => reason).join(", ");
  const databaseId = typeof olds.databaseId === "string" ? oneLine(olds.databaseId, 100) : "?";
  return `Webhook ${oneLine(id, 100)} of database ${databaseId} has to be replaced: ${reasons}. Its secret will change; the old webhook and its secret keep working until the end of the update (not with deleteBeforeReplace).`;
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
