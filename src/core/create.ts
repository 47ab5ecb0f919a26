import { createWebhook, deleteWebhook } from "../service/client.js";
import type { WebhookInputs } from "./arguments.js";
import { problemsOfArguments } from "./check.js";
import { PartialCreationError, WebhookError } from "./errors.js";
import { lookForLeftovers } from "./lookup.js";
import {
  failureText,
  inDoubtAdvice,
  nameOfWebhook,
  notCreatedAdvice,
  notDeletedAdvice,
  undoText,
} from "./messages.js";
import type { Context } from "./operation.js";
import { isUnknown, type Properties, withoutAbsent } from "./values.js";

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
      "notCreated",
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
  context: Context,
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
  context: Context,
  webhook: WebhookInputs,
  state: Properties,
): Promise<{ id: string; secret: string }> {
  const { account, ledger, engine, operation } = context;
  const { settings, transport } = account;
  const creation = await createWebhook(account, operation.context(settings), webhook);
  if (creation.kind === "refused") {
    const { failure } = creation;
    const advice = notCreatedAdvice(settings, failure, transport.stopping.aborted);
    throw new WebhookError("notCreated", failureText(operation, settings, failure, advice));
  }
  if (creation.kind === "inDoubt") {
    const { failure, secret } = creation;
    const leftovers = await lookForLeftovers(context, webhook);
    const advice = inDoubtAdvice(leftovers, webhook, failure);
    const text = failureText(operation.hiding(secret), settings, failure, advice);
    throw new WebhookError("inDoubt", text);
  }
  const { id, secret } = creation;
  const { databaseId } = webhook;
  ledger.entryOf({ baseUrl: settings.baseUrl, databaseId, id });
  const canStore = await engine.canStore();
  if (secret !== undefined && canStore) {
    return { id, secret };
  }
  const created = { databaseId, id, secret };
  const problem = await deleteAgain(context, created);
  if (problem === undefined) {
    throw new WebhookError("undone", undoText(created, "undone", ""));
  }
  throw secret === undefined && (await engine.canStore())
    ? new PartialCreationError(id, state, undoText(created, "partial", problem))
    : new WebhookError("leftBehind", undoText(created, "leftBehind", problem));
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function deleteAgain(
  { account, operation }: Context,
  { databaseId, id, secret }: { databaseId: string; id: string; secret: string | undefined },
): Promise<string | undefined> {
  const { settings } = account;
  const address = { baseUrl: settings.baseUrl, databaseId, id };
  // The time of the creation may be over; the deletion is as important as before.
  const undo = operation.withoutTimeLimit(`Delete ${nameOfWebhook(id, databaseId)}`).hiding(secret);
  try {
    const deletion = await deleteWebhook(account, undo.context(settings), address, true);
    if (deletion.kind !== "failed") {
      return undefined;
    }
    const advice = notDeletedAdvice(settings, deletion.failure, false);
    return failureText(undo, settings, deletion.failure, advice);
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    const text = error instanceof Error ? error.message : "unknown reason";
    return `${undo.name} failed unexpectedly (${undo.redact(text, 300)}).`;
  }
}
