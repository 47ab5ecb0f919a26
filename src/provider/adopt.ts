import type { WebhookInputs } from "./arguments.js";
import { WebhookError } from "./errors.js";
import { differencesFrom, lookUp } from "./lookup.js";
import {
  adoptedText,
  adoptionProblems,
  notAdoptedText,
  notFoundText,
} from "./messages/existing-webhooks.js";
import { nameOfWebhook } from "./messages/names.js";
import type { Context } from "./operation.js";
import type { RunState, WebhookAddress } from "./run-state.js";

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
  const address = { baseUrl, databaseId, id };
  const name = nameOfWebhook(id, databaseId);
  if (isManaged(address, runState)) {
    // The resource that has the webhook keeps it, so nothing is recorded.
    throw new WebhookError("unchanged", notAdoptedText(name, adoptionProblems.managed, false));
  }
  const isGone = runState.isGoneOrGoing(address);
  // Recorded before the lookup, during which another resource may adopt the same webhook.
  runState.record("adopted", address);
  const problem = isGone ? adoptionProblems.gone : await lookUpProblem(context, webhook, id);
  if (problem !== undefined) {
    runState.record("adoptionFailed", address);
    const isLeftBehind = runState.has("deletionSkipped", address);
    const kind = isLeftBehind ? "leftBehind" : "unchanged";
    throw new WebhookError(kind, notAdoptedText(name, problem, isLeftBehind));
  }
  operation.notify(adoptedText(name, listing));
  return { id, secret: adopt.secret };
}

/** Whether this run has already taken a webhook for a resource. */
function isManaged(address: WebhookAddress, runState: RunState): boolean {
  const events = ["created", "adopted", "imported"] as const;
  return events.some((event) => runState.has(event, address));
}

/** Returns why a webhook cannot be adopted as it is declared, or `undefined` if it can or `listing` is off. */
async function lookUpProblem(
  context: Context,
  declared: WebhookInputs,
  id: string,
): Promise<string | undefined> {
  if (!context.settings.listing) {
    return undefined;
  }
  const { webhook, isComplete, failure } = await lookUp(context, { ...declared, id });
  if (webhook === undefined) {
    return isComplete
      ? adoptionProblems.notListed
      : adoptionProblems.notLookedUp(notFoundText(context, failure));
  }
  const drift = Object.keys(differencesFrom(webhook, declared)).join(", ");
  return drift === "" ? undefined : adoptionProblems.differs(drift);
}
