// What happened to a request, and what to do after a failed one.
import type { FailedCall } from "../../api/client.js";
import { connectionRefusedSeconds, type GiveUpReason } from "../../api/retry-policy.js";
import type { HttpFailure, HttpResponse } from "../../api/send-once.js";
import { isNotFound, parseServiceError, secretsInBody } from "../../api/service-error.js";
import type { ReportedDelay } from "../../api/transport.js";
import { oneLine } from "../../common/redact.js";
import { environmentVariables } from "../../common/setting-names.js";
import type { Settings } from "../config.js";
import type { Context, Operation } from "../operation.js";
import { nameOfSetting } from "./names.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

const unusablePartText = {
  id: "without a usable webhook id",
  list: "with something other than a list of webhooks",
  confirmation: "without confirming the deletion",
};

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
  context: Context,
  { statusCode, body }: HttpResponse,
  unusablePart: FailedCall["unusablePart"],
): string {
  const { code = "", message = "" } = parseServiceError(body) ?? {};
  const operation = context.operation.withSensitiveValues(secretsInBody(body));
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
  { settings }: Context,
  { giveUpReason, outcome, earlierOutcomes, elapsedMs }: FailedCall,
): string {
  if (giveUpReason === undefined) {
    return "";
  }
  const reasons: Record<GiveUpReason, string> = {
    retrySeconds: `${nameOfSetting(settings, "retrySeconds")} is ${settings.retrySeconds}`,
    connectionRefused: `a refused connection is retried for ${connectionRefusedSeconds} s`,
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

/** Says what to do after a failed request. */
export function adviceFor(
  { settings, operation }: Context,
  { outcome, unusablePart, giveUpReason }: FailedCall,
): string {
  const baseUrl = nameOfSetting(settings, "baseUrl");
  if (outcome.kind !== "response") {
    if (giveUpReason === "stopping" || outcome.cause === "stopping") {
      return "Run the command again.";
    }
    return sentences(
      "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS",
      `and ${baseUrl}. Then run the command again.`,
    );
  }
  const { statusCode, redirectOrigin } = outcome;
  if (isNotFound(outcome)) {
    return sentences(
      `The service returns this both when the database does not exist and when the key has no access to it:`,
      `check databaseId, ${nameOfSetting(settings, "apiKey")} and ${baseUrl}.`,
    );
  }
  if (statusCode === 404 || unusablePart !== undefined) {
    return sentences(
      `This is not a response of the API: a login page, a proxy or another host may have sent it.`,
      `Check ${baseUrl}.`,
    );
  }
  if (statusCode >= 300 && statusCode < 400) {
    const target = redirectOrigin ? `to ${operation.redact(redirectOrigin, 200)}` : "elsewhere";
    return sentences(
      `It redirects ${target}, and the API key is not sent there:`,
      `set ${baseUrl} to the address of the service itself.`,
    );
  }
  if (statusCode === 401 || statusCode === 403) {
    return `The service does not accept the API key for this. ${apiKeyAdvice(settings)} ${see("A wrong key")}`;
  }
  return statusCode === 429 || statusCode >= 500
    ? "Run the command again later."
    : `The service refuses the request as it is: check the arguments of the webhook and ${baseUrl}.`;
}

function apiKeyAdvice({ namesFromEnvironment, isExplicit }: Settings): string {
  if (isExplicit && !namesFromEnvironment.includes("apiKey")) {
    return "Correct the argument apiKey of the Provider, or declare the Provider again if it has left the program.";
  }
  return sentences(
    `Set ${environmentVariables.apiKey} to the right key: it sets the key for this command,`,
    `whatever the stack stores.`,
  );
}

/** Says why requests wait. */
export function delayLine({ kind, delayMs, request, outcome }: ReportedDelay): string {
  if (kind === "retry") {
    const what = outcome.kind === "response" ? `returned ${outcome.statusCode}` : "did not respond";
    return `${request.url.origin} ${what}; retrying ${request.method}.`;
  }
  return sentences(
    `The service limits the rate of requests, so no request is sent for the next ${secondsText(delayMs)}.`,
    `With a lower --parallel, Pulumi sends fewer requests at once.`,
  );
}

/** Reports an unexpected error, redacted, because its own text may hold a secret. */
export function faultText(operation: Operation, error: unknown): string {
  const text = error instanceof Error ? error.message : "no error object";
  return sentences(
    `${operation.name} failed unexpectedly (${operation.redact(text, 300)}).`,
    `This is a bug in pulumi-dbwebhooks: please report it.`,
    `Before you run the command again, check which webhooks the service has.`,
  );
}

function secondsText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds > 86_400 ? "over a day" : `${seconds} s`;
}
