import { deleteWebhook, type WebhookAddress } from "../api/client.js";
import { WebhookError } from "./errors.js";
import { elsewhereText, lines, nameOfWebhook, notDeletedText } from "./messages.js";
import { type Context, callContext } from "./operation.js";

/** Deletes a webhook that is in the state. Throws unless it is certainly gone, or must stay. */
export async function deleteFromState(
  context: Context,
  address: WebhookAddress | undefined,
  urn: string | undefined,
): Promise<void> {
  const { account, runState, operation } = context;
  if (address === undefined) {
    throw new WebhookError("notDeleted", lines.noAddress(operation.name));
  }
  const name = nameOfWebhook(address.id, address.databaseId);
  const record = runState.recordOf(address);
  const protection = runState.protectionOf(address, urn);
  if (protection === "adopted" && record.hasFailedToAdopt) {
    throw new WebhookError("notDeleted", lines.adoptionFailed(operation.name));
  }
  if (protection === "adopted") {
    // If this deletion is part of a replacement, the same resource adopts its webhook again.
    record.owners.clear();
  }
  if (protection !== undefined) {
    operation.warn(lines.protected(name, protection));
    return;
  }
  if (address.baseUrl !== account.settings.baseUrl) {
    // State can be edited by others, so a URL from the state must never receive the key.
    throw new WebhookError("notDeleted", elsewhereText(context, address.baseUrl));
  }
  const deletion = await deleteWebhook(account, callContext(context), address);
  if (deletion.kind === "failed") {
    throw new WebhookError("notDeleted", notDeletedText(context, deletion.failure));
  }
  if (deletion.kind === "absent" && !record.isDeleted) {
    operation.warn(lines.absent(name));
  }
  record.isDeleted = true;
}
