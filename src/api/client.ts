// The operations of the service's API, which docs/api/README.md describes, and their paths.

import { classOf, factsOf } from "./response-class.js";
import type { RequestKind } from "./retry-policy.js";
import type { ListEntry, ListedWebhook } from "./schemas.js";
import type { HttpRequest, HttpResponse } from "./send-once.js";
import type { Call, CallResult, ClientOptions, Transport } from "./transport.js";

/** The path of the API, which follows every base URL (docs/api/README.md#paths). */
export const apiPath = "/api/v1";

const methods = { create: "POST", list: "GET", delete: "DELETE" } as const;

/** Everything that a request needs besides its own values. */
export interface ClientContext {
  readonly settings: ClientOptions;
  readonly transport: Pick<Transport, "sendWithRetries">;
  readonly onDelay: Call["onDelay"];
}

/** What defines a webhook. The arguments and the state of a resource derive their types from it. */
export interface NewWebhook {
  readonly databaseId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId?: string;
}

type RequestBody = Record<Exclude<keyof NewWebhook, "databaseId">, unknown>;

/** Loads zod before a request: after it, a failure to load would lose the response. */
const loadSchemas = () => import("./schemas.js");

/** A request, and how it ended. */
export interface EndedCall extends CallResult {
  readonly request: HttpRequest;
  /** What a response with a 2xx status does not hold in a usable form. */
  readonly unusable?: UnusableContent;
}

/**
 * `tooLarge`: the body is not read. `empty`: there is no body. `body`: it is no JSON object.
 * `entries`: some entries of a list are not usable.
 */
export type UnusableContent =
  | { readonly part: UnusableIdPart | "tooLarge" | "list" | "confirmation" | "success" }
  | { readonly part: "entries"; readonly entries: readonly UnusableEntry[] };

type UnusableIdPart = "empty" | "body" | "id";

/** An entry of a list without its content. */
export type UnusableEntry = Omit<ListEntry, "webhook">;

/** Identifies a webhook at one service, which numbers the webhooks of each database. */
export interface WebhookKey {
  readonly databaseId: string;
  readonly id: string;
}

/**
 * The result of a creation: the service returned a webhook, there is none, or there may be one.
 * `secret` is what the response holds, which need not be a text.
 */
export type Creation =
  | { readonly kind: "returned"; readonly webhook: WebhookKey; readonly secret: unknown }
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

/** The webhooks of a database. */
export interface WebhookList {
  readonly webhooks: readonly ListedWebhook[];
  /** Whether the database certainly has no further webhooks. */
  readonly isComplete: boolean;
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
  { databaseId, url, events, tableId }: NewWebhook,
): Promise<Creation> {
  const { parseCreatedWebhook } = await loadSchemas();
  // JSON has no `undefined`, so it is left out. The compiler refuses a body that lacks a field.
  const body = { url, events, tableId } satisfies RequestBody;
  const { call, response } = await callApi(context, "create", webhooksPath(databaseId), { body });
  if (response === undefined) {
    const { mayBeCarriedOut } = factsOf(call.outcome);
    return { kind: mayBeCarriedOut ? "inDoubt" : "refused", call };
  }
  const created = parseCreatedWebhook(response.body);
  if (created?.id === undefined) {
    const part = partWithoutId(response, created);
    return { kind: "inDoubt", call: { ...call, unusable: { part } } };
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
 * @param isUsable Whether the caller can use a webhook. An entry that is not usable makes the list
 * incomplete.
 */
export async function listWebhooks(
  context: ClientContext,
  databaseId: string,
  isUsable: (webhook: ListedWebhook) => boolean,
): Promise<WebhookList> {
  const { parseWebhookList } = await loadSchemas();
  const { call, response } = await callApi(context, "list", webhooksPath(databaseId));
  if (response === undefined) {
    return { webhooks: [], isComplete: false, call };
  }
  const list = parseWebhookList(response.body);
  if (list === undefined) {
    return { webhooks: [], isComplete: false, call: { ...call, unusable: { part: "list" } } };
  }
  const canUse = ({ webhook }: ListEntry) => webhook !== undefined && isUsable(webhook);
  const webhooks = list.entries.filter(canUse).flatMap(({ webhook = [] }) => webhook);
  const entries = list.entries.filter((entry) => !canUse(entry));
  return entries.length === 0
    ? { webhooks, isComplete: list.isComplete && response.mayBeIncomplete !== true }
    : { webhooks, isComplete: false, call: { ...call, unusable: { part: "entries", entries } } };
}

/**
 * Deletes a webhook. Only the responses that the API documents count, because proxies and wrong
 * hosts send 404 too.
 *
 * Source: docs/api/README.md#delete-a-webhook.
 *
 * @param isUndo Whether this run created the webhook: then it is deleted even when Pulumi stops.
 */
export async function deleteWebhook(
  context: ClientContext,
  { databaseId, id }: WebhookKey,
  { isUndo = false } = {},
): Promise<Deletion> {
  const { parseDeletion } = await loadSchemas();
  const path = `${webhooksPath(databaseId)}/${encodeURIComponent(id)}`;
  const { call, response } = await callApi(context, "delete", path, { isUndo });
  if (response === undefined) {
    return classOf(call.outcome) === "notFound"
      ? { kind: "absent", call }
      : { kind: "failed", call };
  }
  const deletion = parseDeletion(response.body);
  if (isEmpty(response) || deletion?.success) {
    return { kind: "deleted" };
  }
  const part = deletion === undefined ? "confirmation" : "success";
  return { kind: "failed", call: { ...call, unusable: { part } } };
}

/** Names what makes the response to a creation unusable, if it is not the secret. */
function partWithoutId(response: HttpResponse, created: object | undefined): UnusableIdPart {
  if (created !== undefined) {
    return "id";
  }
  return isEmpty(response) ? "empty" : "body";
}

function isEmpty({ body }: HttpResponse): boolean {
  return body.trim() === "";
}

function webhooksPath(databaseId: string): string {
  return `${apiPath}/bases/${encodeURIComponent(databaseId)}/webhooks`;
}

/** Sends a request. `response` is present where its status code is 2xx and its body was read. */
async function callApi(
  { settings, transport, onDelay }: ClientContext,
  kind: RequestKind,
  path: string,
  { body, isUndo = false }: { readonly body?: unknown; readonly isUndo?: boolean } = {},
): Promise<{ readonly call: EndedCall; readonly response?: HttpResponse }> {
  const { baseUrl, apiKey } = settings;
  const request = { method: methods[kind], url: new URL(baseUrl + path), apiKey, body };
  const result = await transport.sendWithRetries({ kind, request, isUndo, onDelay });
  const call = { ...result, request };
  const { outcome } = call;
  if (outcome.kind !== "response" || classOf(outcome) !== "success") {
    return { call };
  }
  return outcome.isBodyTooLarge
    ? { call: { ...call, unusable: { part: "tooLarge" } } }
    : { call, response: outcome };
}
