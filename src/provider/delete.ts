import { deleteWebhook } from "../api/client.js";
import { mayHaveActed } from "../api/retry-policy.js";
import { lookUpAfterDeletion } from "./lookup.js";
import { failure } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { absentText, sparedText } from "./messages/notices.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";

/** Deletes a webhook that is in the state. Throws unless it is certainly gone, or has another resource now. */
export async function deleteManagedWebhook(
  context: Context,
  address: WebhookAddress | undefined,
): Promise<void> {
  const { settings, runState, operation } = context;
  if (address === undefined) {
    throw failure("noAddress", operation);
  }
  runState.noteInState(address);
  const name = nameOfWebhook(address.id, address.databaseId);
  const verdict = runState.verdictOn(address);
  if (verdict?.kind === "refused") {
    throw failure(verdict.reason, operation);
  }
  if (verdict?.kind === "spared") {
    runState.sparedWebhooks.add(address);
    operation.warn(sparedText(name, verdict.reason));
    return;
  }
  if (address.baseUrl !== settings.baseUrl) {
    // State can be edited by others, so a URL from the state must never receive the key.
    const { baseUrl } = address;
    throw failure("otherBaseUrlOfDeletion", operation, { provider: settings, baseUrl });
  }
  // Noted before the request: no resource may adopt or import the webhook meanwhile.
  runState.deletingWebhooks.add(address);
  const deletion = await deleteWebhook(context, address);
  if (deletion.kind === "failed") {
    const { outcome, earlierOutcomes } = deletion.failure;
    if (![...earlierOutcomes, outcome].some(mayHaveActed)) {
      runState.deletingWebhooks.delete(address);
    }
    throw failure("notDeleted", operation, { context, call: deletion.failure });
  }
  if (deletion.kind === "absent" && settings.listing) {
    await assertNotListed(context, address);
  }
  runState.noteAbsent(address);
  if (deletion.kind === "absent" && !settings.listing && !deletion.mayBeDeleted) {
    operation.warn(absentText(name));
  }
}

/** Throws unless a complete list lacks the webhook. A key without access gets 404 for every webhook, and no list. */
async function assertNotListed(context: Context, address: WebhookAddress): Promise<void> {
  const { operation } = context;
  const { webhook, isComplete, failure: failedCall } = await lookUpAfterDeletion(context, address);
  if (webhook !== undefined) {
    throw failure("stillListed", operation);
  }
  if (!isComplete) {
    throw failure("notConfirmed", operation, { context, call: failedCall });
  }
}
