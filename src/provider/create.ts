import { createWebhook, deleteWebhook } from "../api/client.js";
import { mayHaveActed } from "../api/retry-policy.js";
import { failure, unexpectedText } from "./messages/failures.js";
import { undoReturned404 } from "./messages/problems.js";
import { callText } from "./messages/requests.js";
import type { WebhookInputs } from "./rules/arguments.js";
import { parseSecret } from "./rules/values.js";
import { WebhookError } from "./run/errors.js";
import type { Context } from "./run/operation.js";
import type { WebhookAddress } from "./run/run-state.js";

/** A new webhook, and the secret that the service reveals only once. */
export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

/**
 * Creates a webhook. Deletes it again if its secret cannot be stored, or can no longer reach the state; never
 * if the webhook may have existed before.
 */
export async function createManagedWebhook(
  context: Context,
  webhook: WebhookInputs,
): Promise<CreatedWebhook> {
  const { engineMonitor, operation } = context;
  try {
    return await createOrUndo(context, webhook);
  } catch (error) {
    if (!(await engineMonitor.confirmCanStoreOrStop())) {
      // The process ends before the error can reach the engine.
      operation.warn(error instanceof WebhookError ? error.message : `${operation.name} failed.`);
    }
    throw error;
  }
}

async function createOrUndo(context: Context, webhook: WebhookInputs): Promise<CreatedWebhook> {
  const { settings, runState, engineMonitor, operation } = context;
  const startedAt = runState.now;
  const creation = await createWebhook(context, webhook);
  if (creation.kind === "refused") {
    throw failure("notCreated", operation, { context, call: creation.failure });
  }
  if (creation.kind === "inDoubt") {
    throw failure("inDoubt", operation, { context, call: creation.failure });
  }
  const { secret } = creation;
  const address = { ...creation.webhook, baseUrl: settings.baseUrl };
  const { id } = address;
  const isKnown = runState.isKnown(address, startedAt);
  if (isKnown || isAbsent(secret)) {
    runState.noteExists(address);
    throw failure(isKnown ? "knownId" : "withoutSecret", operation, id);
  }
  // Before anything else is awaited: Pulumi may start a deletion of this webhook meanwhile.
  runState.noteCreated(address);
  const canStore = await engineMonitor.confirmCanStoreOrStop();
  const parsed = parseSecret(secret);
  if ("secret" in parsed && canStore) {
    return { id, secret: parsed.secret };
  }
  const secretProblem = "problem" in parsed ? parsed.problem : undefined;
  const problem = await undoCreation(context, address, secret);
  throw problem === undefined
    ? failure("undone", operation, { id, secretProblem })
    : failure("leftBehind", operation, { id, secretProblem, problem });
}

/** Whether the response revealed no secret, as one about an existing webhook might. */
function isAbsent(secret: unknown): boolean {
  return secret === undefined || secret === null || secret === "";
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function undoCreation(
  context: Context,
  address: WebhookAddress,
  secret: unknown,
): Promise<string | undefined> {
  const operation = context.operation
    .withName(`Delete webhook ${address.id}`)
    .withSensitiveValues(typeof secret === "string" ? [secret] : []);
  const undoContext = { ...context, operation };
  try {
    const deletion = await deleteWebhook(undoContext, address, { isUndo: true });
    if (deletion.kind === "failed") {
      return callText(undoContext, deletion.failure);
    }
    if (deletion.kind === "absent") {
      return undoReturned404(deletion.call.earlierOutcomes.some(mayHaveActed));
    }
    context.runState.noteAbsent(address);
    return undefined;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return `an unexpected error (${unexpectedText(operation, error)})`;
  }
}
