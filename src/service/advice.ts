import { shownValue } from "../common/redact.js";
import { isLoopback } from "../common/url.js";
import type { HttpResponse } from "./http.js";
import { type AccountSettings, nameOfSetting } from "./settings.js";

// What the reader can do about an answer, as full sentences for the end of a message.

/** How messages call a webhook. */
export function nameOfWebhook(id: string, databaseId: unknown): string {
  const database = typeof databaseId === "string" ? shownValue(databaseId) : "?";
  return `webhook ${shownValue(id)} of database ${database}`;
}

/**
 * For a request that did not get through. To this machine itself it takes no proxy.
 *
 * @param isStopping Whether Pulumi stops, so that the network may be all right.
 */
export function connectionAdvice(
  settings: AccountSettings,
  { protocol, hostname }: URL,
  isStopping: boolean,
): string {
  if (isStopping) {
    return "Run the command again.";
  }
  if (protocol === "http:" && isLoopback(hostname)) {
    return `The address is on this machine: check that the service is running there, and ${nameOfSetting(settings, "baseUrl")}, then run the command again.`;
  }
  return `Check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and ${nameOfSetting(settings, "baseUrl")}, then run the command again.`;
}

/** For an answer that the service does not give. */
export function wrongHostAdvice(settings: AccountSettings): string {
  return `This is not an answer of the service: a proxy or another host may have given it. Check ${nameOfSetting(settings, "baseUrl")}.`;
}

/** For an address in the state to which the API key would travel unencrypted. */
export const insecureAddressAdvice =
  "The webhook was created at an address that begins with http:, so the API key would travel unencrypted. To send the request all the same, set dbwebhooks:allowInsecureBaseUrl to true for this run.";

function keyAdvice(settings: AccountSettings): string {
  return settings.fromEnvironment.includes("apiKey")
    ? "Check the API key: DBWEBHOOKS_API_KEY sets it."
    : 'Set another key: "pulumi config set --secret dbwebhooks:apiKey", then "pulumi up" ("pulumi destroy" and "pulumi refresh" read DBWEBHOOKS_API_KEY). For a Provider: its argument apiKey.';
}

/** For a creation that may have left an unmanaged webhook. */
export function unmanagedAdvice(databaseId: string, receiverUrl: string): string {
  const receiver = URL.canParse(receiverUrl) ? new URL(receiverUrl).origin : "an unknown host";
  return `A webhook may exist in database ${shownValue(databaseId)} without a stored secret. Look there for an unmanaged webhook to a receiver on ${shownValue(receiver)}, and delete it. Then run "pulumi up" again.`;
}

// A service may answer with these when a database has as many webhooks as it allows.
const limitStatuses = [402, 403, 409, 422];

/** How to replace webhooks where the service allows no further one; empty for other answers. */
export function limitHint({ statusCode }: HttpResponse): string {
  return limitStatuses.includes(statusCode)
    ? "If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications."
    : "";
}

/**
 * For an answer that refuses to create a webhook.
 *
 * @param errorCode The service's code, where it is the service that answers.
 */
export function adviceForCreation(
  settings: AccountSettings,
  response: HttpResponse,
  errorCode?: string,
): string {
  if (response.statusCode === 404 && errorCode !== "NOT_FOUND") {
    return `No webhook was created. ${wrongHostAdvice(settings)}`;
  }
  const advice =
    response.statusCode === 404
      ? `The service answers so when the database does not exist and when the key has no access to it: check databaseId, ${nameOfSetting(settings, "apiKey")} and ${nameOfSetting(settings, "baseUrl")}.`
      : adviceForStatus(settings, response);
  return `No webhook was created. ${[advice, limitHint(response)].join(" ").trimEnd()}`;
}

/**
 * For an answer that refuses to delete a webhook.
 *
 * @param isOtherAccount Whether it was created at another base URL than the configured one.
 */
export function adviceForDeletion(
  settings: AccountSettings,
  response: HttpResponse,
  isOtherAccount: boolean,
): string {
  if (isOtherAccount && [401, 403, 404].includes(response.statusCode)) {
    return `The webhook was created there, but ${nameOfSetting(settings, "baseUrl")} is ${shownValue(settings.baseUrl)} now, and the key may not be valid at both. If the same service has moved, set DBWEBHOOKS_FORMER_BASE_URLS to the former address. Else set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY back for this command, or delete the webhook by hand and remove it with "pulumi state delete".`;
  }
  return response.statusCode === 404
    ? wrongHostAdvice(settings)
    : adviceForStatus(settings, response);
}

function adviceForStatus(
  settings: AccountSettings,
  { statusCode, redirectOrigin }: HttpResponse,
): string {
  const baseUrl = nameOfSetting(settings, "baseUrl");
  if (statusCode >= 300 && statusCode < 400) {
    const target = redirectOrigin === undefined ? "elsewhere" : `to ${shownValue(redirectOrigin)}`;
    return `It redirects ${target}, and the API key is not sent there: set ${baseUrl} to the address of the service itself.`;
  }
  if (statusCode === 401) {
    return `The service does not accept the API key. ${keyAdvice(settings)}`;
  }
  if (statusCode === 403) {
    return `The API key may not do this. ${keyAdvice(settings)}`;
  }
  if (statusCode === 429 || statusCode >= 500) {
    return "Run the command again later.";
  }
  return `The service refuses the request as it is: check the arguments of the webhook and ${baseUrl}.`;
}
