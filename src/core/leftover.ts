import { once } from "node:events";
import { shownValue } from "../common/redact.js";
import { unmanagedAdvice } from "../service/advice.js";
import { type Account, listWebhooks, type NewWebhook } from "../service/client.js";
import type { Operation } from "../service/operation.js";
import { driftOf } from "./drift.js";
import type { Ledger } from "./ledger.js";

const maxShown = 5;

/** What a creation in doubt may have left at the service. */
export interface Leftovers {
  /** Webhooks like the declared one that this run did not know. */
  readonly ids: readonly string[];
  /** Whether the service listed all its webhooks. */
  readonly isWhole: boolean;
}

/**
 * Looks for what a creation in doubt may have left: with `listing`, once, until Pulumi stops. The
 * webhooks that it finds may belong to somebody else, or to another creation in flight, so they are
 * never deleted.
 */
export async function lookForLeftovers(
  account: Account,
  ledger: Ledger,
  operation: Operation,
  webhook: NewWebhook,
): Promise<Leftovers> {
  const { databaseId } = webhook;
  const { stopping } = account.transport;
  if (!account.settings.listing || stopping.aborted) {
    return { ids: [], isWhole: false };
  }
  // The time of the creation may be over.
  const lookup = operation.withoutTimeLimit();
  const list = await unlessAborted(stopping, listWebhooks(account, lookup, databaseId));
  const ids = (list?.webhooks ?? [])
    .filter((listed) => Object.keys(driftOf(listed, webhook)).length === 0)
    .map(({ id }) => id)
    .filter((id) => !ledger.knows({ databaseId, id }));
  return { ids, isWhole: list?.isWhole === true };
}

/** What to do about it, for a message. */
export function leftoverAdvice(
  { ids, isWhole }: Leftovers,
  { databaseId, url }: NewWebhook,
): string {
  if (ids.length > 0) {
    const shown = ids.slice(0, maxShown).map(shownValue).join(", ");
    const more = ids.length > maxShown ? ` and ${ids.length - maxShown} more` : "";
    return `A webhook may exist in database ${shownValue(databaseId)} without a stored secret. The service lists webhooks with the same url, events and table that this run had not met by then: ${shown}${more}. A creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again.`;
  }
  const notListed = isWhole
    ? "The service lists no such webhook now, but it may still appear. "
    : "";
  return `${notListed}${unmanagedAdvice(databaseId, url)}`;
}

/** What a promise gives, or nothing as soon as a signal aborts. */
async function unlessAborted<Result>(
  signal: AbortSignal,
  promise: Promise<Result>,
): Promise<Result | undefined> {
  const settled = new AbortController();
  const noResult = () => undefined;
  const aborted = once(signal, "abort", { signal: settled.signal }).then(noResult, noResult);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}
