import { deleteWebhook } from "../api/client.js";
import { WebhookError } from "./errors.js";
import {
  absentText,
  conflictText,
  noAddressText,
  notDeletedText,
  otherBaseUrlText,
  protectedText,
} from "./messages/deletion.js";
import { nameOfWebhook } from "./messages/names.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";

/** Deletes a webhook that is in the state. Throws unless it is certainly gone, or has another resource now. */
export async function deleteManagedWebhook(
  context: Context,
  address: WebhookAddress | undefined,
): Promise<void> {
  const { settings, runState, operation } = context;
  if (address === undefined) {
    throw new WebhookError("notDeleted", noAddressText(operation));
  }
  runState.record("inState", address);
  const name = nameOfWebhook(address.id, address.databaseId);
  const obstacle = runState.obstacleToDeletion(address);
  switch (obstacle) {
    case undefined:
      break;
    case "adoptionFailed":
    case "returnedInDoubt":
    case "sameNumberAtFormerBaseUrl":
      throw new WebhookError("notDeleted", conflictText(operation, obstacle));
    default:
      runState.record("deletionSkipped", address);
      operation.warn(protectedText(name, obstacle));
      return;
  }
  if (address.baseUrl !== settings.baseUrl) {
    // State can be edited by others, so a URL from the state must never receive the key.
    throw new WebhookError("notDeleted", otherBaseUrlText(operation, settings, address.baseUrl));
  }
  // Recorded before the request: no resource may adopt or import the webhook meanwhile.
  runState.record("deletionSent", address);
  const deletion = await deleteWebhook(context, address);
  if (deletion.kind === "failed") {
    throw new WebhookError("notDeleted", notDeletedText(context, deletion.failure));
  }
  runState.recordGone(address);
  if (deletion.kind === "absent") {
    operation.warn(absentText(name));
  }
}
