import type { ListedWebhook } from "../api/schemas.js";
import { isEventType } from "../common/event-types.js";
import { parseJson } from "../common/json.js";
import { isAcceptableSecret, normalizeEvents, type WebhookInputs } from "./arguments.js";
import { lookUp } from "./lookup.js";
import { failure } from "./messages/failures.js";
import { importProblems, notFoundText, type Problem } from "./messages/problems.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";
import { validateReceiverUrl } from "./url-rules.js";
import type { Properties } from "./values.js";

/** The arguments that declare an imported webhook. */
type ImportedInputs = Omit<WebhookInputs, "adopt">;

/**
 * Reads a webhook that Pulumi does not know yet: its arguments from the list of its database, and its
 * secret, which the service does not reveal again, from the environment.
 *
 * @param givenSecret One secret, or a JSON object of secrets by `<databaseId>/<id>`.
 */
export async function findToImport(
  context: Context,
  address: WebhookAddress,
  givenSecret: string,
): Promise<{ inputs: ImportedInputs; secret: string }> {
  const { settings, runState, operation } = context;
  const { databaseId, id } = address;
  const notImported = (problem: Problem) => failure("notImported", operation, problem);
  const key = `${databaseId}/${id}`;
  const given = readSecret(givenSecret, key);
  const problems = [
    settings.listing ? undefined : importProblems.listingIsOff,
    given.problem && importProblems.secret(given.problem, key),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) {
    throw notImported(importProblems.incomplete(problems));
  }
  const { webhook, isComplete, failure: failedCall } = await lookUp(context, address);
  // After the lookup, during which the deletion of the webhook may have been sent.
  if (runState.isAbsentOrGoing(address)) {
    throw notImported(importProblems.absent);
  }
  if (webhook === undefined) {
    throw notImported(
      isComplete
        ? importProblems.notListed(settings.baseUrl)
        : importProblems.notLookedUp(notFoundText(context, failedCall)),
    );
  }
  if ((webhook.tableIds?.length ?? 0) > 1) {
    throw notImported(importProblems.severalTables);
  }
  runState.spare(address, "imported");
  return { inputs: inputsOf(databaseId, webhook), secret: given.secret };
}

/** Returns the arguments that declare a webhook as the service has it. */
function inputsOf(databaseId: string, { url, events, tableIds }: ListedWebhook): ImportedInputs {
  return {
    databaseId,
    url,
    events: normalizeEvents(events),
    ...(tableIds?.[0] === undefined ? {} : { tableId: tableIds[0] }),
    ...(events.every(isEventType) ? {} : { allowUnknownEvents: true }),
    ...(validateReceiverUrl(url, {}) === undefined ? {} : { allowInsecureUrl: true }),
  };
}

interface GivenSecret {
  readonly secret: string;
  readonly problem?: string;
}

/**
 * Reads the secret of one webhook. Scripts produce other JSON by accident, such as `null` for a missing
 * value, a quoted text or a list; none of these is a secret that verifies a signature.
 */
function readSecret(givenSecret: string, key: string): GivenSecret {
  const json = parseJson(givenSecret);
  const isSecretMap = typeof json === "object" && json !== null && !Array.isArray(json);
  const unusable = (problem: string) => ({ secret: "", problem });
  if (givenSecret === "") {
    return unusable("is not set, and the service does not reveal the secret again");
  }
  if (!isSecretMap && (json !== undefined || /^\s*["[{]/.test(givenSecret))) {
    return unusable("holds JSON that is not an object of secrets");
  }
  const secret = isSecretMap ? (json as Properties)[key] : givenSecret;
  return typeof secret === "string" && isAcceptableSecret(secret)
    ? { secret }
    : unusable("holds no usable secret for it");
}
