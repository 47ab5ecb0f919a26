import type { WebhookAddress } from "../api/client.js";
import { isEventType } from "../common/event-types.js";
import { parseJson } from "../common/json.js";
import { problemOfReceiverUrl } from "../common/url.js";
import { isSecretAsGiven } from "./arguments.js";
import { WebhookError } from "./errors.js";
import { lookUp } from "./lookup.js";
import { lines, nameOfWebhook, unknownText } from "./messages.js";
import type { Context } from "./operation.js";
import { normalizeEvents, type Properties } from "./values.js";

/** The environment variable with the secret of a webhook to import. */
export const importSecretVariable = "DBWEBHOOKS_IMPORT_SECRET";

/**
 * Reads a webhook that Pulumi does not know yet: the arguments that declare it from the service's list,
 * and its secret, which the service does not show again, from the environment.
 *
 * @param variable One secret, or a JSON object of secrets by `<databaseId>/<id>`.
 * @param isOnlyRead Whether the program only reads the webhook (`Webhook.get`): it belongs to somebody
 * else, so nothing may advise to take it over.
 */
export async function findToImport(
  context: Context,
  { databaseId, id }: WebhookAddress,
  variable: string,
  isOnlyRead: boolean,
): Promise<{ inputs: Properties; secret: string }> {
  const { account, ledger, operation } = context;
  const name = nameOfWebhook(id, databaseId);
  const hint = isOnlyRead
    ? "A stack that manages the webhook can export its secret for a StackReference."
    : "The argument adopt takes over a webhook without an import.";
  const fail = (problem: string) => {
    const text = `${operation.name} failed: ${problem} ${hint} Nothing was changed.`;
    return new WebhookError("notImported", text);
  };
  const key = `${databaseId}/${id}`;
  const given = secretIn(variable, key);
  const problems = [
    account.settings.listing
      ? ""
      : "dbwebhooks:listing is off, and only the service's list shows its url, events and table. Set DBWEBHOOKS_LISTING=true.",
    given.problem &&
      `${importSecretVariable} ${given.problem}. Set it to the secret alone, or, for several webhooks, to a JSON object such as {"${key}":"whsec_…"}.`,
  ].filter(Boolean);
  if (problems.length > 0) {
    throw fail(problems.join(" "));
  }
  const { webhook: listed, isComplete, failure } = await lookUp(context, databaseId, id);
  if (listed === undefined) {
    throw fail(
      isComplete
        ? "the service does not list it. Check the id, which is DATABASE/NUMBER, and dbwebhooks:baseUrl."
        : unknownText(context, failure),
    );
  }
  if ((listed.tableIds?.length ?? 0) > 1) {
    throw fail("it selects several tables, and a resource can declare one or all.");
  }
  if (!given.isByWebhook) {
    // One secret for two webhooks is a mistake in most cases, but nothing here can tell.
    const { importedWithOneSecret: first = name } = ledger;
    ledger.importedWithOneSecret = first;
    const line = lines.sharedSecret(importSecretVariable, first, name);
    operation.warn(first === name ? undefined : line);
  }
  const { url, events, tableIds } = listed;
  const inputs = {
    databaseId,
    url,
    events: normalizeEvents(events),
    ...(tableIds?.[0] === undefined ? {} : { tableId: tableIds[0] }),
    ...(events.every(isEventType) ? {} : { allowUnknownEvents: true }),
    ...(problemOfReceiverUrl(url, false) === undefined ? {} : { allowInsecureUrl: true }),
  };
  return { inputs, secret: given.secret };
}

/**
 * Scripts make JSON by accident: `null` for a missing value, a text in quotes, a list. None of it is a
 * secret that verifies a signature.
 */
function secretIn(variable: string, key: string) {
  const json = parseJson(variable);
  const isByWebhook = typeof json === "object" && json !== null && !Array.isArray(json);
  const value = isByWebhook ? (json as Record<string, unknown>)[key] : variable;
  const secret = typeof value === "string" && isSecretAsGiven(value) ? value : "";
  const problem =
    variable === ""
      ? "is not set, and the service does not show the secret again"
      : !isByWebhook && (json !== undefined || /^\s*["[{]/.test(variable))
        ? "holds JSON that is not an object of secrets"
        : secret === ""
          ? "holds no usable secret for it"
          : "";
  return { secret, isByWebhook, problem };
}
