import { createWebhook, deleteWebhook, type WebhookAddress } from "../api/client.js";
import type { WebhookInputs } from "./arguments.js";
import { problemsOfArguments } from "./check.js";
import { PartialCreationError, WebhookError } from "./errors.js";
import { lookForLeftovers } from "./lookup.js";
import {
  faultText,
  inDoubtText,
  lines,
  nameOfWebhook,
  notCreatedText,
  notDeletedText,
  undoText,
} from "./messages.js";
import type { Context } from "./operation.js";
import { isUnknown, type Properties, withoutAbsent } from "./values.js";

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
  const { settings } = account;
  const creation = await createWebhook(account, operation.context(settings), webhook);
  if (creation.kind === "refused") {
    throw new WebhookError("notCreated", notCreatedText(context, creation.failure));
  }
  if (creation.kind === "inDoubt") {
    const leftovers = await lookForLeftovers(context, webhook);
    const hiding = { ...context, operation: operation.hiding(creation.secret) };
    throw new WebhookError("inDoubt", inDoubtText(hiding, creation.failure, webhook, leftovers));
  }
  const { id, secret } = creation;
  const address = { baseUrl: settings.baseUrl, databaseId: webhook.databaseId, id };
  ledger.entryOf(address);
  const canStore = await engine.canStore();
  if (secret !== undefined && canStore) {
    return { id, secret };
  }
  const problem = await deleteAgain(context, address, secret);
  if (problem === undefined) {
    throw new WebhookError("undone", undoText(address, secret, "undone"));
  }
  throw secret === undefined && (await engine.canStore())
    ? new PartialCreationError(id, state, undoText(address, secret, "partial", problem))
    : new WebhookError("leftBehind", undoText(address, secret, "leftBehind", problem));
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function deleteAgain(
  context: Context,
  address: WebhookAddress,
  secret: string | undefined,
): Promise<string | undefined> {
  const { account, operation } = context;
  const name = nameOfWebhook(address.id, address.databaseId);
  // The time of the creation may be over; the deletion is as important as before.
  const undo = operation.withoutTimeLimit(`Delete ${name}`).hiding(secret);
  try {
    const deletion = await deleteWebhook(account, undo.context(account.settings), address, true);
    if (deletion.kind === "absent") {
      return lines.absentUndo();
    }
    return deletion.kind === "failed"
      ? notDeletedText({ ...context, operation: undo }, deletion.failure, true)
      : undefined;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return faultText(undo, error);
  }
}
