import { nameOfWebhook } from "../service/advice.js";
import { deleteWebhook, type WebhookAddress } from "../service/client.js";
import { WebhookError } from "../service/errors.js";
import type { Operation } from "../service/operation.js";
import { releaseWebhook } from "./ownership.js";
import type { Session } from "./session.js";

/** Deletes a webhook that is in the state, where it was created. Fails unless it is certainly gone. */
export async function deleteFromState(
  session: Session,
  operation: Operation,
  address: WebhookAddress | undefined,
): Promise<void> {
  if (address === undefined) {
    throw new WebhookError(
      `${operation.name} failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent. Delete the webhook by hand, then remove it with "pulumi state delete".`,
    );
  }
  const account = session.openAccount(
    operation.name,
    'The webhook stays in the state. "pulumi destroy" uses the environment and the configuration of the last "pulumi up". Or set the values with "pulumi config set", and run "pulumi destroy --run-program".',
  );
  const name = nameOfWebhook(address.id, address.databaseId);
  const stay = releaseWebhook(session.ledger, address);
  if (stay !== undefined) {
    operation.warn(
      stay === "adopted"
        ? `Kept ${name}: the program adopts the same webhook that it replaces. It was not deleted, and its secret is the same. Remove adopt before you replace it.`
        : `Kept ${name}: another resource of this program manages it too. It was not deleted, and its secret is the same.`,
    );
    return;
  }
  const deletion = await deleteWebhook(account, operation, address);
  if (deletion.kind === "failed") {
    const { failure } = deletion;
    throw new WebhookError({
      ...failure,
      advice: `The webhook stays in the state. ${failure.advice}`,
    });
  }
  session.ledger.entryOf(address).isDeleted = true;
  if (deletion.kind === "absent") {
    operation.notify(
      `The service did not have ${name} any more. It answers the same to a key without access to the database.`,
    );
  }
}
