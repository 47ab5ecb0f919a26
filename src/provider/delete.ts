import { deleteWebhook } from "../api/client.js";
import { classOf } from "../api/response-class.js";
import type { AccountOperation, Context } from "./command/operation.js";
import { requestList } from "./command/webhook-lists.js";
import { failed } from "./messages/error-message.js";
import { failures } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { absentText, goneText, keptText } from "./messages/notices.js";
import type { StateEntry } from "./rules/state.js";
import { addressOf, isElsewhere, type WebhookAddress } from "./rules/webhook-address.js";

/**
 * Deletes a webhook. Throws unless it is gone or may count as gone. A webhook that this command has
 * created or imported has another resource now, so it is not deleted, and this counts as done.
 */
export const deleteOperation: AccountOperation<StateEntry, void> = {
  kind: "delete",
  name: ({ id, state }) => `Delete ${nameOfWebhook(id, state.databaseId)}`,
  sensitive: ({ props }) => ({ properties: props }),
  run: async (context, webhook) => {
    const { settings, knownWebhooks, reporter, urn } = context;
    const address = addressOf(webhook);
    if (address === undefined) {
      throw failed(reporter, failures.noAddress("notDeleted"));
    }
    const { baseUrl, id } = address;
    if (isElsewhere(address, settings)) {
      throw failed(reporter, failures.otherBaseUrlOfDeletion(settings, baseUrl));
    }
    knownWebhooks.noteId(address);
    const name = nameOfWebhook(id, address.databaseId);
    if (knownWebhooks.isOwn(address)) {
      reporter.warn(keptText(name));
      return;
    }
    if (knownWebhooks.hasOtherHolder(address, urn)) {
      throw failed(reporter, failures.twoResources("notDeleted", id));
    }
    const deletion = await deleteWebhook(context, address);
    switch (deletion.kind) {
      case "deleted":
        return;
      case "absent":
        return confirmAbsence(context, address, name);
      case "failed":
        throw failed(reporter, failures.notDeleted(context, deletion.call));
      default:
        return deletion satisfies never;
    }
  },
};

/**
 * Requests the list of the database, unless `listing` is off, and says what it shows: a key without
 * access gets 404 for every webhook. Throws if the webhook may exist.
 */
async function confirmAbsence(
  context: Context,
  address: WebhookAddress,
  name: string,
): Promise<void> {
  const { reporter, settings } = context;
  if (settings.listing === false) {
    reporter.warn(absentText(name));
    return;
  }
  const { ids, isComplete, isStored, call } = await requestList(context, address.databaseId);
  if (ids.includes(address.id)) {
    throw failed(reporter, isStored ? failures.stillStored() : failures.stillListed());
  }
  if (isComplete) {
    reporter.notify(goneText(name));
    return;
  }
  if (call !== undefined) {
    const responseClass = classOf(call.outcome);
    if (responseClass === "notFound") {
      throw failed(reporter, failures.listNotFound(settings));
    }
    // A service without a list cannot show whether the key has access to the database.
    const hasAccess = ids.length > 0;
    const cannotList = responseClass === "unsupported";
    if (!hasAccess && !cannotList) {
      throw failed(reporter, failures.notConfirmed(context, call));
    }
  }
  reporter.warn(absentText(name));
}
