import { deleteWebhook } from "../api/client.js";
import { WebhookError } from "./errors.js";
import { elsewhereText, lines, nameOfWebhook, notDeletedText } from "./messages.js";
import type { Context } from "./operation.js";
import type { StoredAddress } from "./state.js";

/** Deletes a webhook that is in the state. Fails unless it is certainly gone. */
export async function deleteFromState(
  context: Context,
  address: StoredAddress | undefined,
  urn: string | undefined,
): Promise<void> {
  const { account, ledger, operation } = context;
  if (address === undefined) {
    throw new WebhookError(
      "kept",
      `${operation.name} failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete".`,
    );
  }
  const name = nameOfWebhook(address.id, address.databaseId);
  const entry = ledger.entryOf(address);
  const protection = ledger.protectionOf(address, urn);
  if (protection === "named" && entry.hasFailedToAdopt) {
    throw new WebhookError(
      "kept",
      `${operation.name} failed: the program adopts it, and the adoption failed in this run. Nothing was sent, and the webhook stays in the state.`,
    );
  }
  if (protection === "named") {
    // Its own resource comes back to it, where the deletion is a part of a replacement.
    entry.keepers.clear();
  }
  if (protection !== undefined) {
    operation.warn(lines[protection](name));
    return;
  }
  if (address.isElsewhere) {
    throw new WebhookError("kept", elsewhereText(context, address.baseUrl));
  }
  const deletion = await deleteWebhook(account, operation.context(account.settings), address);
  if (deletion.kind === "failed") {
    throw new WebhookError("kept", notDeletedText(context, deletion.failure));
  }
  if (deletion.kind === "absent" && !entry.isDeleted) {
    operation.warn(lines.absent(name));
  }
  entry.isDeleted = true;
}
