// The next step after a failed request: one that fits the response, whatever the program was before.
import type { FailedCall } from "../../api/client.js";
import type { HttpResponse } from "../../api/send-once.js";
import { isApiError, isNotFound } from "../../api/service-error.js";
import { environmentVariables } from "../../common/setting-names.js";
import type { Settings } from "../rules/config.js";
import type { Context } from "../run/operation.js";
import { nameOfSetting } from "./names.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

const deletionAdvice = `The service refuses the deletion. If the webhook is certainly gone, "pulumi state delete" removes it from the state.`;

/** Says what to do after a failed request. */
export function adviceFor(context: Context, call: FailedCall): string {
  const { outcome, giveUpReason } = call;
  if (outcome.kind === "response") {
    return adviceForResponse(context, call, outcome);
  }
  if (giveUpReason === "stopping" || outcome.cause === "stopping") {
    return "Run the command again.";
  }
  return sentences(
    "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS",
    `and ${nameOfSetting(context.settings, "baseUrl")}. Then run the command again.`,
  );
}

/** Says what a refused creation may mean besides invalid arguments, or `undefined` for any other status code. */
export function quotaAdvice({ outcome }: FailedCall): string | undefined {
  if (outcome.kind !== "response") {
    return undefined;
  }
  const { statusCode } = outcome;
  const mayBeFull = statusCode === 402 || (statusCode === 403 && isApiError(outcome));
  if (mayBeFull) {
    return `Perhaps the database is full. ${see("A full database")}`;
  }
  return statusCode === 409 || statusCode === 422
    ? `Perhaps the database is full, or the service refuses a second webhook with this url. ${see("A full database")}`
    : undefined;
}

/** Says how to delete without a list. */
export function listingOffAdvice({ listing, isExplicit, namesFromEnvironment }: Settings): string {
  const isArgument =
    isExplicit && listing !== undefined && !namesFromEnvironment.includes("listing");
  return isArgument
    ? `set the Provider's listing to false and run the command again, a destroy with --run-program`
    : `run the command again with ${environmentVariables.listing}=false`;
}

function adviceForResponse(
  context: Context,
  { unusablePart, request }: FailedCall,
  response: HttpResponse,
): string {
  const { settings } = context;
  const { statusCode } = response;
  const baseUrl = nameOfSetting(settings, "baseUrl");
  if (isNotFound(response)) {
    return sentences(
      `The service returns this both when the database does not exist and when the key has no access to it:`,
      `check databaseId, ${nameOfSetting(settings, "apiKey")} and ${baseUrl}.`,
    );
  }
  if (unusablePart === "success") {
    return deletionAdvice;
  }
  if (statusCode === 404 || unusablePart !== undefined) {
    return sentences(
      `This is not a response of the API: a login page, a proxy or another host may have sent it.`,
      `Check ${baseUrl}.`,
    );
  }
  if (statusCode >= 300 && statusCode < 400) {
    return redirectAdvice(context, response);
  }
  if (statusCode === 401 || statusCode === 403) {
    return isApiError(response)
      ? `The service does not accept the API key for this. ${apiKeyAdvice(settings)} ${see("A wrong key")}`
      : sentences(
          `This is not an error of the API: a firewall or a proxy in between may have refused the request.`,
          `Check the network, HTTPS_PROXY and ${baseUrl}.`,
        );
  }
  if ([408, 425, 429].includes(statusCode) || statusCode >= 500) {
    return "Run the command again later.";
  }
  return request.method === "DELETE"
    ? deletionAdvice
    : `The service refuses the request as it is: check the arguments of the webhook and ${baseUrl}.`;
}

function redirectAdvice(
  { settings, operation }: Context,
  { redirectOrigin, isSameOriginRedirect }: HttpResponse,
): string {
  const baseUrl = nameOfSetting(settings, "baseUrl");
  if (isSameOriginRedirect) {
    return sentences(
      `It redirects to another path of the same host, such as a login page or another prefix:`,
      `check the path of ${baseUrl}.`,
    );
  }
  const target =
    redirectOrigin === undefined ? "elsewhere" : `to ${operation.redact(redirectOrigin, 200)}`;
  return sentences(
    `It redirects ${target}, and the API key is not sent there:`,
    `set ${baseUrl} to the address of the service itself.`,
  );
}

function apiKeyAdvice({ isExplicit }: Settings): string {
  return isExplicit
    ? sentences(
        `Correct the argument apiKey of the Provider, or declare the Provider again if it has left the program;`,
        `"pulumi destroy" needs --run-program to see it.`,
      )
    : sentences(
        `Set ${environmentVariables.apiKey} to the right key: it sets the key for this command,`,
        `whatever the stack stores.`,
      );
}
