import type { ListedWebhook } from "../api/schemas.js";
import { isEventType } from "../common/event-types.js";
import { parseJson } from "../common/json.js";
import { isAcceptableSecret, normalizeEvents } from "./arguments.js";
import { WebhookError } from "./errors.js";
import { lookUp } from "./lookup.js";
import { messageParts, messages, nameOfWebhook, notFoundText } from "./messages.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";
import { validateReceiverUrl } from "./urls.js";
import type { Properties } from "./values.js";

/**
 * Reads a webhook that Pulumi does not know yet: its arguments from the list of its database, and its
 * secret, which the service does not reveal again, from the environment.
 *
 * @param givenSecret One secret, or a JSON object of secrets by `<databaseId>/<id>`.
 * @param isExternal Whether the program only reads the webhook (`Webhook.get`). Another stack manages it,
 * so no message may suggest to adopt it.
 */
export async function findToImport(
  context: Context,
  { databaseId, id }: WebhookAddress,
  givenSecret: string,
  isExternal: boolean,
): Promise<{ inputs: Properties; secret: string }> {
  const { settings, runState, operation } = context;
  const name = nameOfWebhook(id, databaseId);
  const notImported = (problem: string) =>
    new WebhookError("unchanged", messages.notImported(operation.name, problem, isExternal));
  const key = `${databaseId}/${id}`;
  const given = readSecret(givenSecret, key);
  const problems = [
    settings.listing ? undefined : messageParts.listingIsOff,
    given.problem && messageParts.importSecret(given.problem, key),
  ].filter(Boolean);
  if (problems.length > 0) {
    throw notImported(problems.join(" "));
  }
  const { webhook, isComplete, failure } = await lookUp(context, { databaseId, id });
  if (webhook === undefined) {
    throw notImported(isComplete ? messageParts.importNotListed : notFoundText(context, failure));
  }
  if ((webhook.tableIds?.length ?? 0) > 1) {
    throw notImported(messageParts.importSeveralTables);
  }
  if (!given.isSecretMap) {
    // Usually a mistake, but nothing here can tell.
    runState.firstImportWithSharedSecret ??= name;
    const first = runState.firstImportWithSharedSecret;
    const isShared = first !== name;
    operation.warn(isShared ? messages.sharedSecret(first, name) : undefined);
  }
  return { inputs: inputsOf(databaseId, webhook), secret: given.secret };
}

/** Returns the arguments that declare a webhook as the service has it. */
function inputsOf(databaseId: string, { url, events, tableIds }: ListedWebhook): Properties {
  return {
    databaseId,
    url,
    events: normalizeEvents(events),
    ...(tableIds?.[0] === undefined ? {} : { tableId: tableIds[0] }),
    ...(events.every(isEventType) ? {} : { allowUnknownEvents: true }),
    ...(validateReceiverUrl(url, {}) === undefined ? {} : { allowInsecureUrl: true }),
  };
}

interface ReadSecret {
  readonly secret: string;
  /** Whether the variable holds a JSON object of secrets. */
  readonly isSecretMap: boolean;
  readonly problem?: string;
}

/**
 * Reads the secret of one webhook. Scripts produce other JSON by accident, such as `null` for a missing
 * value, a quoted text or a list; none of these is a secret that verifies a signature.
 */
function readSecret(givenSecret: string, key: string): ReadSecret {
  const json = parseJson(givenSecret);
  const isSecretMap = typeof json === "object" && json !== null && !Array.isArray(json);
  const unusable = (problem: string) => ({ secret: "", isSecretMap, problem });
  if (givenSecret === "") {
    return unusable("is not set, and the service does not reveal the secret again");
  }
  if (!isSecretMap && (json !== undefined || /^\s*["[{]/.test(givenSecret))) {
    return unusable("holds JSON that is not an object of secrets");
  }
  const secret = isSecretMap ? (json as Properties)[key] : givenSecret;
  return typeof secret === "string" && isAcceptableSecret(secret)
    ? { secret, isSecretMap }
    : unusable("holds no usable secret for it");
}
