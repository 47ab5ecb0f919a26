import { isEventType } from "../common/event-types.js";
import { parseJson } from "../common/json.js";
import { problemOfReceiverUrl } from "../common/url.js";
import { nameOfWebhook } from "../service/advice.js";
import type { ListedWebhook } from "../service/bodies.js";
import type { Account, WebhookAddress } from "../service/client.js";
import { WebhookError } from "../service/errors.js";
import type { Operation } from "../service/operation.js";
import { isSecretAsGiven } from "./arguments.js";
import type { Ledger } from "./ledger.js";
import { lookUp, whyUnknown } from "./lookup.js";
import { normalizeEvents } from "./values.js";

/** The environment variable with the secret of a webhook to import. */
export const importSecretVariable = "DBWEBHOOKS_IMPORT_SECRET";

const adoptHint = "The argument adopt takes over a webhook without an import.";

/** The arguments that declare a webhook as the service has it, and its secret. */
export interface FoundWebhook {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly secret: string;
}

/**
 * Reads a webhook that Pulumi does not know yet: what it is from the service's list, and its secret,
 * which the service does not show again, from the environment.
 *
 * @param variable What the environment variable holds: one secret, or a JSON object of secrets by
 * `<databaseId>/<id>`.
 */
export async function findToImport(
  account: Account,
  ledger: Ledger,
  operation: Operation,
  address: WebhookAddress,
  variable: string | undefined,
): Promise<FoundWebhook> {
  const { databaseId, id } = address;
  const name = nameOfWebhook(id, databaseId);
  const secret = secretIn(variable, `${databaseId}/${id}`);
  const problems = [
    ...(account.settings.listing
      ? []
      : [
          "dbwebhooks:listing is off, and only the service's list shows its url, events and table. Set DBWEBHOOKS_LISTING=true.",
        ]),
    ...(secret === undefined
      ? [
          `${importSecretVariable} holds no secret for it, and the service does not show the secret again. Set it to the secret, or, for several webhooks, to a JSON object such as {"${databaseId}/${id}":"whsec_…"}.`,
        ]
      : []),
  ];
  if (secret === undefined || problems.length > 0) {
    throw importError(name, problems.join(" "));
  }
  const found = await lookUp(account, operation, databaseId, id);
  if (found.kind === "unknown") {
    throw importError(name, whyUnknown(found));
  }
  if (found.kind === "absent") {
    throw importError(
      name,
      "the service does not list it. Check the id, which is DATABASE/NUMBER, and dbwebhooks:baseUrl.",
    );
  }
  const { webhook: listed } = found;
  if ((listed.tableIds?.length ?? 0) > 1) {
    throw importError(name, "it selects several tables, and a resource can declare one or all.");
  }
  warnAboutSharedSecret(ledger, operation, name, variable);
  return { inputs: inputsOf(databaseId, listed), secret };
}

/** One secret for two webhooks is a mistake in most cases, but nothing here can tell. */
function warnAboutSharedSecret(
  ledger: Ledger,
  operation: Operation,
  name: string,
  variable: string | undefined,
): void {
  if (isByWebhook(variable)) {
    return;
  }
  if (ledger.importedWithOneSecret !== undefined && ledger.importedWithOneSecret !== name) {
    operation.warn(
      `${importSecretVariable} holds one secret, and it is stored for ${ledger.importedWithOneSecret} and for ${name}. If they have different secrets, set it to a JSON object of secrets by DATABASE/NUMBER, and import again.`,
    );
  }
  ledger.importedWithOneSecret ??= name;
}

function inputsOf(
  databaseId: string,
  { url, events, tableIds }: ListedWebhook,
): Record<string, unknown> {
  const [tableId] = tableIds ?? [];
  return {
    databaseId,
    url,
    events: normalizeEvents(events),
    ...(tableId === undefined ? {} : { tableId }),
    ...(events.every(isEventType) ? {} : { allowUnknownEvents: true }),
    ...(problemOfReceiverUrl(url, false) === undefined ? {} : { allowInsecureUrl: true }),
  };
}

function secretIn(variable: string | undefined, key: string): string | undefined {
  const secret = isByWebhook(variable)
    ? (parseJson(variable) as Record<string, unknown> | undefined)?.[key]
    : variable;
  return typeof secret === "string" && isSecretAsGiven(secret) ? secret : undefined;
}

function isByWebhook(variable: string | undefined): variable is string {
  return variable?.trimStart().startsWith("{") === true;
}

function importError(name: string, problem: string): WebhookError {
  return new WebhookError(`Import ${name} failed: ${problem} ${adoptHint} Nothing was changed.`);
}
