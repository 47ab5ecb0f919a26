import { createWebhook, deleteWebhook } from "../api/client.js";
import type { WebhookInputs } from "./arguments.js";
import { PartialCreationError, WebhookError } from "./errors.js";
import { lookForLeftovers } from "./lookup.js";
import {
  failureText,
  faultText,
  inDoubtText,
  messages,
  notCreatedText,
  reasons,
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
export async function createForState(
  context: Context,
  webhook: WebhookInputs,
  state: Properties,
): Promise<{ id: string; secret: string }> {
  const { engine, operation } = context;
  engine.signals.beginCreation();
  try {
    return await createOrUndo(context, webhook, state);
  } catch (error) {
    if (!(await engine.canStore())) {
      // The process ends before the error can reach the engine.
      operation.warn(error instanceof WebhookError ? error.message : `${operation.name} failed.`);
    }
    throw error;
  } finally {
    engine.signals.endCreation();
  }
}

async function createOrUndo(
  context: Context,
  webhook: WebhookInputs,
  state: Properties,
): Promise<{ id: string; secret: string }> {
  const { settings, runState, engine, operation } = context;
  const creation = await createWebhook(context, webhook);
  if (creation.kind === "refused") {
    throw new WebhookError("notCreated", notCreatedText(context, creation.failure));
  }
  if (creation.kind === "inDoubt") {
    const leftovers = await lookForLeftovers(context, webhook);
    const hiding = { ...context, operation: operation.hiding(creation.secret) };
    throw new WebhookError("inDoubt", inDoubtText(hiding, creation.failure, webhook, leftovers));
  }
  const { webhook: created, secret } = creation;
  const { id } = created;
  const address = { ...created, baseUrl: settings.baseUrl };
  if (runState.recordCreation(address)) {
    throw new WebhookError("notCreated", messages.existingReturned(operation.name, id));
  }
  const canStore = await engine.canStore();
  if (secret !== undefined && canStore) {
    return { id, secret };
  }
  const problem = await undoCreation(context, address, secret);
  const text = (end: "undone" | "partial" | "leftBehind") =>
    undoText(operation.name, id, secret !== undefined, end, problem);
  if (problem === undefined) {
    runState.recordOf(address).isDeleted = true;
    throw new WebhookError("undone", text("undone"));
  }
  throw secret === undefined && (await engine.canStore())
    ? new PartialCreationError(id, state, text("partial"))
    : new WebhookError("leftBehind", text("leftBehind"));
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function undoCreation(
  context: Context,
  address: WebhookAddress,
  secret: string | undefined,
): Promise<string | undefined> {
  // The deadline of the creation may have passed, but its webhook must not stay.
  const name = `Delete webhook ${address.id}`;
  const operation = context.operation.withoutDeadline(name).hiding(secret);
  const undo = { ...context, operation };
  try {
    const deletion = await deleteWebhook(undo, address, true);
    if (deletion.kind === "absent") {
      return reasons.absentUndo;
    }
    return deletion.kind === "failed" ? failureText(undo, deletion.failure) : undefined;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return faultText(operation, error);
  }
}
