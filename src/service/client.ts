import { oneLine, sensitivePartsOfUrl } from "../common/redact.js";
import { problemOfBaseUrl } from "../common/url.js";
import type { AccountSettings } from "../core/check.js";
import {
  adviceForCreate,
  adviceForDelete,
  connectionAdvice,
  insecureStateAdvice,
  orphanAdvice,
  otherAccountAdvice,
  wrongHostAdvice,
} from "./advice.js";
import {
  createdId,
  createdSecret,
  deletedWebhook,
  type ListedWebhook,
  webhookList,
} from "./bodies.js";
import { ConnectionError, HttpError, ResponseError, WebhookError } from "./errors.js";
import type { HttpOutcome } from "./http.js";
import {
  type Call,
  errorCode,
  failureOf,
  isPassing,
  isSuccess,
  jsonOf,
  mayHaveCreated,
} from "./outcomes.js";
import { type HttpTransport, isThrottled } from "./transport.js";

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

/** How a creation is sent and spoken about. */
export interface CreationOptions {
  /** Aborts when nothing more may be sent. */
  readonly stopping?: AbortSignal;
  /** Whether the webhook takes the place of one that still exists. */
  readonly isReplacing?: boolean;
  /** Says what to do when a webhook may have been created whose secret is lost. */
  readonly adviseInDoubt?: (() => Promise<string>) | undefined;
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

/** The webhooks of a database, or why they could not be had, such as `GET https://… answered 403`. */
export type WebhookList =
  | {
      readonly webhooks: readonly ListedWebhook[];
      /** Whether these are all. */
      readonly isWhole: boolean;
      readonly problem?: undefined;
    }
  | { readonly problem: string; readonly webhooks?: undefined; readonly isWhole?: undefined };

/**
 * Creates a webhook. The request is sent again only when it is certain that no webhook was made, and
 * no more once `stopping` aborts.
 *
 * Source: part 4.1 of the service's interface; the status of a success is not shown, so any 2xx is.
 */
export async function createWebhook(
  { settings, transport }: Account,
  { databaseId, url, events, tableId }: NewWebhook,
  {
    stopping,
    isReplacing = false,
    adviseInDoubt = async () => orphanAdvice(databaseId, url),
  }: CreationOptions = {},
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
    throw new ConnectionError(failureOf(call, result, `No webhook was created. ${advice}`));
  }
  if (result.kind !== "response") {
    throw new ConnectionError(failureOf(call, result, await adviseInDoubt()));
  }
  if (!isSuccess(result)) {
    const inDoubt = mayHaveCreated(result) ? await adviseInDoubt() : undefined;
    const advice = adviceForCreate(result, isReplacing, inDoubt);
    throw new HttpError(failureOf(call, result, advice), result.statusCode);
  }
  const answer = jsonOf(result);
  const id = createdId.safeParse(answer).data?.id;
  const secret = createdSecret.safeParse(answer).data?.secret;
  if (id === undefined) {
    const sensitive = secret === undefined ? call.sensitive : [...call.sensitive, secret];
    const outcome = `answered ${result.statusCode} without a usable webhook id`;
    const advice = await adviseInDoubt();
    throw new ResponseError(failureOf({ ...call, sensitive }, result, advice, outcome));
  }
  return secret === undefined ? { id } : { id, secret };
}

/**
 * Lists the webhooks of a database. What goes wrong is told and never thrown: nothing depends on a
 * list alone.
 *
 * Source: not described by the service's interface (part 4.3), but by a public service that has it.
 */
export async function listWebhooks(
  { settings, transport }: Account,
  databaseId: string,
  retries: (outcome: HttpOutcome) => boolean = isPassing,
): Promise<WebhookList> {
  const url = collectionUrl(settings.baseUrl, databaseId);
  const request = { method: "GET", url, apiKey: settings.apiKey } as const;
  const call: Call = { operation: "List webhooks", request, sensitive: [settings.apiKey] };
  const result = await transport.sendRequest(request, retries);
  const problem = (outcome?: string) => {
    const failure = failureOf(call, result, "", outcome);
    return { problem: oneLine(`GET ${url.origin}${url.pathname} ${failure.outcome}`, 500) };
  };
  if (result.kind !== "response" || !isSuccess(result)) {
    return problem();
  }
  const list = webhookList.safeParse(jsonOf(result)).data;
  if (list === undefined) {
    return problem(`answered ${result.statusCode} with something that is no list of webhooks`);
  }
  return { webhooks: list.webhooks, isWhole: list.isWhole && result.isPart !== true };
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
    throw new ConnectionError(failureOf(call, result, `${kept}${connectionAdvice}`));
  }
  if (isSuccess(result)) {
    const isConfirmed =
      result.body.trim() === "" || deletedWebhook.safeParse(jsonOf(result)).success;
    if (isConfirmed) {
      return "deleted";
    }
    const outcome = `answered ${result.statusCode} without confirming the deletion`;
    throw new ResponseError(failureOf(call, result, `${kept}${wrongHostAdvice}`, outcome));
  }
  const isAbsent = result.statusCode === 404 && errorCode(result) === "NOT_FOUND";
  const isOtherAccount = baseUrl !== settings.baseUrl;
  if (isAbsent && !isOtherAccount) {
    return "absent";
  }
  const mayBeTheKey = isOtherAccount && [401, 403, 404].includes(result.statusCode);
  const advice = mayBeTheKey ? otherAccountAdvice(settings.baseUrl) : adviceForDelete(result);
  throw new HttpError(failureOf(call, result, `${kept}${advice}`), result.statusCode);
}

function collectionUrl(baseUrl: string, databaseId: string): URL {
  return new URL(`${baseUrl}/api/v1/bases/${encodeURIComponent(databaseId)}/webhooks`);
}
