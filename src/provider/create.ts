import { createWebhook, deleteWebhook } from "../api/client.js";
import type { WebhookInputs } from "./arguments.js";
import { PartialCreationError, WebhookError } from "./errors.js";
import { lookForOrphans } from "./lookup.js";
import {
  failureText,
  faultText,
  inDoubtText,
  messageParts,
  messages,
  notCreatedText,
  undoText,
} from "./messages.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";
import type { Properties } from "./values.js";

/**
 * Creates a webhook. Deletes it again if the response holds no secret, or if its secret can no longer reach
 * the state.
 *
 * @param state What Pulumi stores of the webhook besides its secret.
 */
export async function createManagedWebhook(
  context: Context,
  webhook: WebhookInputs,
  state: Properties,
): Promise<{ id: string; secret: string }> {
  const { engineMonitor, operation } = context;
  engineMonitor.signalHandlers.beginCreation();
  try {
    return await createOrUndo(context, webhook, state);
  } catch (error) {
    if (!(await engineMonitor.checkCanStore())) {
      // The process ends before the error can reach the engine.
      operation.warn(error instanceof WebhookError ? error.message : `${operation.name} failed.`);
    }
    throw error;
  } finally {
    engineMonitor.signalHandlers.endCreation();
  }
}

async function createOrUndo(
  context: Context,
  webhook: WebhookInputs,
  state: Properties,
): Promise<{ id: string; secret: string }> {
  const { settings, runState, engineMonitor, operation } = context;
  const creation = await createWebhook(context, webhook);
  if (creation.kind === "refused") {
    throw new WebhookError("notCreated", notCreatedText(context, creation.failure));
  }
  if (creation.kind === "inDoubt") {
    const orphans = await lookForOrphans(context, webhook);
    const redacting = { ...context, operation: operation.withSensitiveValue(creation.secret) };
    throw new WebhookError("inDoubt", inDoubtText(redacting, creation.failure, webhook, orphans));
  }
  const { webhook: created, secret } = creation;
  const { id } = created;
  const address = { ...created, baseUrl: settings.baseUrl };
  const { isNew } = runState.recordCreation(address);
  if (!isNew) {
    throw new WebhookError("notCreated", messages.existingReturned(operation.name, id));
  }
  const canStore = await engineMonitor.checkCanStore();
  if (secret !== undefined && canStore) {
    return { id, secret };
  }
  const problem = await undoCreation(context, address, secret);
  const messageFor = (end: "undone" | "partial" | "leftBehind") =>
    undoText(operation.name, id, secret !== undefined, end, problem);
  if (problem === undefined) {
    runState.remember(address).isDeleted = true;
    throw new WebhookError("undone", messageFor("undone"));
  }
  // Once the engine cannot store anything, it never can: a webhook with a secret is never stored as partial.
  throw (await engineMonitor.checkCanStore())
    ? new PartialCreationError(id, state, messageFor("partial"))
    : new WebhookError("leftBehind", messageFor("leftBehind"));
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function undoCreation(
  context: Context,
  address: WebhookAddress,
  secret: string | undefined,
): Promise<string | undefined> {
  // The deadline of the creation may have passed, but its webhook must not stay.
  const name = `Delete webhook ${address.id}`;
  const operation = context.operation.withoutDeadline(name).withSensitiveValue(secret);
  const undoContext = { ...context, operation };
  try {
    const deletion = await deleteWebhook(undoContext, address, { isUndo: true });
    if (deletion.kind === "absent") {
      return messageParts.undoReturned404;
    }
    return deletion.kind === "failed" ? failureText(undoContext, deletion.failure) : undefined;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return faultText(operation, error);
  }
}
