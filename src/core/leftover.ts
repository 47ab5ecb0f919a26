import { shownValue } from "../common/redact.js";
import { unmanagedAdvice } from "../service/advice.js";
import { type Account, listWebhooks, type NewWebhook } from "../service/client.js";
import type { HttpOutcome } from "../service/http.js";
import type { Operation } from "../service/operation.js";
import { isTransient } from "../service/outcomes.js";
import { driftOf } from "./drift.js";
import type { Ledger } from "./ledger.js";

const maxShown = 5;

/**
 * Says what a creation in doubt may have left at the service, and what to do. With `listing` the
 * service is asked once, and webhooks like it that this run does not know are named. They may belong to
 * somebody else, so they are never deleted.
 */
export async function leftoverAdvice(
  account: Account,
  ledger: Ledger,
  operation: Operation,
  webhook: NewWebhook,
  stopping: AbortSignal,
): Promise<string> {
  const { databaseId, url } = webhook;
  const { baseUrl, listing } = account.settings;
  if (!listing) {
    return unmanagedAdvice(databaseId, url);
  }
  // When Pulumi stops, there is no time to try again.
  const mayRetry = (outcome: HttpOutcome) => isTransient(outcome) && !stopping.aborted;
  const { webhooks = [], isWhole } = await listWebhooks(account, operation, databaseId, mayRetry);
  const ids = webhooks
    .filter((listed) => Object.keys(driftOf(listed, webhook)).length === 0)
    .map(({ id }) => id)
    .filter((id) => !ledger.knows({ baseUrl, databaseId, id }));
  if (ids.length > 0) {
    const shown = ids.slice(0, maxShown).map(shownValue).join(", ");
    const more = ids.length > maxShown ? ` and ${ids.length - maxShown} more` : "";
    return `A webhook may exist in database ${shownValue(databaseId)} without a stored secret. The service lists these webhooks with the same url, events and table, and this run does not manage them: ${shown}${more}. Delete the unmanaged one. Then run "pulumi up" again.`;
  }
  const notListed = isWhole
    ? "The service lists no such webhook now, but it may still appear. "
    : "";
  return `${notListed}${unmanagedAdvice(databaseId, url)}`;
}
