// The next step after a failed request: one that fits the response, whatever the program was
// before.
import type { EndedCall } from "../../api/client.js";
import { errorCodeOf } from "../../api/error-body.js";
import type { HttpRequest, HttpResponse } from "../../api/http-exchange.js";
import { classOfResponse, isRedirection, type ResponseClass } from "../../api/response-class.js";
import { settingsTable } from "../../common/settings-table.js";
import type { MessageContext } from "../command/operation.js";
import type { Settings } from "../rules/settings.js";
import { nameOfSetting } from "./names.js";
import { sentences } from "./sentences.js";
import { see, type TroubleshootingHeading } from "./troubleshooting.js";

/** The advice after a failed request. */
export interface Advice {
  readonly nextStep: string;
  /** The part of the page with the steps that depend on the situation. */
  readonly heading?: TroubleshootingHeading;
}

type WriteAdvice = (context: MessageContext, call: EndedCall, response: HttpResponse) => Advice;

/** The advice after each class of responses. */
const adviceByClass: Readonly<Record<ResponseClass, WriteAdvice>> = {
  success: ({ settings }, { unusable }) => {
    switch (unusable) {
      case "refusal":
        return refusalAdvice.DELETE(settings);
      case "entries":
        return step();
      default:
        return step(
          `This is not a response of the API: a login page, a firewall, a proxy or another host may have sent it.`,
          `Check the network and ${nameOfSetting(settings, "baseUrl")}.`,
        );
    }
  },
  throttled: adviseToWait,
  temporary: adviseToWait,
  unclear: (context, call, response) =>
    isRedirection(response)
      ? redirectAdvice(context, call, response)
      : refusalAdvice[call.request.method](context.settings),
  redirect: redirectAdvice,
  denied: deniedAdvice,
  notFound: ({ settings }) =>
    step(
      `The service returns this both when the database does not exist and when the key has no access to it:`,
      `check databaseId, ${nameOfSetting(settings, "apiKey")} and ${nameOfSetting(settings, "baseUrl")}.`,
    ),
  unsupported: ({ settings }, { request }) =>
    step(
      `There is no such operation at this base URL: a proxy or another host may have responded.`,
      `Check ${nameOfSetting(settings, "baseUrl")}.`,
      request.method === "GET" &&
        `If the service cannot list webhooks, do not set listing to true.`,
    ),
  refused: ({ settings }, { request }) => refusalAdvice[request.method](settings),
};

/** The advice after the service has refused a request itself. */
const refusalAdvice: Readonly<Record<HttpRequest["method"], (settings: Settings) => Advice>> = {
  POST: (settings) => ({
    nextStep: `The service refuses the request as it is: check the arguments of the webhook and ${nameOfSetting(settings, "baseUrl")}.`,
    heading: "A refused creation",
  }),
  DELETE: () => step(`The service refuses the deletion.`),
  // The failures of an operation that needs a list say how to do without one.
  GET: () => step(),
};

/** Says what to do after a failed request. */
export function adviceFor(context: MessageContext, call: EndedCall): Advice {
  const { outcome, giveUpReason } = call;
  if (outcome.kind === "response") {
    return adviceByClass[classOfResponse(outcome)](context, call, outcome);
  }
  if (giveUpReason === "stopping" || outcome.cause === "stopping") {
    return step("Run the command again.");
  }
  return step(
    "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS",
    `and ${nameOfSetting(context.settings, "baseUrl")}. Then run the command again.`,
  );
}

/** Returns the sentences of an advice, the last of which refers to the page. */
export function adviceText({ nextStep, heading }: Advice): string {
  return sentences(nextStep, heading && see(heading));
}

/**
 * Says how to delete at a service that cannot list webhooks. For one webhook that is gone it is
 * wrong: it counts every other one that gets 404 as deleted, too.
 */
export function listingOffAdvice({ listing, isExplicit, namesFromEnvironment }: Settings): string {
  const isArgument =
    isExplicit && listing !== undefined && !namesFromEnvironment.includes("listing");
  return isArgument
    ? `set the Provider's listing to false and run the command again, a destroy with --run-program`
    : `run the command again with ${settingsTable.listing.variable}=false`;
}

/** Returns advice that names no heading. Without sentences it is empty. */
function step(...parts: readonly (string | false | undefined)[]): Advice {
  return { nextStep: sentences(...parts) };
}

function adviseToWait(): Advice {
  return step("Run the command again later.");
}

function deniedAdvice(
  { settings }: MessageContext,
  _call: EndedCall,
  { body }: HttpResponse,
): Advice {
  if (errorCodeOf(body) === undefined) {
    return step(
      `This is not an error of the API: a firewall or a proxy in between may have refused the request.`,
      `Check the network, HTTPS_PROXY and ${nameOfSetting(settings, "baseUrl")}.`,
    );
  }
  return {
    nextStep: `The service does not accept the API key for this. ${apiKeyAdvice(settings)}`,
    heading: "A wrong key",
  };
}

function redirectAdvice(
  { settings }: MessageContext,
  { request }: EndedCall,
  { redirectOrigin }: HttpResponse,
): Advice {
  const baseUrl = nameOfSetting(settings, "baseUrl");
  return redirectOrigin === request.url.origin
    ? step(`Check the path of ${baseUrl}: a login page may have responded, or the prefix is wrong.`)
    : step(`The API key is not sent there: set ${baseUrl} to that of the service itself.`);
}

function apiKeyAdvice({ isExplicit }: Settings): string {
  return isExplicit
    ? sentences(
        `Correct the argument apiKey of the Provider, or declare the Provider again if it has left the program;`,
        `"pulumi destroy" needs --run-program to see it.`,
      )
    : `Set ${settingsTable.apiKey.variable} to the right key: it sets the key for this command, whatever the stack stores.`;
}
