import { parseJson } from "../common/json.js";
import { errorEnvelope } from "./bodies.js";
import type { Failure } from "./errors.js";
import type { HttpOutcome, HttpRequest, HttpResponse } from "./http.js";
import type { Operation } from "./operation.js";
import { isThrottled, outcomeText } from "./retries.js";
import type { HttpResult } from "./transport.js";

const maxServiceMessageLength = 200;
// Far more than is shown, far less than what takes long to redact.
const maxReadLength = 4_000;

/** What a message says of a request that did not succeed. */
export function failureOf(
  operation: Operation,
  { method, url }: HttpRequest,
  result: HttpResult,
  advice: string,
  outcome = outcomeText(result),
): Failure {
  const said = result.kind === "response" ? serviceText(result, operation) : "";
  const gaveUp = result.gaveUp === undefined ? "" : ` (${result.gaveUp})`;
  return { operation: operation.name, method, url, outcome: `${outcome}${said}${gaveUp}`, advice };
}

/** Whether an answer has a status of success. */
export function isSuccess({ statusCode }: HttpResponse): boolean {
  return statusCode >= 200 && statusCode < 300;
}

// Statuses of RFC 9110, section 15, that say that a request was not carried out.
const refusals = [
  300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429,
];

/**
 * Whether a webhook may exist after a creation that did not succeed. 303 follows on a request that was
 * carried out; 408 comes from proxies too, about requests that arrived; 409 can mean that it exists.
 */
export function mayHaveCreated(response: HttpResponse): boolean {
  return !isThrottled(response) && !refusals.includes(response.statusCode);
}

/** Whether an idempotent request, a deletion or a list, may succeed when it is sent again. */
export function isTransient(outcome: HttpOutcome): boolean {
  if (outcome.kind === "response") {
    return [408, 425, 429].includes(outcome.statusCode) || outcome.statusCode >= 500;
  }
  return outcome.kind !== "unreadable";
}

/** The code of an error as the service reports it; nothing when something else answers. */
export function errorCode(response: HttpResponse): string | undefined {
  return serviceError(response)?.code;
}

function serviceText(response: HttpResponse, operation: Operation): string {
  const error = serviceError(response);
  if (error === undefined) {
    return "";
  }
  const shown = (text: string, maxLength: number) =>
    operation.redact(text.slice(0, maxReadLength), maxLength);
  const code = shown(error.code, 50);
  const message = shown(error.message, maxServiceMessageLength);
  return [code, message === "" ? "" : `"${message}"`].map((part) => part && ` ${part}`).join("");
}

function serviceError({ body }: HttpResponse) {
  return errorEnvelope().safeParse(parseJson(body)).data?.error;
}
