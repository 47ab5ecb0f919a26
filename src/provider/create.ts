import { createWebhook, deleteWebhook } from "../api/client.js";
import { mayHaveActed } from "../api/retry-policy.js";
import { failure } from "./messages/failure.js";
import { unexpectedText } from "./messages/failures.js";
import { callText } from "./messages/requests.js";
import { sentences } from "./messages/sentences.js";
import { outputsOf, parseInputs, type WebhookInputs } from "./rules/arguments.js";
import { parseProperties, type WebhookAddress } from "./rules/state.js";
import { type Properties, parseSecret, withWrappedSecret } from "./rules/values.js";
import { WebhookError } from "./run/errors.js";
import type { Context, OperationDefinition } from "./run/operation.js";

interface CreateRequest {
  readonly inputs: Properties;
}

/** The id and the outputs for Pulumi to store, as Pulumi's dynamic providers return them. */
interface CreateResult {
  readonly id: string;
  readonly outs: Properties;
}

/** A new webhook, and the secret that the service reveals only once. */
interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

/**
 * Creates a webhook. Deletes it again if its secret cannot be stored, or can no longer reach the state; never if the
 * webhook may have existed before.
 */
export const createOperation: OperationDefinition<CreateRequest, CreateResult> = {
  name: ({ inputs }) => {
    const { databaseId } = parseProperties(inputs);
    return `Create webhook${databaseId === undefined ? "" : ` in database ${databaseId}`}`;
  },
  sensitive: ({ inputs }) => inputs,
  isCreation: true,
  withoutSettings: "notCreated",
  run: async (context, { inputs }) => {
    const { engineMonitor, operation, settings } = context;
    const parsed = parseInputs(inputs);
    if ("problem" in parsed) {
      throw failure("incomplete", operation, parsed.problem);
    }
    try {
      const { id, secret } = await createOrUndo(context, parsed.webhook);
      const { baseUrl } = settings;
      return { id, outs: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
    } catch (error) {
      if (!(await engineMonitor.confirmCanStoreOrStop())) {
        // The process ends before the error can reach the engine.
        operation.warn(error instanceof WebhookError ? error.message : `${operation.name} failed.`);
      }
      throw error;
    }
  },
};

async function createOrUndo(context: Context, webhook: WebhookInputs): Promise<CreatedWebhook> {
  const { settings, runState, engineMonitor, operation } = context;
  const startedAt = runState.now;
  const creation = await createWebhook(context, webhook);
  if (creation.kind === "refused") {
    throw failure("notCreated", operation, { context, call: creation.failedCall });
  }
  if (creation.kind === "inDoubt") {
    throw failure("inDoubt", operation, { context, call: creation.failedCall });
  }
  const { secret } = creation;
  const address = { ...creation.webhook, baseUrl: settings.baseUrl };
  const { id } = address;
  const isKnown = runState.isKnown(address, startedAt);
  if (isKnown || isMissing(secret)) {
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
function isMissing(secret: unknown): boolean {
  return secret === undefined || secret === null || secret === "";
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function undoCreation(
  context: Context,
  address: WebhookAddress,
  secret: unknown,
): Promise<string | undefined> {
  const operation = context.operation.withSensitiveValues(
    typeof secret === "string" ? [secret] : [],
  );
  const undoContext = { ...context, operation };
  try {
    const deletion = await deleteWebhook(undoContext, address, { isUndo: true });
    if (deletion.kind === "failed") {
      return callText(undoContext, deletion.failedCall);
    }
    if (deletion.kind === "absent") {
      return sentences(
        "the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks",
        deletion.call.earlierOutcomes.some(mayHaveActed) &&
          "(an earlier attempt without a complete response may have deleted it)",
      );
    }
    context.runState.noteAbsent(address);
    return undefined;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return `an unexpected error (${unexpectedText(operation, error)})`;
  }
}
