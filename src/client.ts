import {
  adviceForCreate,
  adviceForDelete,
  connectionAdvice,
  insecureStateAdvice,
  orphanAdvice,
  otherAccountAdvice,
  wrongHostAdvice,
} from "./advice.js";
import { ConnectionError, type Failure, HttpError, ResponseError, WebhookError } from "./errors.js";
import type { HttpOutcome, HttpRequest, HttpResponse } from "./http.js";
import { oneLine, redact, sensitivePartsOfUrl } from "./redact.js";
import {
  type AccountSettings,
  createdId,
  createdSecret,
  deletedWebhook,
  errorEnvelope,
} from "./schema.js";
import { type HttpResult, type HttpTransport, isThrottled, outcomeText } from "./transport.js";
import { problemOfBaseUrl } from "./url.js";

const maxServiceMessageLength = 200;
// Far more than is shown, far less than what takes long to redact.
const maxReadLength = 4_000;

/** One account of the service, ready to be talked to. */
export interface Account {
  readonly settings: AccountSettings;
  readonly transport: HttpTransport;
}

/** What is sent to create a webhook. */
export interface NewWebhook {
  readonly databaseId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId?: string | undefined;
}

/** A webhook that exists now; without a secret its creation is only half done. */
export interface CreatedWebhook {
  readonly id: string;
  readonly secret?: string;
}

/** Where a webhook is. */
export interface WebhookAddress {
  readonly baseUrl: string;
  readonly databaseId: string;
  readonly id: string;
}

/** What the messages about a deletion hold. */
export interface DeletionTexts {
  /** Values that are kept out of them. */
  readonly sensitiveValues?: readonly string[];
  /** What becomes of a webhook that is not deleted; with a space at its end. */
  readonly kept?: string;
}

/**
 * Creates a webhook. The request is sent again only when it is certain that no webhook was made, and
 * no more once `stopping` aborts.
 *
 * Source: part 4.1 of the service's interface; the status of a success is not shown, so any 2xx is.
 */
export async function createWebhook(
  { settings, transport }: Account,
  { databaseId, url, events, tableId }: NewWebhook,
  stopping?: AbortSignal,
): Promise<CreatedWebhook> {
  const call: Call = {
    operation: `Create webhook in database ${databaseId}`,
    request: {
      method: "POST",
      url: collectionUrl(settings.baseUrl, databaseId),
      apiKey: settings.apiKey,
      body: { url, events, ...(tableId === undefined ? {} : { tableId }) },
    },
    sensitive: [settings.apiKey, ...sensitivePartsOfUrl(url)],
  };
  const result = await transport.sendRequest(
    call.request,
    (outcome) => outcome.kind === "unsent" || isThrottled(outcome),
    stopping,
  );
  if (result.kind === "unsent") {
    const advice = stopping?.aborted ? 'Run "pulumi up" again.' : connectionAdvice;
    throw new ConnectionError(failure(call, result, `No webhook was created. ${advice}`));
  }
  const orphan = orphanAdvice(databaseId, url);
  if (result.kind !== "response") {
    throw new ConnectionError(failure(call, result, orphan));
  }
  if (!isSuccess(result)) {
    const advice = mayHaveCreated(result) ? orphan : adviceForCreate(result);
    throw new HttpError(failure(call, result, advice), result.statusCode);
  }
  const answer = parseJson(result.body);
  const id = createdId.safeParse(answer).data?.id;
  const secret = createdSecret.safeParse(answer).data?.secret;
  if (id === undefined) {
    const sensitive = secret === undefined ? call.sensitive : [...call.sensitive, secret];
    const outcome = `answered ${result.statusCode} without a usable webhook id`;
    throw new ResponseError(failure({ ...call, sensitive }, result, orphan, outcome));
  }
  return secret === undefined ? { id } : { id, secret };
}

/**
 * Deletes a webhook, and says whether it was there.
 *
 * Source: part 4.2 of the service's interface. Only the documented answers count: a proxy or a wrong
 * host answers 404 too.
 */
export async function deleteWebhook(
  { settings, transport }: Account,
  { baseUrl, databaseId, id }: WebhookAddress,
  { sensitiveValues = [], kept = "The webhook stays in the state. " }: DeletionTexts = {},
): Promise<"deleted" | "absent"> {
  const call: Call = {
    operation: `Delete webhook ${id} of database ${databaseId}`,
    request: {
      method: "DELETE",
      url: new URL(`${collectionUrl(baseUrl, databaseId)}/${encodeURIComponent(id)}`),
      apiKey: settings.apiKey,
    },
    sensitive: [settings.apiKey, ...sensitiveValues],
  };
  if (problemOfBaseUrl(baseUrl, settings.allowInsecureBaseUrl) !== undefined) {
    throw new WebhookError(`${oneLine(call.operation, 300)} failed: ${insecureStateAdvice}`);
  }
  const result = await transport.sendRequest(call.request, isPassing);
  if (result.kind !== "response") {
    throw new ConnectionError(failure(call, result, `${kept}${connectionAdvice}`));
  }
  if (isSuccess(result)) {
    const isConfirmed =
      result.body.trim() === "" || deletedWebhook.safeParse(parseJson(result.body)).success;
    if (isConfirmed) {
      return "deleted";
    }
    const outcome = `answered ${result.statusCode} without confirming the deletion`;
    throw new ResponseError(failure(call, result, `${kept}${wrongHostAdvice}`, outcome));
  }
  const isAbsent = result.statusCode === 404 && serviceError(result)?.code === "NOT_FOUND";
  const isOtherAccount = baseUrl !== settings.baseUrl;
  if (isAbsent && !isOtherAccount) {
    return "absent";
  }
  const mayBeTheKey = isOtherAccount && [401, 403, 404].includes(result.statusCode);
  const advice = mayBeTheKey ? otherAccountAdvice(settings.baseUrl) : adviceForDelete(result);
  throw new HttpError(failure(call, result, `${kept}${advice}`), result.statusCode);
}

interface Call {
  readonly operation: string;
  readonly request: HttpRequest;
  readonly sensitive: readonly string[];
}

function collectionUrl(baseUrl: string, databaseId: string): URL {
  return new URL(`${baseUrl}/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`);
}

function isSuccess({ statusCode }: HttpResponse): boolean {
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
function mayHaveCreated(response: HttpResponse): boolean {
  return !isThrottled(response) && !refusals.includes(response.statusCode);
}

/** Whether a deletion may go better the next time; sending it twice does no harm. */
function isPassing(outcome: HttpOutcome): boolean {
  if (outcome.kind === "response") {
    return [408, 425, 429].includes(outcome.statusCode) || outcome.statusCode >= 500;
  }
  return outcome.kind !== "unreadable";
}

function failure(call: Call, result: HttpResult, advice: string, outcome?: string): Failure {
  const { operation, request, sensitive } = call;
  const said = result.kind === "response" ? serviceText(result, sensitive) : "";
  const gaveUp = result.gaveUp === undefined ? "" : ` (${result.gaveUp})`;
  return {
    operation,
    method: request.method,
    url: request.url,
    outcome: `${outcome ?? outcomeText(result)}${said}${gaveUp}`,
    advice,
  };
}

function serviceText(response: HttpResponse, sensitive: readonly string[]): string {
  const error = serviceError(response);
  if (error === undefined) {
    return "";
  }
  const shown = (text: string, maxLength: number) =>
    oneLine(redact(text.slice(0, maxReadLength), sensitive), maxLength);
  const code = shown(error.code, 50);
  const message = shown(error.message, maxServiceMessageLength);
  return [code, message === "" ? "" : `"${message}"`].map((part) => part && ` ${part}`).join("");
}

function serviceError(response: HttpResponse) {
  return errorEnvelope.safeParse(parseJson(response.body)).data?.error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
