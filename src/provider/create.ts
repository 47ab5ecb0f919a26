import { createWebhook, deleteWebhook, type NewWebhook } from "../api/client.js";
import type { ReportedDelay } from "../api/transport.js";
import type { ErrorKind } from "./command/errors.js";
import type { AccountOperation, Context } from "./command/operation.js";
import { failed, webhookErrorOf } from "./messages/error-message.js";
import { type FailedUndo, failures } from "./messages/failures.js";
import { delayTextOfPulumi } from "./messages/notices.js";
import { parseArguments } from "./rules/arguments.js";
import { type Properties, parseSecret, withWrappedSecret } from "./rules/values.js";
import type { WebhookAddress } from "./rules/webhook-address.js";

export interface CreateRequest {
  readonly inputs: Properties;
}

/** The id and the outputs for Pulumi to store, as Pulumi's dynamic providers return them. */
export interface CreateResult {
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
export const createOperation: AccountOperation<CreateRequest, CreateResult> = {
  kind: "create",
  name: ({ inputs }) => {
    const { databaseId } = inputs;
    return `Create webhook${typeof databaseId === "string" ? ` in database ${databaseId}` : ""}`;
  },
  sensitive: ({ inputs }) => ({ properties: inputs }),
  run: (context, { inputs }) =>
    context.engineMonitor.trackCreation(() => createOnce(context, inputs)),
};

/** Creates a webhook unless an earlier attempt may have done so. */
async function createOnce(context: Context, inputs: Properties): Promise<CreateResult> {
  const { engineMonitor, reporter, knownWebhooks, settings, urn } = context;
  const parsed = parseArguments(inputs);
  if ("problems" in parsed) {
    throw failed(reporter, failures.incomplete(parsed.problems));
  }
  const { webhook } = parsed;
  // The dynamic adapter gets no URN.
  const creation = urn ?? JSON.stringify(webhook);
  assertNotInDoubt(context, creation);
  try {
    const { id, secret } = await createOrUndo(context, webhook);
    const { baseUrl } = settings;
    return { id, outs: withWrappedSecret({ ...webhook, baseUrl, secret }) };
  } catch (error) {
    const webhookError = webhookErrorOf(error, reporter);
    if (!harmlessKinds.includes(webhookError.kind)) {
      knownWebhooks.noteDoubt(creation, webhookError);
    }
    if (!(await engineMonitor.confirmCanStoreOrStop())) {
      // The process ends before the error can reach the engine.
      reporter.warn(webhookError.message);
    }
    throw webhookError;
  }
}

/**
 * Throws if this creation has failed before in this command and may have left a webhook at the
 * service. An error hook of the program makes Pulumi repeat a failed creation, and then Pulumi does
 * not show the error, so the first repetition does.
 */
function assertNotInDoubt({ reporter, knownWebhooks }: Context, creation: string): void {
  const doubts = knownWebhooks.doubtsOf(creation);
  for (const [at, { message }] of doubts.entries()) {
    if (reporter.noteShown(`doubt ${at} of ${creation}`)) {
      reporter.warn(message);
    }
  }
  if (doubts.length > 0) {
    throw failed(reporter, failures.repeated());
  }
}

async function createOrUndo(context: Context, webhook: NewWebhook): Promise<CreatedWebhook> {
  const { engineMonitor, settings, knownWebhooks, reporter } = context;
  const creation = await createWebhook(context, webhook);
  if (creation.kind === "refused") {
    throw failed(reporter, failures.notCreated(context, creation.call));
  }
  if (creation.kind === "inDoubt") {
    throw failed(reporter, failures.inDoubt(context, creation.call));
  }
  const address = { ...creation.webhook, baseUrl: settings.baseUrl };
  const { id } = address;
  const storable = parseSecret(creation.secret);
  if (knownWebhooks.isKnown(address)) {
    throw failed(reporter, failures.knownId(id));
  }
  if ("problem" in storable) {
    knownWebhooks.noteId(address);
    throw failed(reporter, failures.unusableSecret(id, storable.problem));
  }
  // Before anything else is awaited: Pulumi may start a deletion of this webhook meanwhile.
  knownWebhooks.noteCreated(address);
  if (await engineMonitor.confirmCanStoreOrStop()) {
    return { id, secret: storable.secret };
  }
  const properties = { secret: storable.secret };
  const undoReporter = reporter.alsoRedacting({ properties });
  const onDelay = (delay: ReportedDelay) =>
    undoReporter.notify(delayTextOfPulumi(undoReporter, delay));
  const undoContext = { ...context, reporter: undoReporter, onDelay };
  const undo = await undoCreation(undoContext, address);
  throw undo === undefined
    ? failed(reporter, failures.undone(id))
    : failed(reporter, failures.leftBehind(undoContext, id, undo));
}

/** Deletes a webhook that was just created, also after a stop. Returns what failed, if anything. */
async function undoCreation(
  context: Context,
  address: WebhookAddress,
): Promise<FailedUndo | undefined> {
  try {
    const deletion = await deleteWebhook({ ...context, send: context.sendUndo }, address);
    return deletion.kind === "deleted" ? undefined : deletion;
  } catch (error) {
    // The webhook exists after any error, so the caller has to name it.
    return { kind: "fault", error };
  }
}
