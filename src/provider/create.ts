import { createWebhook, deleteWebhook } from "../api/client.js";
import { factsOf } from "../api/response-class.js";
import { failure, webhookErrorOf } from "./messages/failure.js";
import { unexpectedText } from "./messages/failure-table.js";
import { callText } from "./messages/requests.js";
import { sentences } from "./messages/sentences.js";
import { outputsOf, parseInputs, type WebhookInputs } from "./rules/arguments.js";
import { parseProperties, type WebhookAddress } from "./rules/state.js";
import { type Properties, parseSecret, withWrappedSecret } from "./rules/values.js";
import type { ErrorKind } from "./run/errors.js";
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

/** The kinds of errors after which the service has no webhook of the creation. */
const harmlessKinds: readonly ErrorKind[] = ["notCreated", "undone"];

/**
 * Creates a webhook. Deletes it again only if its secret can no longer reach the state, because
 * Pulumi stores nothing more.
 */
export const createOperation: OperationDefinition<CreateRequest, CreateResult> = {
  name: ({ inputs }) => {
    const { databaseId } = parseProperties(inputs);
    return `Create webhook${databaseId === undefined ? "" : ` in database ${databaseId}`}`;
  },
  sensitive: ({ inputs }) => inputs,
  isCreation: true,
  onInvalidSettings: "notCreated",
  run: async (context, { inputs }) => {
    const { engineMonitor, operation, knownWebhooks, settings, urn } = context;
    const parsed = parseInputs(inputs);
    if ("problem" in parsed) {
      throw failure("incomplete", operation, parsed.problem);
    }
    // The dynamic adapter gets no URN.
    const creation = urn ?? JSON.stringify(parsed.webhook);
    assertNotInDoubt(context, creation);
    try {
      const { id, secret } = await createOrUndo(context, parsed.webhook);
      const { baseUrl } = settings;
      return { id, outs: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
    } catch (error) {
      const webhookError = webhookErrorOf(error, operation);
      if (!harmlessKinds.includes(webhookError.kind)) {
        knownWebhooks.noteDoubt(creation, webhookError);
      }
      if (!(await engineMonitor.confirmCanStoreOrStop())) {
        // The process ends before the error can reach the engine.
        operation.warn(webhookError.message);
      }
      throw webhookError;
    }
  },
};

/**
 * Throws if this creation has failed before in this command and may have left a webhook at the
 * service. An error hook of the program makes Pulumi repeat a failed creation, and then Pulumi does
 * not show the error, so the first repetition does.
 */
function assertNotInDoubt({ operation, knownWebhooks }: Context, creation: string): void {
  const doubts = knownWebhooks.doubtsOf(creation);
  for (const [at, { message }] of doubts.entries()) {
    operation.warnOnce(`doubt ${at} of ${creation}`, () => message);
  }
  if (doubts.length > 0) {
    throw failure("repeated", operation);
  }
}

async function createOrUndo(context: Context, webhook: WebhookInputs): Promise<CreatedWebhook> {
  const { settings, knownWebhooks, engineMonitor, operation } = context;
  const creation = await createWebhook(context, webhook);
  if (creation.kind === "refused") {
    throw failure("notCreated", operation, { context, call: creation.call });
  }
  if (creation.kind === "inDoubt") {
    throw failure("inDoubt", operation, { context, call: creation.call });
  }
  const address = { ...creation.webhook, baseUrl: settings.baseUrl };
  const { id } = address;
  const storable = parseSecret(creation.secret);
  if (knownWebhooks.isKnown(address)) {
    throw failure("knownId", operation, id);
  }
  if ("problem" in storable) {
    knownWebhooks.noteNumber(address);
    throw failure("unusableSecret", operation, { id, problem: storable.problem });
  }
  // Before anything else is awaited: Pulumi may start a deletion of this webhook meanwhile.
  knownWebhooks.noteCreated(address);
  if (await engineMonitor.confirmCanStoreOrStop()) {
    return { id, secret: storable.secret };
  }
  const problem = await undoCreation(context, address, storable.secret);
  throw problem === undefined
    ? failure("undone", operation, id)
    : failure("leftBehind", operation, { id, problem });
}

/** Deletes a webhook that was just created. Returns what went wrong, if anything did. */
async function undoCreation(
  context: Context,
  address: WebhookAddress,
  secret: string,
): Promise<string | undefined> {
  const operation = context.operation.withSensitiveValues([secret]);
  const undoContext = { ...context, operation };
  try {
    const deletion = await deleteWebhook(undoContext, address, { isUndo: true });
    if (deletion.kind === "failed") {
      return callText(undoContext, deletion.call);
    }
    if (deletion.kind === "absent") {
      return sentences(
        "the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks",
        deletion.call.earlierOutcomes.some((outcome) => factsOf(outcome).mayBeCarriedOut) &&
          "(an earlier attempt without a complete response may have deleted it)",
      );
    }
    return undefined;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return `an unexpected error (${unexpectedText(operation, error)})`;
  }
}
