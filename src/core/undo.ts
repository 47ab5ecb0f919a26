import { type Account, deleteWebhook } from "../service/client.js";
import { presentErrors, type WebhookError } from "../service/errors.js";

/** Deletes a webhook that the state does not know, and says what went wrong, if anything did. */
export async function problemOfUndoing(
  account: Account,
  { databaseId, id }: { readonly databaseId: string; readonly id: string },
  sensitiveValues: readonly string[],
): Promise<string | undefined> {
  const { baseUrl } = account.settings;
  try {
    await presentErrors(
      `Delete webhook ${id}`,
      () => sensitiveValues,
      () => deleteWebhook(account, { baseUrl, databaseId, id }, { sensitiveValues, kept: "" }),
    );
    return undefined;
  } catch (error) {
    return (error as WebhookError).message;
  }
}
