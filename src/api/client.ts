// The operations of the service's API, which docs/api/README.md describes, and their paths.

import { apiPath } from "../common/url-rules.js";
import type { HttpOutcome, HttpResponse, RequestLine } from "./http-exchange.js";
import { classOf, factsOf } from "./response-class.js";
import type { ListedWebhook } from "./schemas.js";
import type { CallResult, OnDelay, Send } from "./transport.js";

/** Everything that a request needs besides its own values. */
export interface ClientContext {
  readonly settings: { readonly baseUrl: string };
  readonly send: Send;
  readonly onDelay: OnDelay;
}

/** A webhook to create: the fields of `common/webhook-fields.ts`, with their types. */
export interface NewWebhook {
  readonly databaseId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId?: string | undefined;
}

/** Loads zod before a request: after it, a failure to load would lose the response. */
const loadSchemas = () => import("./schemas.js");

interface CallWith<Outcome extends HttpOutcome> extends CallResult {
  readonly request: RequestLine;
  readonly outcome: Outcome;
}

/**
 * A request, and how it ended. `unusable`: why a response with a 2xx status is no success.
 */
export type EndedCall =
  | (CallWith<HttpOutcome> & { readonly unusable?: undefined })
  | (CallWith<HttpResponse> & { readonly unusable: ResponseProblem });

/**
 * `tooLarge`: the body is not read. `body`: it is not what the API describes. `entries`: an entry of
 * a list is not usable. `refusal`: `success` is `false`.
 */
export type ResponseProblem = "tooLarge" | "body" | "entries" | "refusal";

/**
 * Identifies a webhook at one service, which numbers the webhooks of each database
 * (docs/api/README.md#ids).
 */
export interface WebhookRef {
  readonly databaseId: string;
  readonly id: string;
}

/**
 * The result of a creation: the service returned a webhook, there is none, or there may be one.
 * `secret` is what the response holds, which need not be a text.
 */
export type Creation =
  | { readonly kind: "returned"; readonly webhook: WebhookRef; readonly secret: unknown }
  | { readonly kind: "refused"; readonly call: EndedCall }
  | { readonly kind: "inDoubt"; readonly call: EndedCall };

/**
 * The result of a deletion. `absent`: the service has no such webhook, or the API key has no access
 * to it. `failed`: the webhook may still exist.
 */
export type Deletion =
  | { readonly kind: "deleted" }
  | { readonly kind: "absent"; readonly call: EndedCall }
  | { readonly kind: "failed"; readonly call: EndedCall };

/** The webhooks of a database. A list with an entry that is not usable shows only its ids. */
export interface WebhookList {
  readonly ids: readonly string[];
  readonly webhooks: readonly ListedWebhook[];
  /** Whether the database certainly has no further webhooks. */
  readonly isComplete: boolean;
  /** Whether a cache has stored the list. It is not complete then, and what it shows may be old. */
  readonly isStored: boolean;
  /** The request, if it is the reason why webhooks are missing. */
  readonly call?: EndedCall;
}

/**
 * Creates a webhook. The request is retried only when it is certain that no webhook was created.
 *
 * Source: docs/api/README.md#create-a-webhook. It does not show the status code of a success, so
 * any 2xx counts as one.
 */
export async function createWebhook(
  context: ClientContext,
  { databaseId, ...fields }: NewWebhook,
): Promise<Creation> {
  const { parseCreatedWebhook } = await loadSchemas();
  const { call, body } = await callApi(context, "POST", webhooksPath(databaseId), fields);
  if (body === undefined) {
    const { mayBeCarriedOut } = factsOf(call.outcome);
    return { kind: mayBeCarriedOut ? "inDoubt" : "refused", call };
  }
  const created = parseCreatedWebhook(body);
  if (created?.id === undefined) {
    return { kind: "inDoubt", call: { ...call, unusable: "body" } };
  }
  const { id, secret } = created;
  return { kind: "returned", webhook: { databaseId, id }, secret };
}

/**
 * Lists the webhooks of a database.
 *
 * Source: docs/api/README.md#list-webhooks. Only a public service with this API documents the
 * operation.
 *
 * @param isUsable Whether the caller can use a webhook. One that is not usable makes the whole list
 * unusable.
 */
export async function listWebhooks(
  context: ClientContext,
  databaseId: string,
  isUsable: (webhook: ListedWebhook) => boolean,
): Promise<WebhookList> {
  const { parseWebhookList } = await loadSchemas();
  const { call, body } = await callApi(context, "GET", webhooksPath(databaseId));
  const unread = { ids: [], webhooks: [], isComplete: false, isStored: false };
  if (body === undefined) {
    return { ...unread, call };
  }
  const { isStored = false } = call.outcome.extent ?? {};
  const list = parseWebhookList(body, call.outcome);
  if (list === undefined) {
    return { ...unread, call: { ...call, unusable: "body" } };
  }
  const { ids, webhooks, isComplete } = list;
  return webhooks?.every(isUsable)
    ? { ids, webhooks, isComplete, isStored }
    : { ...unread, ids, isStored, call: { ...call, unusable: "entries" } };
}

/**
 * Deletes a webhook. Only the responses that the API documents count, and 204, because proxies and
 * wrong hosts send other ones with 2xx and 404 too.
 *
 * Source: docs/api/README.md#delete-a-webhook.
 */
export async function deleteWebhook(
  context: ClientContext,
  { databaseId, id }: WebhookRef,
): Promise<Deletion> {
  const { parseDeletion } = await loadSchemas();
  const path = `${webhooksPath(databaseId)}/${encodeURIComponent(id)}`;
  const { call, body } = await callApi(context, "DELETE", path);
  if (body === undefined) {
    return classOf(call.outcome) === "notFound"
      ? { kind: "absent", call }
      : { kind: "failed", call };
  }
  const deletion = parseDeletion(body);
  // A firewall can send any other status without a body, before the service sees the request
  // (docs/api/README.md#status-of-a-success).
  if (call.outcome.statusCode === 204 || deletion?.success) {
    return { kind: "deleted" };
  }
  const unusable = deletion === undefined ? "body" : "refusal";
  return { kind: "failed", call: { ...call, unusable } };
}

function webhooksPath(databaseId: string): string {
  return `${apiPath}/bases/${encodeURIComponent(databaseId)}/webhooks`;
}

/** Sends a request. Its `body` is present where its status code is 2xx and the body was read. */
async function callApi(
  { settings, send, onDelay }: ClientContext,
  method: RequestLine["method"],
  path: string,
  body?: unknown,
): Promise<
  | { readonly call: EndedCall; readonly body?: undefined }
  | { readonly call: CallWith<HttpResponse>; readonly body: string }
> {
  const request = { method, url: new URL(settings.baseUrl + path) };
  const result = await send({ ...request, body }, onDelay);
  const { outcome } = result;
  if (outcome.kind !== "response" || classOf(outcome) !== "success") {
    return { call: { ...result, request } };
  }
  const call = { ...result, request, outcome };
  return outcome.body === undefined
    ? { call: { ...call, unusable: "tooLarge" } }
    : { call, body: outcome.body };
}
