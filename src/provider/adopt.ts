import type { WebhookInputs } from "./arguments.js";
import { WebhookError } from "./errors.js";
import { driftOf, type Lookup, lookUp } from "./lookup.js";
import { messages, nameOfWebhook, notFoundText } from "./messages.js";
import type { Context } from "./operation.js";

/** Adopts an existing webhook. Nothing is sent, but with `listing` the webhook is looked up. */
export async function adoptWebhook(
  context: Context,
  webhook: WebhookInputs,
  adopt: NonNullable<WebhookInputs["adopt"]>,
): Promise<{ id: string; secret: string }> {
  const { account, runState, operation } = context;
  const { baseUrl, listing } = account.settings;
  const id = String(adopt.id);
  const { databaseId } = webhook;
  const name = nameOfWebhook(id, databaseId);
  const record = runState.recordOf({ baseUrl, databaseId, id });
  const fail = (problem: string) => {
    record.hasFailedToAdopt = true;
    return new WebhookError("unchanged", `Adopt ${name} failed: ${problem} Nothing was changed.`);
  };
  if (record.isDeleted) {
    throw fail(
      'it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook.',
    );
  }
  if (record.isAdopted || record.isProtected || record.owners.size > 0) {
    throw fail(
      "this program already manages it. Remove adopt, or the other resource that manages it.",
    );
  }
  // Set before the lookup, during which another resource may adopt the same webhook.
  record.isAdopted = true;
  const problem =
    listing && validateLookup(context, await lookUp(context, databaseId, id), webhook);
  if (problem) {
    record.isAdopted = false;
    throw fail(problem);
  }
  operation.notify(messages.adopted(name, listing));
  return { id, secret: adopt.secret };
}

/** Returns why a webhook cannot be adopted as it is declared, or `undefined` if it can. */
function validateLookup(
  context: Context,
  found: Lookup,
  webhook: WebhookInputs,
): string | undefined {
  if (found.webhook === undefined && !found.isComplete) {
    return `${notFoundText(context, found.failure)} To adopt it without a lookup, set listing to false.`;
  }
  if (found.webhook === undefined) {
    return "the service does not list it. Check adopt.id, databaseId and the base URL; if it is gone, remove adopt to create a new one.";
  }
  const drift = Object.keys(driftOf(found.webhook, { ...webhook })).join(", ");
  return drift === ""
    ? undefined
    : `the service has it with another ${drift}. Declare it as it is there, and change it afterwards.`;
}
