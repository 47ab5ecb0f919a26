import type { WebhookKey } from "../api/client.js";
import type { ListedWebhook } from "../api/schemas.js";
import { isEventType } from "../common/event-types.js";
import { hasControlOrSurroundingSpace } from "../common/identifier.js";
import { isJsonObject, parseJson } from "../common/json.js";
import { importSecretVariable } from "../common/setting-names.js";
import { failure } from "./messages/failure.js";
import { nameOfWebhook } from "./messages/names.js";
import { importText } from "./messages/notices.js";
import {
  normalizeEvents,
  outputsOf,
  validateArguments,
  type WebhookInputs,
  webhookArguments,
} from "./rules/arguments.js";
import type { WebhookAddress } from "./rules/state.js";
import { validateReceiverUrl } from "./rules/url-rules.js";
import { type Properties, parseSecret, withWrappedSecret, wrapSecret } from "./rules/values.js";
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
  sensitive: (_key, environment) => ({ secret: environment[importSecretVariable] }),
  onInvalidSettings: "unchanged",
  run: async (context, { id, databaseId }) => {
    const { environment, knownWebhooks, operation, settings, urn } = context;
    const { baseUrl } = settings;
    const address = { baseUrl, databaseId, id };
    const given = parseVariable(environment[importSecretVariable] ?? "", address);
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
  { problem, isDescribed = false }: GivenWebhook,
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

/** What the variable holds for one webhook. */
interface GivenWebhook {
  readonly secret: string;
  /** Its arguments, where they stand beside the secret. */
  readonly inputs?: WebhookInputs;
  /** Whether its arguments should stand beside the secret. */
  readonly isDescribed?: boolean;
  readonly problem?: string;
}

/**
 * Reads the variable for one webhook: a JSON object by `<databaseId>/<id>` of secrets, or of
 * objects with `secret` and the arguments. No problem repeats a name or a value of the variable: if
 * somebody has swapped key and value, the name is the secret.
 */
function parseVariable(variable: string, { databaseId, id }: WebhookAddress): GivenWebhook {
  if (variable === "") {
    return unusable("is not set, and the service does not reveal the secret again");
  }
  const secrets = parseJson(variable);
  if (!isJsonObject(secrets)) {
    return unusable("is not a JSON object of secrets");
  }
  const given = secrets[`${databaseId}/${id}`];
  const { secret, ...declared } = isJsonObject(given) ? given : { secret: given };
  if (typeof secret !== "string" || !isUsableSecret(secret)) {
    return { ...unusable("holds no usable secret for it"), isDescribed: isJsonObject(given) };
  }
  return isJsonObject(given)
    ? { secret, isDescribed: true, ...parseDeclared(declared, databaseId) }
    : { secret };
}

function parseDeclared(
  declared: Properties,
  databaseId: string,
): Pick<GivenWebhook, "inputs" | "problem"> {
  const inputs = { ...declared, databaseId };
  const names = Object.keys(webhookArguments);
  const hasUnknownName = Object.keys(inputs).some((name) => !names.includes(name));
  const problems = [
    ...(hasUnknownName ? [`it holds a name other than secret, ${names.join(", ")}`] : []),
    ...validateArguments(inputs),
  ];
  return problems.length === 0
    ? {
        inputs: { ...inputs, events: normalizeEvents(declared.events) } as unknown as WebhookInputs,
      }
    : { problem: `does not describe it: ${problems.join("; ")}` };
}

function unusable(problem: string): GivenWebhook {
  return { secret: "", problem };
}

/**
 * Whether a secret that a user gives is accepted. A secret that the service returns may hold more.
 */
function isUsableSecret(text: string): boolean {
  return "secret" in parseSecret(text) && !hasControlOrSurroundingSpace(text);
}
