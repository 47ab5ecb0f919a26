// The next step after a failed request: one that fits the response, whatever the program was
// before.
import type { EndedCall } from "../../api/client.js";
import { parseErrorEnvelope } from "../../api/error-body.js";
import { classOfResponse, mayBeConflict, type ResponseClass } from "../../api/response-class.js";
import type { HttpResponse } from "../../api/send-once.js";
import { environmentVariables } from "../../common/setting-names.js";
import type { Settings } from "../rules/config.js";
import type { Context } from "../run/operation.js";
import { nameOfSetting } from "./names.js";
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

const goneAdvice = `If the webhook is certainly gone, "pulumi state delete" removes it from the state.`;

type WriteAdvice = (context: Context, call: EndedCall, response: HttpResponse) => string;

/** The advice after each class of responses. */
const adviceByClass: Readonly<Record<ResponseClass, WriteAdvice>> = {
  success: (context, { unusable }) =>
    unusable?.part === "success"
      ? refusalAdvice.DELETE()
      : sentences(
          `This is not a response of the API: a login page, a proxy or another host may have sent it.`,
          `Check ${nameOfSetting(context.settings, "baseUrl")}.`,
        ),
  throttled: adviseToWait,
  temporary: adviseToWait,
  unclear: (context, call, response) =>
    response.redirectOrigin === undefined
      ? refusalAdvice[call.request.method](context, call)
      : redirectAdvice(context, response),
  redirect: (context, _call, response) => redirectAdvice(context, response),
  denied: deniedAdvice,
  notFound: ({ settings }) =>
    sentences(
      `The service returns this both when the database does not exist and when the key has no access to it:`,
      `check databaseId, ${nameOfSetting(settings, "apiKey")} and ${nameOfSetting(settings, "baseUrl")}.`,
    ),
  unsupported: ({ settings }, { request }) =>
    sentences(
      `There is no such operation at this address: a proxy or another host may have responded.`,
      `Check ${nameOfSetting(settings, "baseUrl")}.`,
      request.method === "DELETE" && goneAdvice,
    ),
  refused: (context, call) => refusalAdvice[call.request.method](context, call),
};

/** The advice after the service has refused a request itself. */
const refusalAdvice = {
  POST: ({ settings }: Context, call: EndedCall) =>
    sentences(
      `The service refuses the request as it is: check the arguments of the webhook and ${nameOfSetting(settings, "baseUrl")}.`,
      conflictAdvice(call),
    ),
  DELETE: () => `The service refuses the deletion. ${goneAdvice}`,
  // The failures of an operation that needs a list say how to do without one.
  GET: () => "",
};

/** Says what to do after a failed request. */
export function adviceFor(context: Context, call: EndedCall): string {
  const { outcome, giveUpReason } = call;
  if (outcome.kind === "response") {
    return adviceByClass[classOfResponse(outcome)](context, call, outcome);
  }
  if (giveUpReason === "stopping" || outcome.cause === "stopping") {
    return "Run the command again.";
  }
  return sentences(
    "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS",
    `and ${nameOfSetting(context.settings, "baseUrl")}. Then run the command again.`,
  );
}

/** Says what a failed creation may mean besides, if anything. */
export function conflictAdvice({ outcome }: EndedCall): string | undefined {
  return mayBeConflict(outcome)
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

function adviseToWait(): string {
  return "Run the command again later.";
}

function deniedAdvice({ settings }: Context, call: EndedCall, { body }: HttpResponse): string {
  if (parseErrorEnvelope(body) === undefined) {
    return sentences(
      `This is not an error of the API: a firewall or a proxy in between may have refused the request.`,
      `Check the network, HTTPS_PROXY and ${nameOfSetting(settings, "baseUrl")}.`,
    );
  }
  return sentences(
    `The service does not accept the API key for this. ${apiKeyAdvice(settings)} ${see("A wrong key")}`,
    call.request.method === "POST" && conflictAdvice(call),
  );
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
