import { deleteWebhook } from "../api/client.js";
import { isNotFound, saysNothingAboutLists } from "../api/service-error.js";
import { failure } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { absentText, goneText, keptText } from "./messages/notices.js";
import { lookUp } from "./run/lookup.js";
import type { Context } from "./run/operation.js";
import type { WebhookAddress } from "./run/run-state.js";

/**
 * Deletes a webhook that is in the state. Throws unless the webhook is gone or may count as gone, or is another resource's
 * since this command has created or imported it.
 *
 * @param urn The resource, where Pulumi names it.
 */
export async function deleteManagedWebhook(
  context: Context,
  address: WebhookAddress | undefined,
  urn: string | undefined,
): Promise<void> {
  const { settings, runState, operation } = context;
  if (address === undefined) {
    throw failure("noAddress", operation);
  }
  const name = nameOfWebhook(address.id, address.databaseId);
  if (runState.isOwn(address)) {
    operation.warn(keptText(name));
    return;
  }
  if (runState.hasOtherHolder(address, urn)) {
    throw failure("otherHolder", operation, address.id);
  }
  if (address.baseUrl !== settings.baseUrl) {
    // State can be edited by others, so a URL from the state must never receive the key.
    const { baseUrl } = address;
    throw failure("otherBaseUrlOfDeletion", operation, { provider: settings, baseUrl });
  }
  const deletion = await deleteWebhook(context, address);
  if (deletion.kind === "failed") {
    throw failure("notDeleted", operation, { context, call: deletion.failure });
  }
  if (deletion.kind === "absent") {
    await confirmAbsence(context, address, name);
  }
  runState.noteAbsent(address);
}

/**
 * Requests the list of the database, unless `listing` is off, and says what it shows: a key without access gets 404 for
 * every webhook. Throws if the webhook may exist.
 */
async function confirmAbsence(
  context: Context,
  address: WebhookAddress,
  name: string,
): Promise<void> {
  const { operation, settings } = context;
  if (settings.listing === false) {
    operation.warn(absentText(name));
    return;
  }
  const { webhook, isComplete, failure: call } = await lookUp(context, address);
  const hasUnusableEntry = call?.unusableEntries?.some(({ id }) => id === address.id);
  if (webhook !== undefined || hasUnusableEntry) {
    throw failure("stillListed", operation);
  }
  if (call !== undefined && isNotFound(call.outcome)) {
    throw failure("listNotFound", operation, settings);
  }
  const isUndecided = call !== undefined && saysNothingAboutLists(call.outcome);
  if (isUndecided || (settings.listing && !isComplete)) {
    throw failure("notConfirmed", operation, { context, call });
  }
  if (isComplete) {
    operation.notify(goneText(name));
  } else {
    operation.warn(absentText(name));
  }
}
