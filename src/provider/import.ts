import type { WebhookKey } from "../api/client.js";
import type { ListedWebhook } from "../api/schemas.js";
import { isEventType } from "../common/event-types.js";
import { importSecretVariable } from "../common/setting-names.js";
import { failure } from "./messages/failure.js";
import { nameOfWebhook } from "./messages/names.js";
import { importText } from "./messages/notices.js";
import { normalizeEvents, outputsOf, type WebhookInputs } from "./rules/arguments.js";
import { type ImportSecret, readImportSecret } from "./rules/import-secret.js";
import type { WebhookAddress } from "./rules/state.js";
import { validateReceiverUrl } from "./rules/url-rules.js";
import { type Properties, withWrappedSecret, wrapSecret } from "./rules/values.js";
import { lookUp } from "./run/lookup.js";
import type { Context, OperationDefinition } from "./run/operation.js";

interface ImportResult {
  readonly id: string;
  readonly inputs: Properties;
  readonly props: Properties;
}

/**
 * Reads a webhook that Pulumi does not know yet. Its secret, which the service does not reveal
 * again, comes from the environment. Its arguments stand beside the secret, or else come from the
 * list of its database.
 */
export const importOperation: OperationDefinition<WebhookKey, ImportResult> = {
  name: ({ id, databaseId }) => `Import ${nameOfWebhook(id, databaseId)}`,
  sensitive: (key, environment) => {
    const { secret, inputs, problem } = readImportSecret(environment, key);
    return problem === undefined
      ? { secret, url: inputs?.url }
      : { secret: environment[importSecretVariable] };
  },
  onInvalidSettings: "unchanged",
  run: async (context, { id, databaseId }) => {
    const { environment, knownWebhooks, operation, settings, urn } = context;
    const { baseUrl } = settings;
    const address = { baseUrl, databaseId, id };
    const given = readImportSecret(environment, address);
    const webhook = given.inputs ?? (await lookUpInputs(context, address, given));
    const line = importText(nameOfWebhook(id, databaseId), given.inputs === undefined);
    operation.notifyOnce(`${urn}: ${line}`, line);
    knownWebhooks.noteImported(address);
    // Pulumi does not pass on what the program declares, and a receiver's url is often a
    // credential.
    const inputs = { ...webhook, url: wrapSecret(webhook.url) };
    const { secret } = given;
    return { id, inputs, props: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
  },
};

/** Returns the arguments that declare a webhook as the service has it. */
async function lookUpInputs(
  context: Context,
  address: WebhookAddress,
  { problem, isDescribed = false }: ImportSecret,
): Promise<WebhookInputs> {
  const { settings, operation } = context;
  const { databaseId, id } = address;
  const needsListing = !settings.listing && !isDescribed;
  if (needsListing || problem !== undefined) {
    const facts = { needsListing, problem, key: `${databaseId}/${id}` };
    throw failure("notDescribed", operation, facts);
  }
  const { webhook, isComplete, call } = await lookUp(context, address);
  if (webhook === undefined) {
    throw isComplete
      ? failure("notListed", operation, settings.baseUrl)
      : failure("notLookedUp", operation, { context, call });
  }
  if ((webhook.tableIds?.length ?? 0) > 1) {
    throw failure("severalTables", operation);
  }
  return inputsOf(databaseId, webhook);
}

function inputsOf(databaseId: string, { url, events, tableIds }: ListedWebhook): WebhookInputs {
  return {
    databaseId,
    url,
    events: normalizeEvents(events),
    ...(tableIds?.[0] === undefined ? {} : { tableId: tableIds[0] }),
    ...(events.every(isEventType) ? {} : { allowUnknownEvents: true }),
    ...(validateReceiverUrl(url, {}) === undefined ? {} : { allowInsecureUrl: true }),
  };
}
