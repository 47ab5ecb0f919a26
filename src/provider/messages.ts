import type { FailedCall, NewWebhook, WebhookAddress } from "../api/client.js";
import type { HttpOutcome, HttpResponse } from "../api/http.js";
import { isNotFound, serviceErrorIn } from "../api/schemas.js";
import type { Wait } from "../api/transport.js";
import { oneLine, shownValue } from "../common/redact.js";
import { namespace } from "../common/setting-names.js";
import { nameOfSetting, type Settings } from "./config.js";
import type { Context, Operation } from "./operation.js";

// All that this package says of requests and webhooks, built from facts. What is wrong with an argument
// or a setting is said beside its rule.

/** How messages call a webhook. */
export function nameOfWebhook(id: string, databaseId: unknown): string {
  const database = typeof databaseId === "string" ? shownValue(databaseId) : "?";
  return `webhook ${shownValue(id)} of database ${database}`;
}

// Far more than is shown, far less than what takes long to redact.
const maxReadLength = 4_000;

/** What failed, what happened and what to do, complete alone. */
export function failureText(context: Context, failure: FailedCall, advice: string): string {
  return `${context.operation.name} failed: ${callText(context, failure)}. ${advice}`;
}

/** What became of a request, such as `POST https://… answered 401 UNAUTHORIZED "No such key."`. */
export function callText(context: Context, failure: FailedCall): string {
  const { request, outcome, missing } = failure;
  const location = oneLine(request.url.origin + request.url.pathname, 300);
  const lack = missing === undefined ? "" : ` ${missingText[missing]}`;
  const said = outcome.kind === "response" ? serviceText(context, outcome) : "";
  const gaveUp = gaveUpText(context, failure);
  return `${request.method} ${location} ${outcomeText(context, outcome)}${lack}${said}${gaveUp}`;
}

const missingText = {
  id: "without a usable webhook id",
  list: "with something other than a list of webhooks",
  confirmation: "without confirming the deletion",
};

function outcomeText({ account, operation }: Context, outcome: HttpOutcome): string {
  if (outcome.kind === "response") {
    return `answered ${outcome.statusCode}`;
  }
  const { kind, cause } = outcome;
  const isSent = kind === "noResponse";
  switch (cause.kind) {
    case "timeout":
    case "deadline": {
      const { settings } = account;
      const time =
        cause.kind === "timeout"
          ? `within ${settings.timeoutSeconds} s (${nameOfSetting(settings, "timeoutSeconds")})`
          : `in the time that was left (${customTimeouts(operation)})`;
      return isSent ? `gave no complete response ${time}` : `could not be reached ${time}`;
    }
    case "connection": {
      const text = operation.redact([...cause.codes.slice(0, 1), cause.text].join(": "), 150);
      const why = text || "unknown reason";
      return isSent
        ? `broke the connection before its response was complete (${why})`
        : `could not be reached (${why})`;
    }
    case "tooLong":
      return `answered ${cause.statusCode} with more than 1 MiB`;
    case "badProxy":
      return "was not sent";
    case "stopping":
      return "was not sent, because Pulumi is stopping";
  }
}

function customTimeouts({ deadline }: Operation): string {
  return `customTimeouts, ${deadline?.seconds} s`;
}

function serviceText({ operation }: Context, { body }: HttpResponse): string {
  const error = serviceErrorIn(body);
  if (error === undefined) {
    return "";
  }
  const shown = (text: string, maxLength: number) =>
    operation.redact(text.slice(0, maxReadLength), maxLength);
  const code = shown(error.code, 50);
  const message = shown(error.message, 200);
  return [code, message === "" ? "" : `"${message}"`].map((part) => part && ` ${part}`).join("");
}

/** Why there was no further attempt, where one was due. */
function gaveUpText({ account, operation }: Context, failure: FailedCall): string {
  const { gaveUp, outcome, earlier, elapsedMs } = failure;
  if (gaveUp === undefined) {
    return "";
  }
  if (gaveUp.reason === "stopping") {
    return " (Pulumi is stopping)";
  }
  const attempts = earlier.length + 1;
  const tried =
    outcome.kind === "response" && outcome.retryAfterMs
      ? `it asked to wait ${secondsText(outcome.retryAfterMs)} more`
      : `tried ${attempts} ${attempts === 1 ? "time" : "times"} in ${secondsText(elapsedMs)}`;
  if (gaveUp.reason === "deadline") {
    return ` (${tried}; ${customTimeouts(operation)})`;
  }
  const limit = gaveUp.isRefused
    ? `a refused connection is tried for ${gaveUp.seconds} s`
    : `${nameOfSetting(account.settings, "retrySeconds")} is ${gaveUp.seconds}`;
  return ` (${tried}; ${limit})`;
}

function secondsText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds > 86_400 ? "over a day" : `${seconds} s`;
}

/** Why requests wait. */
export function waitLine(settings: Settings, wait: Wait): string {
  switch (wait.kind) {
    case "throttled": {
      const { requestsPerSecond } = settings;
      const name = nameOfSetting(settings, "requestsPerSecond");
      const advice =
        requestsPerSecond === undefined
          ? `Set ${name} to the rate limit of the service to avoid such waits.`
          : `${name} is ${requestsPerSecond}: a lower value avoids such waits.`;
      return `The service limits the rate of requests: all requests now wait ${secondsText(wait.delayMs)}, as it asks, and are then retried. ${advice}`;
    }
    case "retry": {
      const { method, url } = wait.request;
      const { outcome } = wait;
      const response =
        outcome.kind === "response" ? `returned ${outcome.statusCode}` : "sent no response";
      return `${url.origin} ${response}; retrying ${method}.`;
    }
  }
}

/** A creation that made no webhook. */
export function notCreatedText(context: Context, failure: FailedCall): string {
  const { outcome } = failure;
  const { settings } = context.account;
  const advice =
    outcome.kind !== "response"
      ? connectionAdvice(context, failure)
      : isNotFound(outcome)
        ? `The service gives this answer both when the database does not exist and when the key has no access to it: check databaseId, ${nameOfSetting(settings, "apiKey")} and ${nameOfSetting(settings, "baseUrl")}.`
        : outcome.statusCode === 404
          ? wrongHostAdvice(settings)
          : `${statusAdvice(settings, outcome)}${limitHint(outcome)}`;
  return failureText(context, failure, `No webhook was created. ${advice}`);
}

/** A creation after which a webhook may exist. */
export function inDoubtText(
  context: Context,
  failure: FailedCall,
  { databaseId, url }: NewWebhook,
  { ids, isComplete }: { readonly ids: readonly string[]; readonly isComplete: boolean },
): string {
  const may = `A webhook may exist in database ${shownValue(databaseId)} without a stored secret.`;
  const maxShownIds = 5;
  const shown = ids.slice(0, maxShownIds).map(shownValue).join(", ");
  const more = ids.length > maxShownIds ? ` and ${ids.length - maxShownIds} more` : "";
  const receiver = URL.canParse(url) ? new URL(url).origin : "an unknown host";
  const advice =
    ids.length > 0
      ? `${may} The service lists webhooks with the same url, events and table that this run does not know: ${shown}${more}. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages.`
      : `${isComplete ? "The service lists no such webhook now, but it may still appear. " : ""}${may} Look there for an unmanaged webhook to a receiver on ${shownValue(receiver)}, and delete it.`;
  const hint = failure.outcome.kind === "response" ? limitHint(failure.outcome) : "";
  return failureText(context, failure, `${advice} Then run "pulumi up" again.${hint}`);
}

/** A deletion that did not succeed. `isUndo` when a creation is undone: it cannot be run again. */
export function notDeletedText(context: Context, failure: FailedCall, isUndo = false): string {
  const { request, outcome, missing } = failure;
  const { settings } = context.account;
  const isElsewhere = !request.url.href.startsWith(`${settings.baseUrl}/api/v1/`);
  const advice =
    outcome.kind !== "response"
      ? connectionAdvice(context, failure, isUndo)
      : isElsewhere && [401, 403, 404].includes(outcome.statusCode)
        ? `The webhook was created there, and ${nameOfSetting(settings, "baseUrl")} is ${shownValue(settings.baseUrl)}: the API key may not be valid at both. Set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY for this command to those of that service, or delete the webhook by hand and remove it with "pulumi state delete".`
        : outcome.statusCode === 404 || missing !== undefined
          ? wrongHostAdvice(settings)
          : statusAdvice(settings, outcome);
  const state = isUndo ? "" : "The webhook stays in the state. ";
  return failureText(context, failure, `${state}${advice}`);
}

function connectionAdvice(
  { account, engine }: Context,
  { outcome }: FailedCall,
  isUndo = false,
): string {
  if (outcome.kind !== "response" && outcome.cause.kind === "badProxy") {
    return 'HTTPS_PROXY or HTTP_PROXY holds no usable URL: set it to one such as "http://proxy.example.com:3128".';
  }
  if (engine.stopping.aborted && !isUndo) {
    return "Run the command again.";
  }
  return `Check that the service is running, the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and ${nameOfSetting(account.settings, "baseUrl")}, then run the command again.`;
}

function wrongHostAdvice(settings: Settings): string {
  return `This is not an answer of the service: a proxy or another host may have given it. Check ${nameOfSetting(settings, "baseUrl")}.`;
}

function statusAdvice(settings: Settings, { statusCode, redirectOrigin }: HttpResponse): string {
  const baseUrl = nameOfSetting(settings, "baseUrl");
  if (statusCode >= 300 && statusCode < 400) {
    const target = redirectOrigin === undefined ? "elsewhere" : `to ${shownValue(redirectOrigin)}`;
    return `It redirects ${target}, and the API key is not sent there: set ${baseUrl} to the address of the service itself.`;
  }
  if (statusCode === 401 || statusCode === 403) {
    return settings.fromEnvironment.includes("apiKey")
      ? `The service does not accept the API key for this. Check the API key: DBWEBHOOKS_API_KEY sets it.`
      : `The service does not accept the API key for this. Set another key: "pulumi config set --secret ${namespace}:apiKey", then "pulumi up" ("pulumi destroy" and "pulumi refresh" read DBWEBHOOKS_API_KEY). For a Provider: its argument apiKey.`;
  }
  return statusCode === 429 || statusCode >= 500
    ? "Run the command again later."
    : `The service refuses the request as it is: check the arguments of the webhook and ${baseUrl}.`;
}

function limitHint({ statusCode }: HttpResponse): string {
  // A service may answer with these when a database has as many webhooks as it allows.
  return [402, 403, 409, 422].includes(statusCode)
    ? " If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications."
    : "";
}

/** What became of a webhook that was created, and whose secret does not reach the state. */
export function undoText(
  { databaseId, id }: WebhookAddress,
  secret: string | undefined,
  end: "undone" | "partial" | "leftBehind",
  problem = "",
): string {
  const why =
    secret === undefined
      ? `the service created webhook ${id} but sent no usable secret`
      : `Pulumi stopped while the service created webhook ${id}`;
  const ends = {
    undone: `It was deleted again.${secret === undefined ? ` Run "pulumi up" again; if this comes back, check that ${namespace}:baseUrl is the service itself.` : ""}`,
    partial: `It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: ${problem}`,
    leftBehind: `Pulumi has not stored it: delete it by hand. It could not be deleted at once: ${problem}`,
  };
  return `Create webhook in database ${shownValue(databaseId)} failed: ${why}. ${ends[end]}`;
}

/** Lines about one webhook. `name` is what {@link nameOfWebhook} gives. */
export const lines = {
  absentUndo: () =>
    "the service answered 404 NOT_FOUND, which a key that may not delete webhooks gets too.",
  replacement: (name: string, reasons: string) =>
    `Replacing ${name}: ${reasons}. Its secret will change. The old webhook and its secret keep working until the end of the update; with deleteBeforeReplace they are deleted first. With retainOnDelete they stay, if an earlier "pulumi up" has stored that option.`,
  importedOtherwise: (name: string, reasons: string) =>
    `The program does not declare ${name} as the service has it: ${reasons}. Pulumi does not replace what it imports. Declare it as it is there, and change it after the import.`,
  adopting: (name: string) =>
    `Adopting ${name}: no webhook is created, and the service changes nothing. If a resource of another Provider or of the other entry of this package has it, first run "pulumi state delete" for that one: Pulumi would delete the webhook.`,
  adopted: (name: string, isLookedUp: boolean) =>
    `This stack manages ${name} from now on. It was not changed${isLookedUp ? "" : ` and was not looked up (${namespace}:listing is off)`}.`,
  otherAdoptedSecret: (name: string) =>
    `The argument adopt.secret of ${name} is not the secret that the state holds, which stays in force. Remove adopt. To use the other secret, remove the webhook with "pulumi state delete" and run "pulumi up" again.`,
  absent: (name: string) =>
    `The service did not have ${name} any more, and it is removed from the state. A key without access to the database gets the same answer: if this is possible here, look at the service.`,
  named: (name: string) =>
    `Kept ${name}: the argument adopt of the program names it. It was not deleted, and its secret is the same. Remove adopt before you replace it.`,
  kept: (name: string) =>
    `Kept ${name}: another resource of this program may have it, because this run has found it unchanged. It was not deleted, and its secret is the same. If no other resource has it, delete it by hand.`,
  /** Of one resource there is nothing to say. */
  shared: (name: string, resources: readonly string[]) =>
    resources.length < 2
      ? undefined
      : `Two resources manage ${name}: ${resources.join(" and ")}. Remove one of them from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before.`,
  adoptedAndKept: (name: string) =>
    `Compare ${name} failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook.`,
  adoptedAgain: (name: string, reasons: string) =>
    `Replace ${name} failed: its argument adopt names the same webhook (${reasons}). Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret.`,
  drift: (name: string, properties: readonly string[], isOnlyRead: boolean) =>
    `Drift of ${name}: ${properties.join(", ")}. ${isOnlyRead ? "This stack only reads it." : 'The next "pulumi up" replaces it, with a new secret, unless the program then declares the same.'}`,
  gone: (name: string, isOnlyRead: boolean) =>
    `The service no longer has ${name}. ${isOnlyRead ? "This stack only reads it." : 'The next "pulumi up" creates a new one, with a new secret.'}`,
  inactive: (name: string) => `The service has switched off ${name}: it sends no notifications.`,
  notLookedUp: (databaseId: string, why: string) =>
    `Not all webhooks of database ${shownValue(databaseId)} could be looked up: ${why}. The state of those that were not found stays as it is.`,
  sharedSecret: (variable: string, name: string, other: string) =>
    `${variable} holds one secret, and it is stored for ${name} and for ${other}. If they have different secrets, set it to a JSON object of secrets by DATABASE/NUMBER, and import again.`,
};

/** Why another base URL replaces a webhook, and what the deletion of the old one will need. */
export function baseUrlReason(settings: Settings, old: string | undefined): string {
  const key = nameOfSetting(settings, "baseUrl");
  const change = `${key} changes${old === undefined ? "" : ` from ${shownValue(old)}`} to ${shownValue(settings.baseUrl)}`;
  const needs =
    old === undefined || settings.otherBaseUrls.includes(old)
      ? ""
      : `; to delete the old webhook, add ${shownValue(old)} to ${namespace}:otherBaseUrls`;
  return `${change} (if the same service has moved, set ${namespace}:formerBaseUrls to the former address${needs})`;
}

/** A webhook that was created where the key may not be sent. */
export function elsewhereText({ account, operation }: Context, baseUrl: string): string {
  const place = shownValue(baseUrl);
  const { settings } = account;
  return `${operation.name} failed: its state says that it was created at ${place}, and ${nameOfSetting(settings, "baseUrl")} is ${shownValue(settings.baseUrl)}. Nothing was sent, and the webhook stays in the state. If the same service has moved, add ${place} to ${namespace}:formerBaseUrls (DBWEBHOOKS_FORMER_BASE_URLS). If it is another service that this API key may be sent to, add it to ${namespace}:otherBaseUrls (DBWEBHOOKS_OTHER_BASE_URLS). "pulumi destroy" and "pulumi refresh" read the environment.`;
}

/** Any other error, whose text may hold a secret. */
export function faultText(operation: Operation, error: unknown): string {
  const text = error instanceof Error ? error.message : "no error object";
  return `${operation.name} failed unexpectedly (${operation.redact(text, 300)}). This is a fault of pulumi-dbwebhooks: look at the service before you run the command again, and report the fault.`;
}

/** Why a list does not tell whether a webhook exists, as a sentence about that webhook. */
export function unknownText(context: Context, failure: FailedCall | undefined): string {
  return failure === undefined
    ? "the service does not list it, but may have listed only a part of its webhooks."
    : `it could not be looked up: ${callText(context, failure)}.`;
}
