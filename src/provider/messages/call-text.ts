// The text of a call: the request, how it ended, and why it was not retried.
import type { EndedCall, ResponseProblem } from "../../api/client.js";
import { errorCodeOf, errorMessageOf } from "../../api/error-body.js";
import type { HttpFailure, HttpResponse } from "../../api/http-exchange.js";
import { isRedirection } from "../../api/response-class.js";
import { maxBodyMebibytes } from "../../api/response-limits.js";
import { connectionRefusedSeconds, type GiveUpReason } from "../../api/retry-policy.js";
import { oneLine } from "../../common/plain-text.js";
import type { SettingName } from "../../common/settings-table.js";
import type { MessageContext } from "../command/operation.js";
import type { Reporter } from "../command/reporter.js";
import { stoppingText } from "./interruption.js";
import { nameOfSetting } from "./names.js";
import { sentences } from "./sentences.js";

const responseProblemText: Readonly<Record<ResponseProblem, string>> = {
  tooLarge: `with a body of more than ${maxBodyMebibytes} MiB`,
  body: "with something other than what the API describes",
  entries: "with an unusable entry in its list",
  refusal: "with success: false",
};

type NameOf = (name: SettingName) => string;

/**
 * Describes the outcome of a request, such as `POST https://… returned 401 UNAUTHORIZED "No such
 * key."`.
 *
 * @param nameOf Names a setting. Default: as a stack or a `Provider` sets it.
 */
export function callText(
  context: MessageContext,
  call: EndedCall,
  nameOf: NameOf = (name) => nameOfSetting(context.settings, name),
): string {
  const { request, outcome } = call;
  const location = oneLine(request.url.origin + request.url.pathname, 300);
  const result =
    outcome.kind === "response"
      ? responseText(context, outcome, call)
      : noResponseText(context, outcome, nameOf);
  return `${request.method} ${location} ${result}${gaveUpText(context, call, nameOf)}`;
}

/** Shows the status, the target of a redirect and the redacted error of a response. */
function responseText(
  context: MessageContext,
  response: HttpResponse,
  { unusable, request }: EndedCall,
): string {
  const { statusCode, body } = response;
  const reporter = context.reporter.alsoRedacting({ body });
  return [
    `returned ${statusCode}`,
    isRedirection(response) && targetText(context, response, request.url.origin),
    unusable && responseProblemText[unusable],
    reporter.redact(errorCodeOf(body) ?? "", 50),
    reasonText(context.reporter, body),
  ]
    .filter(Boolean)
    .join(" ");
}

/** Quotes the redacted reason that a body gives, if there is one. */
export function reasonText(reporter: Reporter, body: string | undefined): string {
  const message = reporter.alsoRedacting({ body }).redact(errorMessageOf(body), 200);
  return message && `"${message}"`;
}

/** Says where a redirect leads. A whole URL would be cut to its scheme. */
function targetText(
  { reporter }: MessageContext,
  { redirectOrigin = "" }: HttpResponse,
  origin: string,
): string {
  const { host, protocol } = new URL(redirectOrigin);
  return redirectOrigin === origin
    ? "to a path of the same host"
    : `to ${reporter.redact(host, 200)} (${protocol})`;
}

function noResponseText(
  { settings, reporter }: MessageContext,
  failure: HttpFailure,
  nameOf: NameOf,
): string {
  const isSent = failure.kind === "noResponse";
  const incomplete = `${isSent ? "got no complete response" : "could not connect"}${throughProxyText(failure)}`;
  switch (failure.cause) {
    case "timeout":
      return `${incomplete} within ${settings.timeoutSeconds} s (${nameOf("timeoutSeconds")})`;
    case "stopping":
      return `was not sent, because ${stoppingText}`;
    case "proxyUrl":
      return sentences(
        `${incomplete}: HTTPS_PROXY or HTTP_PROXY is not the URL of an HTTP proxy`,
        `(SOCKS is not supported, and NO_PROXY makes no exception); write http://HOST:PORT,`,
        `or http://USER:PASSWORD@HOST:PORT with user and password percent-encoded`,
      );
    case "connection":
    case "proxy": {
      // The text can repeat the host of a receiver, which often is in the same domain as the
      // service; the code cannot.
      const [code] = failure.codes;
      const reason = [code, reporter.redact(failure.text, 150)].filter(Boolean).join(": ");
      const lost = isSent
        ? `lost the connection${throughProxyText(failure)} before the response was complete`
        : incomplete;
      return `${lost} (${reason || "unknown reason"})`;
    }
  }
}

/** Names the variable of the proxy, if there was one: its URL can contain a password. */
export function throughProxyText({ proxyVariable }: HttpFailure): string {
  return proxyVariable === undefined ? "" : ` through the proxy of ${proxyVariable}`;
}

/** Says why there was no further attempt, if one was due. */
function gaveUpText(
  { settings }: MessageContext,
  { giveUpReason, outcome, attempts, elapsedMs }: EndedCall,
  nameOf: NameOf,
): string {
  if (giveUpReason === undefined) {
    return "";
  }
  const reasons: Record<GiveUpReason, string> = {
    retrySeconds: `${nameOf("retrySeconds")} is ${settings.retrySeconds}`,
    connectionRefused: `a refused connection is retried for at most ${connectionRefusedSeconds} s`,
    stopping: stoppingText,
  };
  const attemptsText = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const retryAfterText =
    outcome.kind === "response" && outcome.retryAfterMs
      ? `the service asks for a wait of ${secondsText(outcome.retryAfterMs)}, and `
      : "";
  return ` (gave up after ${attemptsText} in ${secondsText(elapsedMs)}: ${retryAfterText}${reasons[giveUpReason]})`;
}

/** Returns a time in messages. */
export function secondsText(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
