import { parseJson } from "../common/json.js";
import { oneLine } from "../common/redact.js";
import { problemOfBaseUrl } from "../common/url.js";
import {
  adviceForCreation,
  adviceForDeletion,
  connectionAdvice,
  insecureAddressAdvice,
  limitHint,
  wrongHostAdvice,
} from "./advice.js";
import {
  createdId,
  createdSecret,
  deletedWebhook,
  type ListedWebhook,
  webhookList,
} from "./bodies.js";
import type { Failure } from "./errors.js";
import type { HttpOutcome, HttpRequest } from "./http.js";
import type { Operation } from "./operation.js";
import { errorCode, failureOf, isSuccess, isTransient, mayHaveCreated } from "./outcomes.js";
import { isThrottled } from "./retries.js";
import type { AccountSettings } from "./settings.js";
import type { HttpTransport } from "./transport.js";

/** One account of the service. */
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

/** Where a webhook is. */
export interface WebhookAddress {
  readonly baseUrl: string;
  readonly databaseId: string;
  readonly id: string;
}

/** What came of a creation. */
export type Creation =
  /** The webhook exists. Without a usable secret, `secret` is absent. */
  | { readonly kind: "created"; readonly id: string; readonly secret: string | undefined }
  /** No webhook was created. */
  | { readonly kind: "refused"; readonly failure: Failure }
  /** A webhook may exist. The advice of the failure does not say what to look for yet. */
  | { readonly kind: "inDoubt"; readonly failure: Failure };

/** What came of a deletion. */
export type Deletion =
  /** `absent`: there was no such webhook. */
  | { readonly kind: "deleted" | "absent" }
  /** The webhook may still exist. */
  | { readonly kind: "failed"; readonly failure: Failure };

/** The webhooks of a database, or why there is no list, such as `GET https://… answered 403`. */
export type WebhookList =
  | {
      readonly webhooks: readonly ListedWebhook[];
      /** Whether these are all webhooks of the database. */
      readonly isWhole: boolean;
      readonly problem?: undefined;
    }
  | { readonly problem: string; readonly webhooks?: undefined; readonly isWhole?: undefined };

/**
 * Creates a webhook. The request is sent again only when it is certain that no webhook was created.
 *
 * Source: part 4.1 of the service's interface. It does not show the status of a success: any 2xx is one.
 */
export async function createWebhook(
  { settings, transport }: Account,
  operation: Operation,
  { databaseId, url, events, tableId }: NewWebhook,
): Promise<Creation> {
  const request: HttpRequest = {
    method: "POST",
    url: collectionUrl(settings.baseUrl, databaseId),
    apiKey: settings.apiKey,
    body: { url, events, ...(tableId === undefined ? {} : { tableId }) },
  };
  const mayRetry = (outcome: HttpOutcome) => outcome.kind === "unsent" || isThrottled(outcome);
  const result = await transport.sendRequest(operation, request, mayRetry);
  const failure = (advice: string, outcome?: string) =>
    failureOf(operation, request, result, advice, outcome);
  if (result.kind === "unsent") {
    const advice = connectionAdvice(settings, request.url, transport.stopping.aborted);
    return { kind: "refused", failure: failure(`No webhook was created. ${advice}`) };
  }
  if (result.kind !== "response") {
    return { kind: "inDoubt", failure: failure("") };
  }
  if (!isSuccess(result)) {
    return mayHaveCreated(result)
      ? { kind: "inDoubt", failure: failure(limitHint(result)) }
      : {
          kind: "refused",
          failure: failure(adviceForCreation(settings, result, errorCode(result))),
        };
  }
  const answer = parseJson(result.body);
  const id = createdId().safeParse(answer).data?.id;
  const secret = createdSecret().safeParse(answer).data?.secret;
  if (id === undefined) {
    const outcome = `answered ${result.statusCode} without a usable webhook id`;
    return {
      kind: "inDoubt",
      failure: failureOf(operation.hiding(secret), request, result, "", outcome),
    };
  }
  return { kind: "created", id, secret };
}

/**
 * Lists the webhooks of a database.
 *
 * Source: not described by the service's interface (part 4.3), but by a public service that has it.
 */
export async function listWebhooks(
  { settings, transport }: Account,
  operation: Operation,
  databaseId: string,
): Promise<WebhookList> {
  const url = collectionUrl(settings.baseUrl, databaseId);
  const request: HttpRequest = { method: "GET", url, apiKey: settings.apiKey };
  const result = await transport.sendRequest(operation, request, isTransient);
  const problem = (outcome?: string) => {
    const failure = failureOf(operation, request, result, "", outcome);
    return { problem: oneLine(`GET ${url.origin}${url.pathname} ${failure.outcome}`, 500) };
  };
  if (result.kind !== "response" || !isSuccess(result)) {
    return problem();
  }
  const list = webhookList().safeParse(parseJson(result.body)).data;
  return list === undefined
    ? problem(`answered ${result.statusCode} with something other than a list of webhooks`)
    : { webhooks: list.webhooks, isWhole: list.isWhole && result.isPart !== true };
}

/**
 * Deletes a webhook.
 *
 * Source: part 4.2 of the service's interface. Only the documented answers count: a proxy or a wrong
 * host answers 404 too.
 *
 * @param isUndo Whether this run has created it: then it is deleted although Pulumi stops.
 */
export async function deleteWebhook(
  { settings, transport }: Account,
  operation: Operation,
  { baseUrl, databaseId, id }: WebhookAddress,
  isUndo = false,
): Promise<Deletion> {
  const request: HttpRequest = {
    method: "DELETE",
    url: new URL(`${collectionUrl(baseUrl, databaseId)}/${encodeURIComponent(id)}`),
    apiKey: settings.apiKey,
  };
  if (problemOfBaseUrl(baseUrl, settings.allowInsecureBaseUrl) !== undefined) {
    const { method, url } = request;
    const refusal = { method, url, outcome: "was not sent", advice: insecureAddressAdvice };
    return { kind: "failed", failure: { operation: operation.name, ...refusal } };
  }
  const result = await transport.sendRequest(operation, request, isTransient, isUndo);
  const failed = (advice: string, outcome?: string): Deletion => ({
    kind: "failed",
    failure: failureOf(operation, request, result, advice, outcome),
  });
  if (result.kind !== "response") {
    const isStopping = transport.stopping.aborted && !isUndo;
    return failed(connectionAdvice(settings, request.url, isStopping));
  }
  if (isSuccess(result)) {
    const isConfirmed =
      result.body.trim() === "" || deletedWebhook().safeParse(parseJson(result.body)).success;
    return isConfirmed
      ? { kind: "deleted" }
      : failed(
          wrongHostAdvice(settings),
          `answered ${result.statusCode} without confirming the deletion`,
        );
  }
  const isOtherAccount = baseUrl !== settings.baseUrl;
  if (result.statusCode === 404 && errorCode(result) === "NOT_FOUND" && !isOtherAccount) {
    return { kind: "absent" };
  }
  return failed(adviceForDeletion(settings, result, isOtherAccount));
}

function collectionUrl(baseUrl: string, databaseId: string): URL {
  return new URL(`${baseUrl}/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`);
}
