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
    throw new ConnectionError(failure(call, result, `No webhook was created. ${connectionAdvice}`));
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
 * Deletes a webhook, and says whether it was there. `sensitiveValues` are kept out of messages.
 *
 * Source: part 4.2 of the service's interface. Only the documented answers count: a proxy or a wrong
 * host answers 404 too.
 */
export async function deleteWebhook(
  { settings, transport }: Account,
  { baseUrl, databaseId, id }: WebhookAddress,
  sensitiveValues: readonly string[] = [],
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
  const kept = "The webhook stays in the state.";
  if (result.kind !== "response") {
    throw new ConnectionError(failure(call, result, `${kept} ${connectionAdvice}`));
  }
  if (isSuccess(result)) {
    const isConfirmed =
      result.body.trim() === "" || deletedWebhook.safeParse(parseJson(result.body)).success;
    if (isConfirmed) {
      return "deleted";
    }
    const outcome = `answered ${result.statusCode} without confirming the deletion`;
    throw new ResponseError(failure(call, result, `${kept} ${wrongHostAdvice}`, outcome));
  }
  const isAbsent = result.statusCode === 404 && serviceError(result)?.code === "NOT_FOUND";
  if (isAbsent && baseUrl === settings.baseUrl) {
    return "absent";
  }
  const advice = isAbsent ? otherAccountAdvice(settings.baseUrl) : adviceForDelete(result);
  throw new HttpError(failure(call, result, `${kept} ${advice}`), result.statusCode);
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

/**
 * Whether a webhook may exist after a creation that did not succeed. 303 follows on a request that was
 * carried out (RFC 9110, section 15.4.4). 408 is for one that did not arrive whole (section 15.5.9), but
 * some frameworks give it to their own handlers that take too long (tower-http's `TimeoutLayer`).
 */
function mayHaveCreated(response: HttpResponse): boolean {
  const { statusCode } = response;
  return statusCode === 303 || statusCode === 408 || (statusCode >= 500 && !isThrottled(response));
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
