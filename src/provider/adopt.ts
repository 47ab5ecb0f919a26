import type { WebhookInputs } from "./arguments.js";
import { WebhookError } from "./errors.js";
import { differencesFrom, lookUp } from "./lookup.js";
import { messageParts, messages, nameOfWebhook, notFoundText } from "./messages.js";
import type { Context } from "./operation.js";

/** Adopts an existing webhook. Nothing is sent, except that the setting `listing` looks the webhook up. */
export async function adoptWebhook(
  context: Context,
  webhook: WebhookInputs,
  adopt: NonNullable<WebhookInputs["adopt"]>,
): Promise<{ id: string; secret: string }> {
  const { settings, runState, operation } = context;
  const { baseUrl, listing } = settings;
  const id = String(adopt.id);
  const { databaseId } = webhook;
  const name = nameOfWebhook(id, databaseId);
  const record = runState.remember({ baseUrl, databaseId, id });
  const failureFor = (problem: string) => {
    record.hasFailedToAdopt = true;
    return new WebhookError("unchanged", messages.notAdopted(name, problem));
  };
  if (record.isDeleted) {
    throw failureFor(messageParts.adoptDeleted);
  }
  if (record.isAdopted || record.isProtectedByCreation || record.owners.size > 0) {
    throw failureFor(messageParts.adoptOwned);
  }
  // Set before the lookup, during which another resource may adopt the same webhook.
  record.isAdopted = true;
  const problem = listing ? await lookUpProblem(context, webhook, id) : undefined;
  if (problem !== undefined) {
    record.isAdopted = false;
    throw failureFor(problem);
  }
  operation.notify(messages.adopted(name, listing));
  return { id, secret: adopt.secret };
}

/** Returns why a webhook cannot be adopted as it is declared, or `undefined` if it can. */
async function lookUpProblem(
  context: Context,
  declared: WebhookInputs,
  id: string,
): Promise<string | undefined> {
  const { webhook, isComplete, failure } = await lookUp(context, { ...declared, id });
  if (webhook === undefined) {
    return isComplete
      ? messageParts.adoptNotListed
      : `${notFoundText(context, failure)} ${messageParts.lookupNeeded}`;
  }
  const drift = Object.keys(differencesFrom(webhook, { ...declared })).join(", ");
  return drift === "" ? undefined : messageParts.adoptDiffers(drift);
}
