import type { HttpResponse } from "./http.js";
import { oneLine } from "./redact.js";

// Values that users choose can be long; cut, they leave room for the rest of the sentence.
const maxShownLength = 100;

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
  'Check the API key: "pulumi config set --secret dbwebhooks:apiKey", or DBWEBHOOKS_API_KEY.';

/** What to do when a webhook may have been created whose secret is lost. */
export function orphanAdvice(databaseId: string, receiverUrl: string): string {
  const receiver = URL.canParse(receiverUrl) ? new URL(receiverUrl).origin : "an unknown host";
  return `A webhook may exist in database ${oneLine(databaseId, maxShownLength)} whose secret nobody knows: look there for one that no stack manages, to a receiver on ${oneLine(receiver, maxShownLength)}, and delete it, then run "pulumi up" again.`;
}

/** What to do when the service refused to create a webhook. */
export function adviceForCreate({ statusCode, redirectOrigin }: HttpResponse): string {
  if (statusCode === 404) {
    return "No webhook was created. The service answers so when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.";
  }
  return `No webhook was created. ${adviceForStatus(statusCode, redirectOrigin)}`;
}

/** What to do when the service did not delete a webhook. */
export function adviceForDelete({ statusCode, redirectOrigin }: HttpResponse): string {
  return statusCode === 404 ? wrongHostAdvice : adviceForStatus(statusCode, redirectOrigin);
}

/** What to do when the service that a webhook was created at refuses, and the account is another now. */
export function otherAccountAdvice(baseUrl: string): string {
  return `The webhook was created there, but dbwebhooks:baseUrl is ${oneLine(baseUrl, maxShownLength)} now, so this answer may only mean that today's key is not valid there. Set dbwebhooks:baseUrl and dbwebhooks:apiKey back for this run, or delete the webhook by hand and remove it with "pulumi state delete".`;
}

function adviceForStatus(statusCode: number, redirectOrigin: string | undefined): string {
  if (statusCode >= 300 && statusCode < 400) {
    const target =
      redirectOrigin === undefined ? "elsewhere" : `to ${oneLine(redirectOrigin, maxShownLength)}`;
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
