import type { HttpRequest, HttpResponse } from "./exchange.js";
import { mayHaveActed } from "./retry-policy.js";
import {
  createdWebhookIn,
  deletionIn,
  isNotFound,
  type ListedWebhook,
  webhookListIn,
} from "./schemas.js";
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

/**
 * What came of a creation: the webhook exists, there is none, or there may be one. `secret` is what the
 * answer holds, where it is usable: also that of an answer without a usable id.
 */
export type Creation =
  | { readonly kind: "created"; readonly id: string; readonly secret: string | undefined }
  | { readonly kind: "refused"; readonly failure: FailedCall }
  | {
      readonly kind: "inDoubt";
      readonly failure: FailedCall;
      readonly secret?: string | undefined;
    };

/**
 * What came of a deletion: the webhook is gone, by this deletion as far as can be known; the service has
 * no such webhook, or the key has no access to it; or it may still exist.
 */
export type Deletion =
  | { readonly kind: "deleted" | "absent" }
  | { readonly kind: "failed"; readonly failure: FailedCall };

/** The webhooks of a database, and whether these are all; `failure` says why there is no list. */
export interface WebhookList {
  readonly webhooks: readonly ListedWebhook[];
  readonly isComplete: boolean;
  readonly failure?: FailedCall;
}

/**
 * Creates a webhook. The request is sent again only when it is certain that no webhook was created.
 *
 * Source: part 4.1 of the service's interface. It does not show the status of a success: any 2xx is one.
 */
export async function createWebhook(
  account: Account,
  context: CallContext,
  { databaseId, url, events, tableId }: NewWebhook,
): Promise<Creation> {
  const body = { url, events, ...(tableId === undefined ? {} : { tableId }) };
  const path = collectionPath(account.settings.baseUrl, databaseId);
  const { call, answer } = await send(account, { ...context, kind: "create" }, "POST", path, body);
  if (answer === undefined) {
    return { kind: mayHaveActed(call.outcome) ? "inDoubt" : "refused", failure: call };
  }
  const { id, secret } = createdWebhookIn(answer.body) ?? {};
  return id === undefined
    ? { kind: "inDoubt", failure: { ...call, lacks: "id" }, secret }
    : { kind: "created", id, secret };
}

/**
 * Lists the webhooks of a database.
 *
 * Source: not described by the service's interface (part 4.3), but by a public service that has it.
 */
export async function listWebhooks(
  account: Account,
  context: CallContext,
  databaseId: string,
): Promise<WebhookList> {
  const path = collectionPath(account.settings.baseUrl, databaseId);
  const { call, answer } = await send(account, { ...context, kind: "list" }, "GET", path);
  const list = answer && webhookListIn(answer.body);
  return list === undefined
    ? { webhooks: [], isComplete: false, failure: answer ? { ...call, lacks: "list" } : call }
    : { webhooks: list.webhooks, isComplete: list.isComplete && answer?.isPart !== true };
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
  account: Account,
  context: CallContext,
  { baseUrl, databaseId, id }: WebhookAddress,
  isUndo = false,
): Promise<Deletion> {
  const path = `${collectionPath(baseUrl, databaseId)}/${encodeURIComponent(id)}`;
  const { call, answer } = await send(
    account,
    { ...context, kind: "delete", isUndo },
    "DELETE",
    path,
  );
  if (answer !== undefined) {
    return answer.body.trim() === "" || deletionIn(answer.body) !== undefined
      ? { kind: "deleted" }
      : { kind: "failed", failure: { ...call, lacks: "confirmation" } };
  }
  return isNotFound(call.outcome) && baseUrl === account.settings.baseUrl
    ? { kind: call.earlier.some(mayHaveActed) ? "deleted" : "absent" }
    : { kind: "failed", failure: call };
}

/** Sends a request. `answer` is what came with a status of success. */
async function send(
  { settings, transport }: Account,
  context: Omit<Call, "request">,
  method: HttpRequest["method"],
  url: string,
  body?: unknown,
): Promise<{ readonly call: FailedCall; readonly answer?: HttpResponse }> {
  const request = { method, url: new URL(url), apiKey: settings.apiKey, body };
  const call = { ...(await transport.sendRequest({ ...context, request })), request };
  const { outcome } = call;
  const isSuccess =
    outcome.kind === "response" && outcome.statusCode >= 200 && outcome.statusCode < 300;
  return isSuccess ? { call, answer: outcome } : { call };
}

function collectionPath(baseUrl: string, databaseId: string): string {
  return `${baseUrl}/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`;
}
