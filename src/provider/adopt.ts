import type { WebhookInputs } from "./arguments.js";
import { differencesFrom, lookUp } from "./lookup.js";
import { failure } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { adoptedText } from "./messages/notices.js";
import { adoptionProblems, notFoundText, type Problem } from "./messages/problems.js";
import type { Context } from "./operation.js";

/** Adopts an existing webhook. Nothing is sent, except that the setting `listing` looks the webhook up. */
export async function adoptWebhook(
  context: Context,
  webhook: WebhookInputs,
  adopt: NonNullable<WebhookInputs["adopt"]>,
): Promise<{ id: string; secret: string }> {
  const { settings, runState, operation } = context;
  const id = String(adopt.id);
  const { databaseId } = webhook;
  const address = { baseUrl: settings.baseUrl, databaseId, id };
  const name = nameOfWebhook(id, databaseId);
  const adoption = operation.withName(`Adopt ${name}`);
  if (runState.isHeld(address)) {
    // The resource that has the webhook keeps it, so no verdict changes.
    throw failure("notAdopted", adoption, adoptionProblems.held);
  }
  const isAbsent = runState.isAbsentOrGoing(address);
  // Before the lookup, during which another resource may adopt or delete the same webhook.
  runState.spare(address, "adopted");
  const problem = isAbsent ? adoptionProblems.absent : await lookUpProblem(context, webhook, id);
  if (problem !== undefined) {
    runState.refuse(address, "adoptionFailed");
    // After the lookup, during which the old resource may have left the state.
    const hasLeftState = runState.sparedWebhooks.has(address);
    throw failure(hasLeftState ? "adoptionLeftBehind" : "notAdopted", adoption, problem);
  }
  operation.notify(adoptedText(name, settings.listing));
  return { id, secret: adopt.secret };
}

/** Returns why a webhook cannot be adopted as it is declared, or `undefined` if it can or `listing` is off. */
async function lookUpProblem(
  context: Context,
  declared: WebhookInputs,
  id: string,
): Promise<Problem | undefined> {
  if (!context.settings.listing) {
    return undefined;
  }
  const { webhook, isComplete, failure: failedCall } = await lookUp(context, { ...declared, id });
  if (webhook === undefined) {
    return isComplete
      ? adoptionProblems.notListed
      : adoptionProblems.notLookedUp(notFoundText(context, failedCall));
  }
  const drift = Object.keys(differencesFrom(webhook, declared)).join(", ");
  return drift === "" ? undefined : adoptionProblems.differs(drift);
}
