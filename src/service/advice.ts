import { shownValue } from "../common/redact.js";
import type { HttpResponse } from "./http.js";

/** What a line calls a webhook, at its beginning. */
export function nameOfWebhook(id: string, databaseId: unknown): string {
  const database = typeof databaseId === "string" ? shownValue(databaseId) : "?";
  return `Webhook ${shownValue(id)} of database ${database}`;
}

/** What to do when a request did not get through. */
export const connectionAdvice =
  "Check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl, then run the command again.";

/** What to do when an answer is not one that the service gives. */
export const wrongHostAdvice =
  "This is not an answer of the service: a proxy or another host may have given it. Check dbwebhooks:baseUrl.";

/** What to do when the state alone would have the key sent unencrypted. */
export const insecureStateAdvice =
  "it was created at an address that begins with http:, and the API key would travel there unencrypted. Nothing was sent, the webhook stays in the state. To send it all the same, set dbwebhooks:allowInsecureBaseUrl to true for this run.";

const keyAdvice =
  'Check the API key: "pulumi config set --secret dbwebhooks:apiKey", or DBWEBHOOKS_API_KEY; of a Provider, its apiKey, which "pulumi up" takes over.';

/** What to do when a webhook may have been created whose secret is lost. */
export function orphanAdvice(databaseId: string, receiverUrl: string): string {
  const receiver = URL.canParse(receiverUrl) ? new URL(receiverUrl).origin : "an unknown host";
  return `A webhook may exist in database ${shownValue(databaseId)} whose secret nobody knows: look there for one that no stack manages, to a receiver on ${shownValue(receiver)}, and delete it, then run "pulumi up" again.`;
}

// Statuses that a service may answer with when it holds as many webhooks as it allows.
const capStatuses = [400, 402, 403, 409, 422];

/**
 * What to do when the service did not create a webhook.
 *
 * @param isReplacing Whether it takes the place of one that still exists.
 * @param inDoubt What to do because it may exist all the same; nothing when it cannot.
 */
export function adviceForCreate(
  { statusCode, redirectOrigin }: HttpResponse,
  isReplacing: boolean,
  inDoubt: string | undefined,
): string {
  const advice =
    inDoubt ?? `No webhook was created. ${adviceForRefusal(statusCode, redirectOrigin)}`;
  return isReplacing && capStatuses.includes(statusCode)
    ? `${advice} If the service allows no further webhook in this database: a replacement is created before the old one is deleted; set the resource option deleteBeforeReplace: true and accept a gap.`
    : advice;
}

function adviceForRefusal(statusCode: number, redirectOrigin: string | undefined): string {
  return statusCode === 404
    ? "The service answers so when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl."
    : adviceForStatus(statusCode, redirectOrigin);
}

/** What to do when the service did not delete a webhook. */
export function adviceForDelete({ statusCode, redirectOrigin }: HttpResponse): string {
  return statusCode === 404 ? wrongHostAdvice : adviceForStatus(statusCode, redirectOrigin);
}

/** What to do when the service that a webhook was created at refuses, and the account is another now. */
export function otherAccountAdvice(baseUrl: string): string {
  return `The webhook was created there, but dbwebhooks:baseUrl is ${shownValue(baseUrl)} now, so this answer may only mean that today's key is not valid there. Set dbwebhooks:baseUrl and dbwebhooks:apiKey back for this run, or delete the webhook by hand and remove it with "pulumi state delete".`;
}

function adviceForStatus(statusCode: number, redirectOrigin: string | undefined): string {
  if (statusCode >= 300 && statusCode < 400) {
    const target = redirectOrigin === undefined ? "elsewhere" : `to ${shownValue(redirectOrigin)}`;
    return `It redirects ${target}, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.`;
  }
  if (statusCode === 401) {
    return `The service does not accept the API key. ${keyAdvice}`;
  }
  if (statusCode === 403) {
    return `The API key may not do this. ${keyAdvice}`;
  }
  if (statusCode === 429 || statusCode >= 500) {
    return "Run the command again later.";
  }
  return "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.";
}
