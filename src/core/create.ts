import { shownValue } from "../common/redact.js";
import { nameOfWebhook } from "../service/advice.js";
import { type Account, createWebhook, deleteWebhook } from "../service/client.js";
import { failureText, PartialCreationError, presentable, WebhookError } from "../service/errors.js";
import type { Operation } from "../service/operation.js";
import type { WebhookInputs } from "./arguments.js";
import { problemsOfArguments } from "./check.js";
import type { Engine } from "./engine.js";
import type { Ledger } from "./ledger.js";
import { leftoverAdvice, lookForLeftovers } from "./leftover.js";
import { isUnknown, type Properties, withoutAbsent } from "./values.js";

/** What a creation works with. */
export interface CreationContext {
  readonly account: Account;
  readonly ledger: Ledger;
  readonly engine: Engine;
  readonly operation: Operation;
}

/** What messages call a creation. */
export function createName({ databaseId }: Properties): string {
  return typeof databaseId === "string"
    ? `Create webhook in database ${databaseId}`
    : "Create webhook";
}

/**
 * The arguments of a webhook that is about to be created. Pulumi leaves out what it does not know yet
 * from a creation, and half a webhook is worse than none.
 */
export function completeInputs(inputs: Properties): WebhookInputs {
  const known = withoutAbsent(inputs);
  const [problem] = problemsOfArguments(known);
  if (problem !== undefined || isUnknown(known)) {
    throw new WebhookError(
      `Create webhook failed: ${problem ?? "not all arguments are known"}. Nothing was sent. Run "pulumi up" again.`,
    );
  }
  return known as WebhookInputs;
}

/**
 * Creates a webhook, and deletes it again when it comes without a secret, or when its secret can no
 * longer reach the state.
 *
 * @param state What Pulumi stores of the webhook, but for its secret.
 */
export async function createForState(
  context: CreationContext,
  webhook: WebhookInputs,
  state: Properties,
): Promise<{ id: string; secret: string }> {
  const { engine, operation } = context;
  engine.beginCreation();
  try {
    return await createOnce(context, webhook, state);
  } catch (error) {
    if (!(await engine.canStore())) {
      // The process ends before the error can reach the engine.
      operation.warn(error instanceof WebhookError ? error.message : `${operation.name} failed.`);
    }
    throw error;
  } finally {
    engine.endCreation();
  }
}

async function createOnce(
  context: CreationContext,
  webhook: WebhookInputs,
  state: Properties,
): Promise<{ id: string; secret: string }> {
  const { account, ledger, engine, operation } = context;
  const creation = await createWebhook(account, operation, webhook);
  if (creation.kind === "refused") {
    throw new WebhookError(creation.failure);
  }
  if (creation.kind === "inDoubt") {
    const leftovers = await lookForLeftovers(account, ledger, operation, webhook);
    const { failure } = creation;
    const advice = `${leftoverAdvice(leftovers, webhook)} ${failure.advice}`.trimEnd();
    throw new WebhookError({ ...failure, advice });
  }
  const { id, secret } = creation;
  const { databaseId } = webhook;
  ledger.entryOf({ baseUrl: account.settings.baseUrl, databaseId, id });
  if (secret === undefined) {
    throw await undoIncomplete(context, databaseId, id, state);
  }
  if (!(await engine.canStore())) {
    throw await undoUnstored({ ...context, operation: operation.hiding(secret) }, databaseId, id);
  }
  return { id, secret };
}

/** Deletes a webhook that came without a secret; failing that, has Pulumi store it. */
async function undoIncomplete(
  context: CreationContext,
  databaseId: string,
  id: string,
  state: Properties,
): Promise<WebhookError> {
  const what = failedText(
    databaseId,
    `the service created webhook ${id} but sent no usable secret`,
  );
  const problem = await deleteAgain(context, databaseId, id);
  if (problem === undefined) {
    return new WebhookError(
      `${what} It was deleted again. Run "pulumi up" again; if this comes back, check that dbwebhooks:baseUrl is the service itself.`,
    );
  }
  return (await context.engine.canStore())
    ? new PartialCreationError(
        id,
        state,
        `${what} It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: ${problem}`,
      )
    : leftBehind(what, problem);
}

/** Deletes a webhook whose secret can no longer reach the state. */
async function undoUnstored(
  context: CreationContext,
  databaseId: string,
  id: string,
): Promise<WebhookError> {
  const what = failedText(databaseId, `Pulumi stopped while the service created webhook ${id}`);
  const problem = await deleteAgain(context, databaseId, id);
  return problem === undefined
    ? new WebhookError(`${what} It was deleted again.`)
    : leftBehind(what, problem);
}

function leftBehind(what: string, problem: string): WebhookError {
  return new WebhookError(
    `${what} Pulumi has not stored it: delete it by hand. It could not be deleted at once: ${problem}`,
  );
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function deleteAgain(
  { account, operation }: CreationContext,
  databaseId: string,
  id: string,
): Promise<string | undefined> {
  const { baseUrl } = account.settings;
  // The time of the creation may be over; the deletion is as important as before.
  const undo = operation.withoutTimeLimit(`Delete ${nameOfWebhook(id, databaseId)}`);
  try {
    const deletion = await deleteWebhook(account, undo, { baseUrl, databaseId, id }, true);
    return deletion.kind === "failed" ? failureText(deletion.failure) : undefined;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return presentable(error, undo).message;
  }
}

function failedText(databaseId: string, reason: string): string {
  return `Create webhook in database ${shownValue(databaseId)} failed: ${reason}.`;
}
