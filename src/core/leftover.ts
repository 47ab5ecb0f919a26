import { once } from "node:events";
import { shownValue } from "../common/redact.js";
import { unmanagedAdvice } from "../service/advice.js";
import { type Account, listWebhooks, type NewWebhook } from "../service/client.js";
import type { Operation } from "../service/operation.js";
import { driftOf } from "./drift.js";
import type { Ledger } from "./ledger.js";

const maxShown = 5;

/**
 * Says what a creation in doubt may have left at the service, and what to do. With `listing` the
 * service is asked once, and webhooks like it that this run does not know yet are named. They may belong
 * to somebody else, or to another creation in flight, so they are never deleted.
 */
export async function leftoverAdvice(
  account: Account,
  ledger: Ledger,
  operation: Operation,
  webhook: NewWebhook,
  stopping: AbortSignal,
): Promise<string> {
  const { databaseId, url } = webhook;
  if (!account.settings.listing || stopping.aborted) {
    return unmanagedAdvice(databaseId, url);
  }
  // The time of the creation may be over: the list has its own. When Pulumi stops, there is none.
  const lookup = operation.named(operation.name);
  const stopped = once(stopping, "abort").then(() => undefined);
  const list = await Promise.race([listWebhooks(account, lookup, databaseId), stopped]);
  const { webhooks = [], isWhole } = list ?? {};
  const ids = webhooks
    .filter((listed) => Object.keys(driftOf(listed, webhook)).length === 0)
    .map(({ id }) => id)
    .filter((id) => !ledger.knows({ databaseId, id }));
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
