import { deleteWebhook } from "../api/client.js";
import { WebhookError } from "./errors.js";
import { messages, nameOfWebhook, notDeletedText, otherBaseUrlText } from "./messages.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";

/** Deletes a webhook that is in the state. Throws unless it is certainly gone, or must stay. */
export async function deleteManagedWebhook(
  context: Context,
  address: WebhookAddress | undefined,
): Promise<void> {
  const { settings, runState, operation } = context;
  if (address === undefined) {
    throw new WebhookError("notDeleted", messages.noAddress(operation.name));
  }
  const name = nameOfWebhook(address.id, address.databaseId);
  const record = runState.remember(address);
  const { protection } = record;
  if (protection === "adopted" && record.hasFailedToAdopt) {
    throw new WebhookError("notDeleted", messages.adoptionFailed(operation.name));
  }
  if (protection !== undefined) {
    operation.warn(messages.protected(name, protection));
    return;
  }
  if (address.baseUrl !== settings.baseUrl) {
    // State can be edited by others, so a URL from the state must never receive the key.
    const text = otherBaseUrlText(operation, settings, address.baseUrl, runState.hasChecked);
    throw new WebhookError("notDeleted", text);
  }
  const deletion = await deleteWebhook(context, address);
  if (deletion.kind === "failed") {
    throw new WebhookError("notDeleted", notDeletedText(context, deletion.failure));
  }
  if (deletion.kind === "absent" && !record.isDeleted) {
    operation.warn(messages.absent(name));
  }
  record.isDeleted = true;
}
