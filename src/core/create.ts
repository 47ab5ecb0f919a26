import { shownValue } from "../common/redact.js";
import { type Account, createWebhook } from "../service/client.js";
import { PartialCreationError, WebhookError } from "../service/errors.js";
import type { WebhookInputs } from "./check.js";
import { whileEngineStores } from "./engine.js";
import { createWithLookup } from "./leftover.js";
import { isReplacing } from "./replacement.js";
import type { Properties } from "./state.js";
import { problemOfUndoing } from "./undo.js";

/**
 * Creates a webhook, and deletes it again when it came without a secret, or when nobody is left to
 * store its secret.
 *
 * @param stored What the state will hold of the webhook, but for its secret.
 * @param sensitiveValues Values that are kept out of messages.
 */
export async function createOrUndo(
  account: Account,
  webhook: WebhookInputs,
  stored: Properties,
  sensitiveValues: readonly string[],
): Promise<{ id: string; secret: string }> {
  const context = { account, webhook, sensitiveValues };
  return whileEngineStores(
    async (stopping) => {
      const { id, secret } = await createWithLookup(
        account,
        webhook,
        sensitiveValues,
        stopping,
        (adviseInDoubt) =>
          createWebhook(account, webhook, {
            stopping,
            isReplacing: isReplacing(webhook.databaseId),
            adviseInDoubt,
          }),
      );
      return secret === undefined ? undoIncomplete(context, id, stored) : { id, secret };
    },
    ({ id, secret }) =>
      undoUnstored({ ...context, sensitiveValues: [...sensitiveValues, secret] }, id),
  );
}

interface Context {
  readonly account: Account;
  readonly webhook: WebhookInputs;
  readonly sensitiveValues: readonly string[];
}

/** Deletes a webhook that has no secret; failing that, has Pulumi remember it. */
async function undoIncomplete(context: Context, id: string, stored: Properties): Promise<never> {
  const what = failureText(context, `the service created webhook ${id} but sent no usable secret`);
  const problem = await problemOf(context, id);
  if (problem !== undefined) {
    const reason = `${what} It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: ${problem}`;
    throw new PartialCreationError(id, stored, reason);
  }
  throw new WebhookError(
    `${what} It was deleted again. Run "pulumi up" again; if this comes back, check that dbwebhooks:baseUrl is the service itself.`,
  );
}

/** Deletes a webhook whose secret nobody will store. */
async function undoUnstored(context: Context, id: string): Promise<never> {
  const what = failureText(context, `Pulumi stopped while the service created webhook ${id}`);
  const problem = await problemOf(context, id);
  throw new WebhookError(
    problem === undefined
      ? `${what} It was deleted again.`
      : `${what} Pulumi has not stored it: delete it by hand. It could not be deleted at once: ${problem}`,
  );
}

function problemOf({ account, webhook, sensitiveValues }: Context, id: string) {
  return problemOfUndoing(account, { databaseId: webhook.databaseId, id }, sensitiveValues);
}

function failureText({ webhook }: Context, reason: string): string {
  return `Create webhook in database ${shownValue(webhook.databaseId)} failed: ${reason}.`;
}
