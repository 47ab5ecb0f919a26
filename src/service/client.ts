import { parseJson } from "../common/json.js";
import {
  createdId,
  createdSecret,
  deletedWebhook,
  type ListedWebhook,
  serviceErrorIn,
  webhookList,
} from "./bodies.js";
import type { HttpRequest, HttpResponse } from "./exchange.js";
import { mayHaveActed } from "./retry-policy.js";
import type { AccountSettings } from "./settings.js";
import type { Call, CallResult, HttpTransport } from "./transport.js";

/** One account of the service. */
export interface Account {
  readonly settings: AccountSettings;
  readonly transport: HttpTransport;
}

/** What a request belongs to: its time limit, and who is told of long waits. */
export type CallContext = Pick<Call, "timeLimit" | "onWait">;

/** What is sent to create a webhook. */
export interface NewWebhook {
  readonly databaseId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId?: string | undefined;
}

/** Where a webhook is. */
export interface WebhookAddress {
  readonly baseUrl: string;
  readonly databaseId: string;
  readonly id: string;
}

/** A request that did not do what it was to do, and all that is known of it. */
export interface FailedCall extends CallResult {
  readonly request: HttpRequest;
  /** What an answer with a status of success lacks. */
  readonly lacks?: "id" | "list" | "confirmation";
}

/** What came of a creation. */
export type Creation =
  /** The webhook exists. Without a usable secret, `secret` is absent. */
  | { readonly kind: "created"; readonly id: string; readonly secret: string | undefined }
  /** No webhook was created. */
  | { readonly kind: "refused"; readonly failure: FailedCall }
  /** A webhook may exist. `secret` is that of an answer without a usable id. */
  | {
      readonly kind: "inDoubt";
      readonly failure: FailedCall;
      readonly secret?: string | undefined;
    };

/** What came of a deletion. */
export type Deletion =
  /** The webhook is gone, by this deletion as far as can be known. */
  | { readonly kind: "deleted" }
  /** The service has no such webhook, or the key has no access to it. */
  | { readonly kind: "absent" }
  /** The webhook may still exist. */
  | { readonly kind: "failed"; readonly failure: FailedCall };

/** The webhooks of a database, and whether these are all; or why there is no list. */
export type WebhookList =
  | {
      readonly webhooks: readonly ListedWebhook[];
      readonly isWhole: boolean;
      readonly failure?: undefined;
    }
  | {
      readonly failure: FailedCall;
      readonly webhooks?: undefined;
      readonly isWhole?: undefined;
    };

/**
 * Creates a webhook. The request is sent again only when it is certain that no webhook was created.
 *
 * Source: part 4.1 of the service's interface. It does not show the status of a success: any 2xx is one.
 */
export async function createWebhook(
  { settings, transport }: Account,
  context: CallContext,
  { databaseId, url, events, tableId }: NewWebhook,
): Promise<Creation> {
  const request: HttpRequest = {
    method: "POST",
    url: collectionUrl(settings.baseUrl, databaseId),
    apiKey: settings.apiKey,
    body: { url, events, ...(tableId === undefined ? {} : { tableId }) },
  };
  const result = await transport.sendRequest({ ...context, kind: "create", request });
  const { outcome } = result;
  const failure = { ...result, request };
  if (outcome.kind !== "response" || !isSuccess(outcome)) {
    return { kind: mayHaveActed(outcome) ? "inDoubt" : "refused", failure };
  }
  const answer = parseJson(outcome.body);
  const id = createdId().safeParse(answer).data?.id;
  const secret = createdSecret().safeParse(answer).data?.secret;
  return id === undefined
    ? { kind: "inDoubt", failure: { ...failure, lacks: "id" }, secret }
    : { kind: "created", id, secret };
}

/**
 * Lists the webhooks of a database.
 *
 * Source: not described by the service's interface (part 4.3), but by a public service that has it.
 */
export async function listWebhooks(
  { settings, transport }: Account,
  context: CallContext,
  databaseId: string,
): Promise<WebhookList> {
  const url = collectionUrl(settings.baseUrl, databaseId);
  const request: HttpRequest = { method: "GET", url, apiKey: settings.apiKey };
  const result = await transport.sendRequest({ ...context, kind: "list", request });
  const { outcome } = result;
  if (outcome.kind !== "response" || !isSuccess(outcome)) {
    return { failure: { ...result, request } };
  }
  const list = webhookList().safeParse(parseJson(outcome.body)).data;
  return list === undefined
    ? { failure: { ...result, request, lacks: "list" } }
    : { webhooks: list.webhooks, isWhole: list.isWhole && outcome.isPart !== true };
}

/**
 * Deletes a webhook.
 *
 * Source: part 4.2 of the service's interface. Only the documented answers count: a proxy or a wrong
 * host answers 404 too.
 *
 * @param address Where it is. At another base URL than the configured one, 404 proves nothing: the key
 * may not be valid there.
 * @param isUndo Whether this run has created it: then it is deleted although Pulumi stops.
 */
export async function deleteWebhook(
  { settings, transport }: Account,
  context: CallContext,
  { baseUrl, databaseId, id }: WebhookAddress,
  isUndo = false,
): Promise<Deletion> {
  const request: HttpRequest = {
    method: "DELETE",
    url: new URL(`${collectionUrl(baseUrl, databaseId)}/${encodeURIComponent(id)}`),
    apiKey: settings.apiKey,
  };
  const result = await transport.sendRequest({ ...context, kind: "delete", request, isUndo });
  const { outcome, earlier } = result;
  const failure = { ...result, request };
  if (outcome.kind !== "response") {
    return { kind: "failed", failure };
  }
  if (isSuccess(outcome)) {
    const isConfirmed =
      outcome.body.trim() === "" || deletedWebhook().safeParse(parseJson(outcome.body)).success;
    return isConfirmed
      ? { kind: "deleted" }
      : { kind: "failed", failure: { ...failure, lacks: "confirmation" } };
  }
  const isNotFound =
    outcome.statusCode === 404 && serviceErrorIn(outcome.body)?.code === "NOT_FOUND";
  if (isNotFound && baseUrl === settings.baseUrl) {
    return { kind: earlier.some(mayHaveActed) ? "deleted" : "absent" };
  }
  return { kind: "failed", failure };
}

function isSuccess({ statusCode }: HttpResponse): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function collectionUrl(baseUrl: string, databaseId: string): URL {
  return new URL(`${baseUrl}/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`);
}
