// The messages about requests and webhooks, built from facts. The rules of arguments and settings carry
// their own messages.
import type { FailedCall, NewWebhook } from "../api/client.js";
import type { HttpFailure, HttpResponse } from "../api/http.js";
import { connectionRefusedSeconds, type GiveUpReason } from "../api/retry-policy.js";
import { isNotFound, parseServiceError } from "../api/schemas.js";
import type { ReportedDelay } from "../api/transport.js";
import { parseJson } from "../common/json.js";
import { oneLine, shownValue } from "../common/redact.js";
import {
  environmentVariables,
  importSecretVariable,
  namespace,
  type SettingName,
} from "../common/setting-names.js";
import type { BaseUrlChange } from "./base-url-change.js";
import type { Settings } from "./config.js";
import type { ErrorKind } from "./errors.js";
import type { Context, Operation } from "./operation.js";
import type { Protection } from "./run-state.js";

const maxShownIds = 5;
const unusablePartText = {
  id: "without a usable webhook id",
  list: "with something other than a list of webhooks",
  confirmation: "without confirming the deletion",
};

/** Returns the name of a webhook in messages. */
export function nameOfWebhook(id: string, databaseId: unknown): string {
  const database = typeof databaseId === "string" ? shownValue(databaseId) : "?";
  return `webhook ${shownValue(id)} of database ${database}`;
}

/** Names the operation that failed, the outcome of its request, and the next step. */
export function failureText(
  context: Context,
  failure: FailedCall,
  advice = adviceFor(context, failure),
): string {
  return `${context.operation.name} failed: ${callText(context, failure)}. ${advice}`;
}

/** Describes the outcome of a request, such as `POST https://… returned 401 UNAUTHORIZED "No such key."`. */
export function callText(context: Context, failure: FailedCall): string {
  const { request, outcome, unusablePart } = failure;
  const location = oneLine(request.url.origin + request.url.pathname, 300);
  const result =
    outcome.kind === "response"
      ? responseText(context, outcome, unusablePart)
      : noResponseText(context, outcome);
  return `${request.method} ${location} ${result}${gaveUpText(context, failure)}`;
}

/** Shows the status and the redacted error of a response. */
function responseText(
  { operation }: Context,
  { statusCode, body }: HttpResponse,
  unusablePart: FailedCall["unusablePart"],
): string {
  const { code = "", message = "" } = parseServiceError(body) ?? {};
  const shownMessage = operation.redact(message, 200);
  return [
    `returned ${statusCode}`,
    unusablePart && unusablePartText[unusablePart],
    operation.redact(code, 50),
    shownMessage && `"${shownMessage}"`,
  ]
    .filter(Boolean)
    .join(" ");
}

function noResponseText(
  { settings, operation }: Context,
  { kind, cause, codes = [], text = "" }: HttpFailure,
): string {
  const isSent = kind === "noResponse";
  const incomplete = isSent ? "got no complete response" : "could not connect";
  switch (cause) {
    case "timeout":
      return `${incomplete} within ${settings.timeoutSeconds} s (${nameOfSetting(settings, "timeoutSeconds")})`;
    case "deadline":
      return `${isSent ? incomplete : "was not sent"} before the deadline (customTimeouts, ${operation.deadline?.seconds} s)`;
    case "stopping":
      return "was not sent, because Pulumi is stopping";
    case "connection": {
      const reason = operation.redact([codes[0], text].filter(Boolean).join(": "), 150);
      const lost = isSent ? "lost the connection before the response was complete" : incomplete;
      return `${lost} (${reason || "unknown reason"})`;
    }
  }
}

/** Says why there was no further attempt, if one was due. */
function gaveUpText(
  { settings, operation }: Context,
  { giveUpReason, outcome, earlierOutcomes, elapsedMs }: FailedCall,
): string {
  if (giveUpReason === undefined) {
    return "";
  }
  const reasons: Record<GiveUpReason, string> = {
    retrySeconds: `${nameOfSetting(settings, "retrySeconds")} is ${settings.retrySeconds}`,
    connectionRefused: `a refused connection is retried for ${connectionRefusedSeconds} s`,
    deadline: `customTimeouts allows ${operation.deadline?.seconds} s`,
    stopping: "Pulumi is stopping",
  };
  const attempts =
    earlierOutcomes.length === 0 ? "1 attempt" : `${earlierOutcomes.length + 1} attempts`;
  const retryAfterText =
    outcome.kind === "response" && outcome.retryAfterMs
      ? `the service asks for a wait of ${secondsText(outcome.retryAfterMs)}, and `
      : "";
  return ` (gave up after ${attempts} in ${secondsText(elapsedMs)}: ${retryAfterText}${reasons[giveUpReason]})`;
}

/** Says why requests wait. */
export function delayLine(
  settings: Settings,
  { kind, delayMs, request, outcome }: ReportedDelay,
): string {
  if (kind === "retry") {
    const what = outcome.kind === "response" ? `returned ${outcome.statusCode}` : "did not respond";
    return `${request.url.origin} ${what}; retrying ${request.method}.`;
  }
  const name = nameOfSetting(settings, "requestsPerSecond");
  const { requestsPerSecond: rate } = settings;
  const advice = rate ? `lower ${name}, which is ${rate}` : `set ${name} to what it allows`;
  return `The service limits the rate of requests, so no request is sent for the next ${secondsText(delayMs)}. To avoid such waits, ${advice}.`;
}

/** Describes a creation that made no webhook. */
export function notCreatedText(context: Context, failure: FailedCall): string {
  const advice = `${adviceFor(context, failure)}${quotaHint(failure)}`;
  return failureText(context, failure, `No webhook was created. ${advice}`);
}

/** Describes a creation after which a webhook may exist. */
export function inDoubtText(
  context: Context,
  failure: FailedCall,
  { databaseId, url }: NewWebhook,
  { ids, isComplete }: { readonly ids: readonly string[]; readonly isComplete: boolean },
): string {
  const { outcome, unusablePart } = failure;
  const isJson = outcome.kind === "response" && parseJson(outcome.body) !== undefined;
  const isUnlisted = ids.length === 0 && isComplete;
  const advice = [
    unusablePart === "id" && !isJson && adviceFor(context, failure),
    isUnlisted && "The service lists no such webhook now, but it may still appear.",
    `A webhook may exist in database ${shownValue(databaseId)} without a stored secret.`,
    orphansAdvice(url, ids),
    `Then run "pulumi up" again.${quotaHint(failure)}`,
  ];
  return failureText(context, failure, advice.filter(Boolean).join(" "));
}

function orphansAdvice(url: string, ids: readonly string[]): string {
  if (ids.length === 0) {
    const receiver = URL.parse(url)?.origin ?? "an unknown host";
    return `Look there for an unmanaged webhook to a receiver on ${shownValue(receiver)}, and delete it.`;
  }
  const shown = ids.slice(0, maxShownIds).map(shownValue).join(", ");
  const more = ids.length > maxShownIds ? ` and ${ids.length - maxShownIds} more` : "";
  return `The service lists webhooks with the same url, events and table that this "pulumi up" does not know: ${shown}${more}. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages.`;
}

/** Describes a failed deletion of a webhook that is in the state. */
export function notDeletedText(context: Context, failure: FailedCall): string {
  const advice = adviceFor(context, failure);
  return failureText(context, failure, `The webhook stays in the state. ${advice}`);
}

/** Says what to do after a failed request. */
function adviceFor(
  { settings, operation }: Context,
  { outcome, unusablePart, giveUpReason }: FailedCall,
): string {
  const baseUrl = nameOfSetting(settings, "baseUrl");
  if (outcome.kind !== "response") {
    if (giveUpReason === "stopping" || outcome.cause === "stopping") {
      return "Run the command again.";
    }
    return outcome.kind === "unsent" && outcome.cause === "deadline"
      ? "Raise customTimeouts, or the settings maxConcurrentRequests and requestsPerSecond if they are set."
      : `Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and ${baseUrl}. Then run the command again.`;
  }
  const { statusCode, redirectOrigin } = outcome;
  if (isNotFound(outcome)) {
    return `The service returns this both when the database does not exist and when the key has no access to it: check databaseId, ${nameOfSetting(settings, "apiKey")} and ${baseUrl}.`;
  }
  if (statusCode === 404 || unusablePart !== undefined) {
    return `This is not a response of the API: a login page, a proxy or another host may have sent it. Check ${baseUrl}.`;
  }
  if (statusCode >= 300 && statusCode < 400) {
    const target = redirectOrigin ? `to ${operation.redact(redirectOrigin, 200)}` : "elsewhere";
    return `It redirects ${target}, and the API key is not sent there: set ${baseUrl} to the address of the service itself.`;
  }
  if (statusCode === 401 || statusCode === 403) {
    return `The service does not accept the API key for this. ${apiKeyAdvice(settings)}`;
  }
  return statusCode === 429 || statusCode >= 500
    ? "Run the command again later."
    : `The service refuses the request as it is: check the arguments of the webhook and ${baseUrl}.`;
}

function apiKeyAdvice({ namesFromEnvironment, isExplicit }: Settings): string {
  if (namesFromEnvironment.includes("apiKey")) {
    return `Check the API key: ${environmentVariables.apiKey} sets it.`;
  }
  const remedy = isExplicit
    ? "Correct the Provider's argument apiKey"
    : `Set another key with "pulumi config set --secret ${namespace}:apiKey"`;
  return `${remedy}, then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program.`;
}

function quotaHint({ outcome }: FailedCall): string {
  // A service may return these when a database has as many webhooks as it allows.
  return outcome.kind === "response" && [402, 403, 409, 422].includes(outcome.statusCode)
    ? " If the database has reached its limit of webhooks and this creation replaces one, set the resource option deleteBeforeReplace: true; the notifications then have a gap."
    : "";
}

/** Says where a new webhook is whose secret does not reach the state. */
export function undoText(
  operation: string,
  id: string,
  hasSecret: boolean,
  end: "undone" | "partial" | "leftBehind",
  problem = "",
): string {
  const why = hasSecret
    ? `Pulumi stopped while the service created webhook ${id}`
    : `the service created webhook ${id} but sent no usable secret`;
  const retry = `Run "pulumi up" again; if the error persists, check that baseUrl is the address of the service itself.`;
  const ends = {
    undone: `The new webhook was deleted.${hasSecret ? "" : ` ${retry}`}`,
    partial: `It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: ${problem}`,
    leftBehind: `Pulumi has not stored it: delete it by hand. It could not be deleted at once: ${problem}`,
  };
  return `${operation} failed: ${why}. ${ends[end]}`;
}

/** Complete messages that need few facts. `name` is the result of {@link nameOfWebhook}. */
export const messages = {
  baseUrlRefused: ({ from, to }: BaseUrlChange) =>
    `baseUrl: changes from ${from} to ${to}. The key comes from DBWEBHOOKS_API_KEY, and Pulumi would send it to both addresses. Leave this Provider as it is, and give the new address and its key to another Provider that the webhooks use`,
  providerReplaced: (provider: string, { from, to }: BaseUrlChange) =>
    `Webhooks of the provider ${provider} move from ${from} to ${to}: Pulumi replaces them, and their secrets change. It deletes the old webhooks at ${from} with the old key.`,
  formerBaseUrlsHint: (provider: string, { from, to }: BaseUrlChange) =>
    `The base URL of the provider ${provider} changes from ${from} to ${to}. If ${to} is a new address of the same service, set its formerBaseUrls to ${from}: then no webhook is replaced.`,
  replacement: (name: string, differences: string, hasSecret: boolean) =>
    `Replacing ${name}, because these properties differ: ${differences}. The new webhook has a new secret.${hasSecret ? " The old secret works until the old webhook is deleted, by default at the end of the update." : ""}`,
  importedOtherwise: (name: string, differences: string) =>
    `The program and the service differ about ${name}: ${differences}. Pulumi does not replace a webhook that it imports. Declare it as the service has it, and change it after the import.`,
  incomplete: (problem = "not all arguments are known") =>
    `Create webhook failed: ${problem}. Nothing was sent. Run "pulumi up" again.`,
  existingReturned: (operation: string, id: string) =>
    `${operation} failed: the service returned webhook ${shownValue(id)}, which this "pulumi up" already knows, instead of a new one. No webhook was created and none was deleted. It may belong to another resource of this stack. Declare the subscription once, or change its url, events or table.`,
  adopting: (name: string) =>
    `Adopting ${name}: no webhook is created, and nothing changes at the service. If the state still has this webhook under another Provider, or as a resource of the other entry (pulumi-dbwebhooks or pulumi-dbwebhooks/native), first remove that resource with "pulumi state delete": otherwise Pulumi deletes the webhook. Do not adopt in the first "pulumi up" after an upgrade of this package, in which Pulumi can delete the webhook too.`,
  adopted: (name: string, isLookedUp: boolean) =>
    `This stack manages ${name} from now on. It was not changed${isLookedUp ? "" : ` and was not looked up (the setting listing is off)`}.`,
  otherAdoptedSecret: (name: string) =>
    `The argument adopt.secret of ${name} is not the secret that the state holds, and the state keeps its secret. Remove adopt. To use the other secret, remove the webhook with "pulumi state delete" and run "pulumi up" again.`,
  absent: (name: string) =>
    `The service returned 404 for ${name}, which is therefore removed from the state. A key without access to the database gets the same response: if that is possible here, check at the service that the webhook is gone.`,
  protected: (name: string, protection: Protection) =>
    `Did not delete ${name}: ${protectionText[protection]}`,
  shared: (name: string, resources: readonly string[]) =>
    `${resources.length} resources manage ${name}: ${resources.join(", ")}. Keep one of them, and remove the others from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before that.`,
  adoptedAndOwned: (name: string) =>
    `Compare ${name} failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook.`,
  adoptedAgain: (name: string) =>
    `Replace ${name} failed: its argument adopt names the same webhook. Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret.`,
  adoptionFailed: (operation: string) =>
    `${operation} failed: the program adopts this webhook, and this "pulumi up" failed to adopt it. Nothing was sent, and the webhook stays in the state.`,
  noAddress: (operation: string) =>
    `${operation} failed: its state has no usable id, databaseId or baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete".`,
  drift: (name: string, properties: readonly string[], isExternal: boolean) =>
    `Drift of ${name}: these properties differ at the service: ${properties.join(", ")}. ${isExternal ? "This stack only reads it." : 'The next "pulumi up" replaces it, with a new secret, unless the program declares what the service has.'}`,
  driftResolved: (name: string, properties: readonly string[]) =>
    `Drift of ${name} is undone: these properties are at the service again as the program declares them: ${properties.join(", ")}.`,
  gone: (name: string, isExternal: boolean) =>
    `The service no longer has ${name}. ${isExternal ? "This stack only reads it." : 'The next "pulumi up" creates a new one, with a new secret.'}`,
  inactive: (name: string) => `The service has switched off ${name}: it sends no notifications.`,
  notLookedUp: (databaseId: string, why: string) =>
    `Some webhooks of database ${shownValue(databaseId)} were not looked up, because ${why}. Their state stays as it is, and this refresh does not show their drift.`,
  sharedSecret: (name: string, other: string) =>
    `${importSecretVariable} holds one secret, and it is stored for ${name} and for ${other}. If they have different secrets, set it to a JSON object of secrets by DATABASE/NUMBER, and import again.`,
  notAdopted: (name: string, problem: string) =>
    `Adopt ${name} failed: ${problem} Nothing was changed.`,
  notImported: (operation: string, problem: string, isExternal: boolean) =>
    `${operation} failed: ${problem} ${
      isExternal
        ? "A stack that manages the webhook can export its secret for a StackReference."
        : "The argument adopt takes over a webhook without an import, and without a lookup if the setting listing is off."
    } Nothing was changed.`,
};

/** Parts of messages: why something failed or was not done, and what helps. */
export const messageParts = {
  undoReturned404:
    "the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks.",
  baseUrlLabel: (old: string | undefined, next: string) =>
    `baseUrl (${old === undefined ? "" : `from ${shownValue(old)} `}to ${shownValue(next)})`,
  createdElsewhere: (place: string) =>
    `they were created at ${place}, and baseUrl is now a different address`,
  incompleteList: "the service may have listed only a part of its webhooks",
  listFailed: (call: string) => `the list could not be read: ${call}`,
  adoptDeleted:
    'this "pulumi up" has deleted it, to replace it. Remove adopt from the program and run "pulumi up" again: that creates a new webhook.',
  adoptOwned:
    "this program already manages it. Remove adopt, or the other resource that manages it.",
  lookupNeeded: "To adopt it without a lookup, set listing to false.",
  adoptNotListed:
    "the service does not list it. Check adopt.id, databaseId and the base URL; if it is gone, remove adopt to create a new one.",
  adoptDiffers: (drift: string) =>
    `these properties differ at the service: ${drift}. Declare them as the service has them, and change them afterwards.`,
  listingIsOff:
    "the setting listing is off, and only the service's list shows its url, events and table. Set DBWEBHOOKS_LISTING=true, or listing: true for the Provider.",
  importSecret: (problem: string, key: string) =>
    `${importSecretVariable} ${problem}. Set it to the secret alone, or, for several webhooks, to a JSON object such as {"${key}":"whsec_…"}.`,
  importSeveralTables: "it selects several tables, and a resource can declare one or all.",
  importNotListed:
    "the service does not list it. Check the id, which is DATABASE/NUMBER, and the base URL.",
};

const protectionText: Readonly<Record<Protection, string>> = {
  adopted:
    "the argument adopt of the program names it. Its secret did not change. Remove adopt before you replace it.",
  created:
    'the service returned it for a creation of this "pulumi up". If no resource has it, delete it by hand.',
  owned:
    "a resource of this program appears to manage it. Its secret did not change. If no resource has it, delete it by hand.",
};

/**
 * Explains why nothing is sent for a webhook that was created at another base URL.
 *
 * @param isUpdate Whether the command is `pulumi up`, and not `pulumi destroy`.
 */
export function otherBaseUrlText(
  operation: Operation,
  settings: Settings,
  baseUrl: string,
  isUpdate: boolean,
): string {
  const [from, to] = [shownValue(baseUrl), shownValue(settings.baseUrl)];
  const key = nameOfSetting(settings, "baseUrl");
  return [
    `${operation.name} failed: it was created at ${from}, and ${key} is ${to}. Nothing was sent, and the webhook stays in the state.`,
    `If the same service has moved, add ${from} to its former base URLs (formerBaseUrls, ${environmentVariables.formerBaseUrls}).`,
    `If ${to} is another service, ${otherServiceAdvice(settings, from, isUpdate)}`,
    `If the service at ${from} is gone, run "pulumi state delete" for its webhooks.`,
  ].join(" ");
}

function otherServiceAdvice(settings: Settings, from: string, isUpdate: boolean): string {
  if (settings.isExplicit && settings.namesFromEnvironment.includes("baseUrl")) {
    return `give each Provider its baseUrl and apiKey as arguments: a webhook that moves to another Provider is deleted by its old one.`;
  }
  if (settings.isExplicit) {
    return `give the Provider its former address and key again, and the new ones to a Provider with another name that the webhooks use: the next "pulumi up" deletes the old webhook at ${from}.`;
  }
  return isUpdate
    ? `set ${nameOfSetting(settings, "baseUrl")} back to ${from} and run "pulumi up"; then give the new address and its key to a Provider that the webhooks use: the default provider deletes what it created.`
    : `set ${environmentVariables.baseUrl} to ${from} and ${environmentVariables.apiKey} to its key for this command.`;
}

/** Explains why an operation without valid settings fails. */
export function notConfiguredText(
  operation: string,
  problems: readonly string[],
  kind: ErrorKind,
  isExplicit: boolean,
): string {
  const failed = `${operation} failed: ${problems.join(". ")}. Nothing was sent.`;
  if (kind !== "notDeleted") {
    return failed;
  }
  const [stored, remedy] = isExplicit
    ? ["arguments of the Provider", "correct the program"]
    : ["configuration", 'run "pulumi config set"'];
  return `${failed} The webhook stays in the state. "pulumi destroy" uses the environment, and the ${stored} that the last "pulumi up" stored: set the variable, or ${remedy} and then run "pulumi destroy --run-program".`;
}

/** Reports an unexpected error, redacted, because its own text may hold a secret. */
export function faultText(operation: Operation, error: unknown): string {
  const text = error instanceof Error ? error.message : "no error object";
  return `${operation.name} failed unexpectedly (${operation.redact(text, 300)}). This is a bug in pulumi-dbwebhooks: please report it. Before you run the command again, check which webhooks the service has.`;
}

/** Says of a webhook why a list does not show whether it exists. */
export function notFoundText(context: Context, failure: FailedCall | undefined): string {
  return failure === undefined
    ? "the service does not list it, but may have listed only a part of its webhooks."
    : `it could not be looked up: ${callText(context, failure)}.`;
}

/** Returns the name of a setting, with its variable if the environment has set it. */
function nameOfSetting({ namesFromEnvironment, isExplicit }: Settings, name: SettingName): string {
  const setBy = namesFromEnvironment.includes(name)
    ? ` (set by ${environmentVariables[name]})`
    : "";
  return `${isExplicit ? "the Provider's " : `${namespace}:`}${name}${setBy}`;
}

function secondsText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds > 86_400 ? "over a day" : `${seconds} s`;
}
