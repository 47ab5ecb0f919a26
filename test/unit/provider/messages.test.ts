import { describe, expect, it, vi } from "vitest";
import type { EndedCall } from "../../../src/api/client.ts";
import type { HttpOutcome, HttpRequest } from "../../../src/api/send-once.ts";
import type { ReportedDelay } from "../../../src/api/transport.ts";
import { checkOperation } from "../../../src/provider/check.ts";
import type {
  AccountOperationKind,
  MessageContext,
} from "../../../src/provider/command/operation.ts";
import { Reporter } from "../../../src/provider/command/reporter.ts";
import { createOperation } from "../../../src/provider/create.ts";
import { deleteOperation } from "../../../src/provider/delete.ts";
import { diffOperation } from "../../../src/provider/diff.ts";
import { importOperation } from "../../../src/provider/import.ts";
import { adviceFor, listingOffAdvice } from "../../../src/provider/messages/advice.ts";
import { callText } from "../../../src/provider/messages/call-text.ts";
import { consequenceTexts, failed } from "../../../src/provider/messages/error-message.ts";
import { type Failure, failures } from "../../../src/provider/messages/failures.ts";
import { nameOfWebhook } from "../../../src/provider/messages/names.ts";
import * as notices from "../../../src/provider/messages/notices.ts";
import * as pluginErrors from "../../../src/provider/messages/plugin-errors.ts";
import { readOperation } from "../../../src/provider/read.ts";
import { readDescribedWebhook } from "../../../src/provider/rules/described-webhook.ts";
import { baseUrlDifference, compareWebhook } from "../../../src/provider/rules/differences.ts";
import type { Settings } from "../../../src/provider/rules/settings.ts";
import { parseStateEntry } from "../../../src/provider/rules/state.ts";
import { errorBody, someArgs, someSettings, unknownMarkers } from "../../helpers/builders.ts";
import { startProvider } from "../../helpers/provider.ts";
import * as outcomes from "../../helpers/transport.ts";

// Only this file asserts whole messages of the provider. Others assert kinds and single facts.

const place = "database base_abc123";
const name = `webhook 17 of ${place}`;
const settings = someSettings();
const explicitSettings = someSettings({ isExplicit: true });
const inEnvironment = someSettings({ namesFromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const reporter = (title: string) => new Reporter(title, vi.fn(), new Set(), () => []);
const creation = reporter(`Create webhook in ${place}`);
const deletion = reporter(`Delete ${name}`);
const contextWith = (inSettings: Settings): MessageContext => {
  return { settings: inSettings, reporter: creation };
};
const context = contextWith(settings);

type More = Partial<Omit<EndedCall, "outcome">>;

function failedWith(outcome: HttpOutcome, { unusable, ...more }: More = {}): EndedCall {
  const ended = { request: outcomes.someRequest, attempts: 1, elapsedMs: 2_001, ...more };
  return unusable !== undefined && outcome.kind === "response"
    ? { ...ended, outcome, unusable }
    : { ...ended, outcome };
}

const deleteRequest = { ...outcomes.someRequest, method: "DELETE" } as const;
const listRequest = { ...outcomes.someRequest, method: "GET" } as const;
const unconfirmed = { unusable: "confirmation", request: deleteRequest } as const;
const notFound = outcomes.response(404, undefined, errorBody("NOT_FOUND", "It is gone."));

const textOf = (outcome: HttpOutcome, more: More = {}, inSettings = settings) =>
  callText(contextWith(inSettings), failedWith(outcome, more));

it("A failed request's text says what was returned, or why nothing was, and why no retry followed", () => {
  const outOfRetries = { giveUpReason: "retrySeconds" } as const;
  const refusedRetries = {
    giveUpReason: "connectionRefused",
    attempts: 3,
    elapsedMs: 15_000,
  } as const;

  const locked = { success: false, message: "Webhook is locked." };

  expect({
    error: textOf(notFound),
    errorWithoutMessage: textOf(outcomes.response(400, undefined, errorBody("BAD", ""))),
    noList: textOf(outcomes.response(200), { unusable: "list", request: listRequest }),
    unusableEntries: textOf(outcomes.response(200), {
      unusable: "entries",
    }),
    tooLarge: textOf(outcomes.response(200), { unusable: "tooLarge" }),
    refusalWith200: textOf(outcomes.response(200, undefined, locked), unconfirmed),
    noConfirmation: textOf(outcomes.response(200), unconfirmed),
    stopping: textOf(outcomes.unsent("stopping")),
    unusableProxy: textOf(outcomes.unsent("proxyUrl")),
    timeoutOfConnection: textOf(outcomes.unsent("timeout")),
    timeoutOfResponse: textOf({ kind: "noResponse", cause: "timeout" }),
    lostForNoReason: textOf({ kind: "noResponse", cause: "connection", codes: [], text: "" }),
    noConnectionOrText: textOf({ kind: "unsent", cause: "connection", codes: ["ECODE"], text: "" }),
    refusedByProxy: textOf(outcomes.refusedByProxy(403)),
    noRetryAfterStop: textOf(outcomes.throttled(), { giveUpReason: "stopping" }),
    askedToWaitADay: textOf(outcomes.throttled(86_400_000), outOfRetries),
    askedToWaitLonger: textOf(outcomes.throttled(9e8), outOfRetries, inEnvironment),
    refusedRetries: textOf(outcomes.connectionRefused, refusedRetries),
  }).toMatchInlineSnapshot(`
    {
      "askedToWaitADay": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: the service asks for a wait of 86400 s, and dbwebhooks:retrySeconds is 120)",
      "askedToWaitLonger": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: the service asks for a wait of over a day, and dbwebhooks:retrySeconds (set by DBWEBHOOKS_RETRY_SECONDS) is 120)",
      "error": "POST https://tables.example.com/somewhere returned 404 NOT_FOUND "It is gone."",
      "errorWithoutMessage": "POST https://tables.example.com/somewhere returned 400 BAD",
      "lostForNoReason": "POST https://tables.example.com/somewhere lost the connection before the response was complete (unknown reason)",
      "noConfirmation": "DELETE https://tables.example.com/somewhere returned 200 without confirming the deletion",
      "noConnectionOrText": "POST https://tables.example.com/somewhere could not connect (ECODE)",
      "noList": "GET https://tables.example.com/somewhere returned 200 with something other than a list of webhooks",
      "noRetryAfterStop": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: Pulumi is stopping)",
      "refusalWith200": "DELETE https://tables.example.com/somewhere returned 200 without confirming the deletion "Webhook is locked."",
      "refusedByProxy": "POST https://tables.example.com/somewhere could not connect (UND_ERR_ABORTED: Proxy response failed)",
      "refusedRetries": "POST https://tables.example.com/somewhere could not connect (ECONNREFUSED: connect failed) (gave up after 3 attempts in 15 s: a refused connection is retried for at most 15 s)",
      "stopping": "POST https://tables.example.com/somewhere was not sent, because Pulumi is stopping",
      "timeoutOfConnection": "POST https://tables.example.com/somewhere could not connect within 30 s (dbwebhooks:timeoutSeconds)",
      "timeoutOfResponse": "POST https://tables.example.com/somewhere got no complete response within 30 s (dbwebhooks:timeoutSeconds)",
      "tooLarge": "POST https://tables.example.com/somewhere returned 200 with a body of more than 1 MiB",
      "unusableEntries": "POST https://tables.example.com/somewhere returned 200 with an unusable entry in its list",
      "unusableProxy": "POST https://tables.example.com/somewhere could not connect: HTTPS_PROXY or HTTP_PROXY is not the URL of an HTTP proxy (SOCKS is not supported); write http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT with user and password percent-encoded",
    }
  `);
});

it("The message about a wait says why requests wait, and what to do about a rate limit", () => {
  const wait = { delayMs: 5_001, request: deleteRequest };
  const pause: ReportedDelay = { ...wait, kind: "pause", outcome: outcomes.throttled(5_001) };
  const retry: ReportedDelay = { ...wait, kind: "retry", outcome: outcomes.response(500) };

  expect({
    pause: notices.delayText(pause),
    retryAfterResponse: notices.delayText(retry),
    retryWithoutResponse: notices.delayText({ ...retry, outcome: outcomes.connectionLost }),
    retryOfUnsent: notices.delayText({ ...retry, outcome: outcomes.connectionRefused }),
  }).toMatchInlineSnapshot(`
    {
      "pause": "The service limits the rate of requests, so no request is sent for the next 6 s. With a lower --parallel, Pulumi sends fewer requests at once.",
      "retryAfterResponse": "https://tables.example.com returned 500; retrying DELETE.",
      "retryOfUnsent": "https://tables.example.com could not be reached; retrying DELETE.",
      "retryWithoutResponse": "https://tables.example.com did not respond; retrying DELETE.",
    }
  `);
});

const htmlPage = (statusCode: number) =>
  Object.assign(outcomes.response(statusCode), { body: "<!doctype html>" });
const apiError = (statusCode: number) =>
  outcomes.response(statusCode, undefined, errorBody("NO", ""));
const redirectTo = (redirectOrigin: string, isSameOriginRedirect = false) =>
  Object.assign(outcomes.response(302), { redirectOrigin, isSameOriginRedirect });

it("The advice after a failed request follows from its outcome and the settings", () => {
  const advice = (outcome: HttpOutcome, more: More = {}, inSettings = settings) => {
    const { nextStep, heading } = adviceFor(contextWith(inSettings), failedWith(outcome, more));
    return heading === undefined ? nextStep : `${nextStep} See ${heading}.`;
  };
  const toDelete = { request: deleteRequest };

  expect({
    noConnection: advice(outcomes.dnsFailure),
    stopping: advice(outcomes.unsent("stopping")),
    missingDatabase: advice(notFound),
    wrongHost: advice(outcomes.response(404)),
    noList: advice(outcomes.response(405), { request: listRequest }),
    unusableEntries: advice(outcomes.response(200), {
      request: listRequest,
      unusable: "entries",
    }),
    redirect: advice(redirectTo("https://b.test")),
    noSuchDeletion: advice(outcomes.response(405), toDelete),
    redirectWithinHost: advice(redirectTo("https://a.test", true)),
    redirectWithoutTarget: advice(outcomes.response(300)),
    invalid: advice(apiError(400)),
    refusedDeletion: advice(apiError(409), toDelete),
    gone: advice(apiError(410), toDelete),
    locked: advice(outcomes.response(200), { ...toDelete, unusable: "success" }),
    rateLimited: advice(outcomes.throttled()),
    keyOfStack: advice(apiError(401)),
    keyOfProvider: advice(apiError(401), {}, explicitSettings),
    keyFromEnvironment: advice(apiError(403), {}, inEnvironment),
    firewall401: advice(htmlPage(401)),
    firewall403: advice(htmlPage(403)),
    conflictOfDeletion: advice(
      Object.assign(redirectTo("https://b.test"), { statusCode: 409 }),
      toDelete,
    ),
  }).toMatchInlineSnapshot(`
    {
      "conflictOfDeletion": "The service refuses the deletion. If the webhook is certainly gone, "pulumi state delete" removes it from the state.",
      "firewall401": "This is not an error of the API: a firewall or a proxy in between may have refused the request. Check the network, HTTPS_PROXY and dbwebhooks:baseUrl.",
      "firewall403": "This is not an error of the API: a firewall or a proxy in between may have refused the request. Check the network, HTTPS_PROXY and dbwebhooks:baseUrl.",
      "gone": "The service refuses the deletion. If the webhook is certainly gone, "pulumi state delete" removes it from the state.",
      "invalid": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl. See A refused creation.",
      "keyFromEnvironment": "The service does not accept the API key for this. Set DBWEBHOOKS_API_KEY to the right key: it sets the key for this command, whatever the stack stores. See A wrong key.",
      "keyOfProvider": "The service does not accept the API key for this. Correct the argument apiKey of the Provider, or declare the Provider again if it has left the program; "pulumi destroy" needs --run-program to see it. See A wrong key.",
      "keyOfStack": "The service does not accept the API key for this. Set DBWEBHOOKS_API_KEY to the right key: it sets the key for this command, whatever the stack stores. "pulumi config set --secret dbwebhooks:apiKey" stores it for the next "pulumi up". See A wrong key.",
      "locked": "The service refuses the deletion. If the webhook is certainly gone, "pulumi state delete" removes it from the state.",
      "missingDatabase": "The service returns this both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.",
      "noConnection": "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl. Then run the command again.",
      "noList": "There is no such operation at this base URL: a proxy or another host may have responded. Check dbwebhooks:baseUrl. If the service cannot list webhooks, do not set listing to true.",
      "noSuchDeletion": "There is no such operation at this base URL: a proxy or another host may have responded. Check dbwebhooks:baseUrl. If the webhook is certainly gone, "pulumi state delete" removes it from the state.",
      "rateLimited": "Run the command again later.",
      "redirect": "It redirects to https://b.test, and the API key is not sent there: set dbwebhooks:baseUrl to that of the service itself.",
      "redirectWithinHost": "It redirects to another path of the same host, such as a login page or another prefix: check the path of dbwebhooks:baseUrl.",
      "redirectWithoutTarget": "It redirects elsewhere, and the API key is not sent there: set dbwebhooks:baseUrl to that of the service itself.",
      "refusedDeletion": "The service refuses the deletion. If the webhook is certainly gone, "pulumi state delete" removes it from the state.",
      "stopping": "Run the command again.",
      "unusableEntries": "",
      "wrongHost": "There is no such operation at this base URL: a proxy or another host may have responded. Check dbwebhooks:baseUrl.",
    }
  `);
});

const missingKey = {
  name: "apiKey",
  text: "PROBLEM",
  isFromEnvironment: false,
  isMissing: true,
} as const;

it.each<[AccountOperationKind, named: readonly string[], notNamed: readonly string[]]>([
  ["create", ["pulumi config set"], ["--run-program"]],
  ["read", ["pulumi config set", "--run-program"], []],
  ["delete", ["pulumi config set", "--run-program"], []],
  // "pulumi up" would create a second webhook.
  ["import", [], ["pulumi "]],
])(
  "The next step of the operation %s without a key is the variable and then %j",
  (operation, named, notNamed) => {
    const { nextStep } = failures.invalidSettings(operation, [missingKey], false);
    const wrongVariable = { ...missingKey, isFromEnvironment: true, isMissing: false };
    const withWrongVariable = failures.invalidSettings(operation, [wrongVariable], false);

    for (const text of ["DBWEBHOOKS_API_KEY", ...named]) {
      expect(nextStep).toContain(text);
    }
    for (const text of notNamed) {
      expect(nextStep).not.toContain(text);
    }
    // The environment wins over the configuration.
    expect(withWrongVariable.nextStep).not.toContain("config");
  },
);

describe("Every failure", () => {
  const call = (outcome: HttpOutcome, request: HttpRequest = outcomes.someRequest) =>
    failedWith(outcome, { request });
  const oldUrl = "https://old.example.com";
  const undo = { kind: "failed", call: call(apiError(403), deleteRequest) } as const;
  const all: Readonly<Record<keyof typeof failures, Failure>> = {
    invalidSettings: failures.invalidSettings("delete", [missingKey], false),
    otherBaseUrl: failures.otherBaseUrl(settings, oldUrl),
    otherBaseUrlOfRefresh: failures.otherBaseUrlOfRefresh(settings, oldUrl),
    otherBaseUrlOfDeletion: failures.otherBaseUrlOfDeletion(settings, oldUrl),
    twoResources: failures.twoResources("17"),
    incomplete: failures.incomplete(["PROBLEM", "PROBLEM"]),
    notCreated: failures.notCreated(context, call(apiError(400))),
    inDoubt: failures.inDoubt(context, call(apiError(409))),
    knownId: failures.knownId("17"),
    repeated: failures.repeated(),
    unusableSecret: failures.unusableSecret("17", "IS ODD"),
    undone: failures.undone("17"),
    leftBehind: failures.leftBehind(context, "17", undo),
    notDescribed: failures.notDescribed("IT IS ODD"),
    noAddress: failures.noAddress("unchanged"),
    otherHolder: failures.otherHolder("17"),
    notDeleted: failures.notDeleted(context, call(apiError(400), deleteRequest)),
    stillListed: failures.stillListed(),
    listNotFound: failures.listNotFound(settings),
    notConfirmed: failures.notConfirmed(context, call(apiError(500), listRequest)),
    fault: failures.fault(deletion, new Error("odd")),
  };
  const textOf = (failure: Failure) => failed(reporter("NAME"), failure).message;

  it.each(Object.entries(all))("says what %s leaves behind, and its kind", (_name, failure) => {
    const text = textOf(failure);

    expect(text).toMatch(/^NAME failed: \S/);
    expect(text).toContain(`. ${consequenceTexts[failure.kind]} `);
    expect(text.endsWith(` [${failure.kind}]`)).toBe(true);
    expect(text).not.toMatch(/\.\.|undefined|\[object| {2}/);
  });

  it("has a cause, a consequence and a next step", () => {
    const texts = Object.entries(all).map(([one, failure]) => [one, textOf(failure)]);

    expect(Object.fromEntries(texts)).toMatchInlineSnapshot(`
      {
        "fault": "NAME failed: an unexpected error (odd). This is a bug in pulumi-dbwebhooks: please report it. Before you run the command again, check which webhooks the service has. [fault]",
        "inDoubt": "NAME failed: POST https://tables.example.com/somewhere returned 409 NO. If the service has created a webhook, its secret is not stored. Look in the database for a webhook with the url of this resource. Delete it only if it is new: with a higher id than those that you knew, and the arguments of this creation. One that was there before stays: import it, or declare another url. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md of pulumi-dbwebhooks. [inDoubt]",
        "incomplete": "NAME failed: PROBLEM. Nothing was sent. No webhook was created. Run "pulumi up" again. [notCreated]",
        "invalidSettings": "NAME failed: PROBLEM. Nothing was sent. The webhook stays in the state. Set DBWEBHOOKS_API_KEY for this command, or run "pulumi config set --secret dbwebhooks:apiKey" and add --run-program to the refresh or destroy: without it, Pulumi uses the settings of the last update. [notDeleted]",
        "knownId": "NAME failed: the service returned webhook 17, and this command has met that id before: in the state, in a response, in an import or in a deletion. Either the service returned an existing webhook, or it gave the id to a new one, whose secret is lost. Nothing was deleted. If the service has created a webhook, its secret is not stored. Find out which of the two it is before you run the command again. See "A repeated id" in docs/troubleshooting.md of pulumi-dbwebhooks. [inDoubt]",
        "leftBehind": "NAME failed: Pulumi stopped while the service created webhook 17, and it could not be deleted: DELETE https://tables.example.com/somewhere returned 403 NO. The webhook is not in the state. Delete webhook 17 at the service. See "leftBehind" in docs/troubleshooting.md of pulumi-dbwebhooks. [leftBehind]",
        "listNotFound": "NAME failed: the service returned 404 NOT_FOUND for it and for the list of its database: the API key has no access to the database, the database is gone, or the service cannot list webhooks. The webhook stays in the state. Check dbwebhooks:apiKey. If the webhook is certainly gone, run the command again with DBWEBHOOKS_LISTING=false. See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "noAddress": "NAME failed: its id and its state do not name one webhook. Nothing was sent. Nothing was changed. If somebody has edited the state, restore it, or delete the webhook at the service, and then from the state with "pulumi state delete". [unchanged]",
        "notConfirmed": "NAME failed: the service returned 404 NOT_FOUND for it, which it also returns to a key without access, and its list does not show whether the webhook exists: GET https://tables.example.com/somewhere returned 500 NO. The webhook stays in the state. Run the command again later. If the key is right and the service cannot list all webhooks, run the command again with DBWEBHOOKS_LISTING=false. See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "notCreated": "NAME failed: POST https://tables.example.com/somewhere returned 400 NO. No webhook was created. The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl. See "A refused creation" in docs/troubleshooting.md of pulumi-dbwebhooks. [notCreated]",
        "notDeleted": "NAME failed: DELETE https://tables.example.com/somewhere returned 400 NO. The webhook stays in the state. The service refuses the deletion. If the webhook is certainly gone, "pulumi state delete" removes it from the state. [notDeleted]",
        "notDescribed": "NAME failed: IT IS ODD. Nothing was changed. Describe the webhook by its id, with its arguments and its secret, in a file such as {"42":{"databaseId":"base_abc123","url":"https://…","events":["record.created"],"tableId":"tbl_orders","secret":""}}, without tableId for all tables, and set DBWEBHOOKS_IMPORT="$(cat webhooks.json)". If another stack manages it, export the secret there, and use a StackReference. See "An import" in docs/troubleshooting.md of pulumi-dbwebhooks. [unchanged]",
        "otherBaseUrl": "NAME failed: the state holds the webhook at https://old.example.com, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was changed. The default provider has one base URL and one key, so it could not delete the webhook there. First set baseUrl and apiKey back to the base URL in the state and its key, and run "pulumi up". Then declare a Provider for the other service. If the same service has a new base URL, change it in the state instead, as the page says. See "The base URL has changed" in docs/troubleshooting.md of pulumi-dbwebhooks. [unchanged]",
        "otherBaseUrlOfDeletion": "NAME failed: the state holds the webhook at https://old.example.com, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent. The webhook stays in the state. If you know the base URL in the state, use it together with its own key again. See "The base URL has changed" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "otherBaseUrlOfRefresh": "NAME failed: the state holds the webhook at https://old.example.com, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was changed. Run the command with the settings of https://old.example.com or, if the last update used them, without --run-program. See "The base URL has changed" in docs/troubleshooting.md of pulumi-dbwebhooks. [unchanged]",
        "otherHolder": "NAME failed: two resources have webhook 17. Nothing was sent. The webhook stays in the state. Find out which one is to keep it (which url the service has for it), and remove the other one from the state with "pulumi state delete". See "Two resources have one webhook" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "repeated": "NAME failed: it was not sent, because earlier in this command the creation of this webhook, or of one with the same arguments, may have left a webhook at the service. Nothing was changed. First do what the error of that creation says. Then run the command again. See "inDoubt" in docs/troubleshooting.md of pulumi-dbwebhooks. [unchanged]",
        "stillListed": "NAME failed: the service returned 404 NOT_FOUND for it, but still lists it. The webhook stays in the state. Check whether the API key may delete webhooks, and run the command again. See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "twoResources": "NAME failed: two resources have webhook 17, which the service has just returned for another one. Nothing was changed. Find out which one is to keep it (which url the service has for it), and remove the other one from the state with "pulumi state delete". See "Two resources have one webhook" in docs/troubleshooting.md of pulumi-dbwebhooks. [unchanged]",
        "undone": "NAME failed: Pulumi stopped while the service created webhook 17. The new webhook was deleted. Run the command again. [undone]",
        "unusableSecret": "NAME failed: the service returned webhook 17 without a secret that can be stored: the secret IS ODD. It may be an existing webhook, so it was not deleted. If the service has created a webhook, its secret is not stored. Delete it only if it is new: with a higher id than those that you knew, and the arguments of this creation. One that was there before stays: import it, or declare another url. Every creation ends like this until the service returns another kind of secret. See "inDoubt" in docs/troubleshooting.md of pulumi-dbwebhooks. [inDoubt]",
      }
    `);
  });

  it("asks for another host when the response to a creation is too large for the API", () => {
    const tooLarge = failedWith(outcomes.response(200), { unusable: "tooLarge" });

    expect(textOf(failures.inDoubt(context, tooLarge))).toContain("another host");
  });

  it("depends on the facts of the situation", () => {
    const noPage = failedWith(htmlPage(200), { unusable: "body" });
    const withLocation = (statusCode: number) =>
      Object.assign(redirectTo("https://b.test"), { statusCode });
    const withoutId = failedWith(withLocation(201), { unusable: "id" });

    expect({
      settingsOfProvider: textOf(failures.invalidSettings("delete", [missingKey], true)),
      htmlPage: textOf(failures.inDoubt(context, noPage)),
      locationAfterCreation: textOf(failures.inDoubt(context, withoutId)),
      redirectAfterCreation: textOf(failures.inDoubt(context, call(withLocation(303)))),
      conflictWithLocation: textOf(failures.inDoubt(context, call(withLocation(409)))),
      refusedCreation: textOf(failures.notCreated(context, call(apiError(422)))),
      deletionWithoutAccess: textOf(
        failures.notDeleted(context, call(apiError(403), deleteRequest)),
      ),
      listNotAllowed: textOf(failures.notConfirmed(context, call(apiError(401), listRequest))),
      stoppedBeforeList: textOf(
        failures.notConfirmed(context, call(outcomes.unsent("stopping"), listRequest)),
      ),
      listNotFoundWithProvider: textOf(failures.listNotFound(explicitSettings)),
      otherBaseUrlOfProvider: textOf(failures.otherBaseUrlOfDeletion(explicitSettings, oldUrl)),
    }).toMatchInlineSnapshot(`
      {
        "conflictWithLocation": "NAME failed: POST https://tables.example.com/somewhere returned 409. If the service has created a webhook, its secret is not stored. Look in the database for a webhook with the url of this resource. Delete it only if it is new: with a higher id than those that you knew, and the arguments of this creation. One that was there before stays: import it, or declare another url. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md of pulumi-dbwebhooks. [inDoubt]",
        "deletionWithoutAccess": "NAME failed: DELETE https://tables.example.com/somewhere returned 403 NO. The webhook stays in the state. The service does not accept the API key for this. Set DBWEBHOOKS_API_KEY to the right key: it sets the key for this command, whatever the stack stores. "pulumi config set --secret dbwebhooks:apiKey" stores it for the next "pulumi up". See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "htmlPage": "NAME failed: POST https://tables.example.com/somewhere returned 200 with something other than the description of a webhook. This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl. If the service has created a webhook, its secret is not stored. Look in the database for a webhook with the url of this resource. Delete it only if it is new: with a higher id than those that you knew, and the arguments of this creation. One that was there before stays: import it, or declare another url. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md of pulumi-dbwebhooks. [inDoubt]",
        "listNotAllowed": "NAME failed: the service returned 404 NOT_FOUND for it, which it also returns to a key without access, and its list does not show whether the webhook exists: GET https://tables.example.com/somewhere returned 401 NO. The webhook stays in the state. The service does not accept the API key for this. Set DBWEBHOOKS_API_KEY to the right key: it sets the key for this command, whatever the stack stores. "pulumi config set --secret dbwebhooks:apiKey" stores it for the next "pulumi up". If the key is right and the service cannot list all webhooks, run the command again with DBWEBHOOKS_LISTING=false. See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "listNotFoundWithProvider": "NAME failed: the service returned 404 NOT_FOUND for it and for the list of its database: the API key has no access to the database, the database is gone, or the service cannot list webhooks. The webhook stays in the state. Check the Provider's apiKey. If the webhook is certainly gone, run the command again with DBWEBHOOKS_LISTING=false. See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "locationAfterCreation": "NAME failed: POST https://tables.example.com/somewhere returned 201 without a usable webhook id. If the service has created a webhook, its secret is not stored. Look in the database for a webhook with the url of this resource. Delete it only if it is new: with a higher id than those that you knew, and the arguments of this creation. One that was there before stays: import it, or declare another url. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md of pulumi-dbwebhooks. [inDoubt]",
        "otherBaseUrlOfProvider": "NAME failed: the state holds the webhook at https://old.example.com, and the Provider's baseUrl is https://tables.example.com. Nothing was sent. The webhook stays in the state. If you know the base URL in the state, first let the webhook use the provider that it had: remove or change its option provider, or set this Provider back to that base URL and its key, and declare a second Provider for the webhooks that are at the other base URL by now. Then run "pulumi up" before any other command. See "The base URL has changed" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
        "redirectAfterCreation": "NAME failed: POST https://tables.example.com/somewhere returned 303. It redirects to https://b.test, and the API key is not sent there: set dbwebhooks:baseUrl to that of the service itself. If the service has created a webhook, its secret is not stored. Look in the database for a webhook with the url of this resource. Delete it only if it is new: with a higher id than those that you knew, and the arguments of this creation. One that was there before stays: import it, or declare another url. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md of pulumi-dbwebhooks. [inDoubt]",
        "refusedCreation": "NAME failed: POST https://tables.example.com/somewhere returned 422 NO. No webhook was created. The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl. See "A refused creation" in docs/troubleshooting.md of pulumi-dbwebhooks. [notCreated]",
        "settingsOfProvider": "NAME failed: PROBLEM. Nothing was sent. The webhook stays in the state. Correct the arguments of the Provider, or declare it again if it has left the program, and run "pulumi up", or "pulumi destroy --run-program" to destroy the stack. [notDeleted]",
        "stoppedBeforeList": "NAME failed: the service returned 404 NOT_FOUND for it, which it also returns to a key without access, and its list does not show whether the webhook exists: GET https://tables.example.com/somewhere was not sent, because Pulumi is stopping. The webhook stays in the state. Run the command again. If the key is right and the service cannot list all webhooks, run the command again with DBWEBHOOKS_LISTING=false. See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks. [notDeleted]",
      }
    `);
  });
});

const problemsOf = async (args: object, settingChanges = {}) =>
  (await startProvider(settingChanges).check(someArgs(args))).failures;

it("A problem of arguments or settings says what to write, and where", async () => {
  const problems = await Promise.all([
    problemsOf({ databaseId: 1.5, tableId: " ", url: "https://a b.example" }),
    problemsOf({ events: ["record.create", "secret-1234", "Bearer abc.def"] }),
    problemsOf({ databaseId: {}, tableId: {} }),
    problemsOf({ url: "https://undefined/hooks" }),
    problemsOf({}, { baseUrl: undefined }),
    problemsOf({}, { apiKey: undefined }),
    problemsOf({}, { baseUrl: undefined, isExplicit: "true" }),
    problemsOf({}, { apiKey: 7 as never }),
    problemsOf({ tags: {} }),
    problemsOf({ url: "https://Calling [toString] on an [Output<T>] is not supported./hooks" }),
  ]);

  expect(problems.flat()).toMatchInlineSnapshot(`
    [
      "databaseId: must be the identifier of the database, such as "base_abc123", a string: put it in quotes; around a configuration value in YAML, write fn::toJSON",
      "url: must be an https:// URL with a valid host name and port, such as "https://example.com/hooks", without white space, control characters or backslashes",
      "tableId: must be the identifier of one table (leave it out for all tables), such as "tbl_orders", without control, invisible or damaged characters (U+FFFD) or surrounding white space",
      "events[0]: is unknown; expected one of record.created, record.updated, record.deleted, table.created, table.updated, table.deleted, field.created, field.updated, field.deleted (to subscribe to it anyway, set allowUnknownEvents: true)",
      "events[1]: is unknown; expected one of record.created, record.updated, record.deleted, table.created, table.updated, table.deleted, field.created, field.updated, field.deleted (to subscribe to it anyway, set allowUnknownEvents: true)",
      "events[2]: is unknown; expected one of record.created, record.updated, record.deleted, table.created, table.updated, table.deleted, field.created, field.updated, field.deleted (to subscribe to it anyway, set allowUnknownEvents: true)",
      "databaseId: must be the identifier of the database, such as "base_abc123", a string",
      "tableId: must be the identifier of one table (leave it out for all tables), such as "tbl_orders", a string",
      "url: must have a host name; the one it has looks like a template without its value, or around a whole URL",
      "dbwebhooks:baseUrl: is not set; run "pulumi config set dbwebhooks:baseUrl https://tables.example.com" or set DBWEBHOOKS_BASE_URL",
      "dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY",
      "baseUrl: is not set; give baseUrl to the Provider",
      "dbwebhooks:apiKey: must be text: put it in quotes; in YAML, write fn::toJSON around a configuration value",
      "tags: is unknown; expected one of databaseId, url, events, tableId, allowUnknownEvents, allowInsecureUrl; the program or a transformation declares it",
      "url: holds an Output inside a text: write pulumi.interpolate\`…\` (in Python, pulumi.Output.concat) or use apply",
    ]
  `);
});

it.each([
  ["listing is not set", {}, "run the command again with DBWEBHOOKS_LISTING=false"],
  ["the stack sets it", { listing: true }, "run the command again with DBWEBHOOKS_LISTING=false"],
  [
    "a Provider does not set it",
    { isExplicit: true },
    "run the command again with DBWEBHOOKS_LISTING=false",
  ],
  [
    "the environment sets it for a Provider",
    { isExplicit: true, listing: true, namesFromEnvironment: ["listing"] as const },
    "run the command again with DBWEBHOOKS_LISTING=false",
  ],
  [
    "a Provider sets it",
    { isExplicit: true, listing: true },
    "set the Provider's listing to false and run the command again, a destroy with --run-program",
  ],
])("The way out of a list that cannot decide fits the provider: %s", (_case, changes, advice) => {
  expect(listingOffAdvice(someSettings(changes))).toBe(advice);
});

it("What is wrong with the variable of an import is named, without its names and values", () => {
  const described = { ...someArgs(), secret: "whsec_1" };
  const problemWith = (text: string | undefined, id = "17") => readDescribedWebhook(id, text);
  const problemOf = (changes: object) =>
    problemWith(JSON.stringify({ 17: { ...described, ...changes } }));

  expect([
    problemWith(undefined),
    problemWith("[]"),
    problemWith("{}"),
    problemWith("{}", "orders"),
    problemOf({ secret: "", url: "https://", odd: 1 }),
    problemOf({ databaseId: unknownMarkers.string }),
  ]).toMatchInlineSnapshot(`
    [
      {
        "problem": "DBWEBHOOKS_IMPORT is not set, and the service does not reveal the secret again",
      },
      {
        "problem": "DBWEBHOOKS_IMPORT is not a JSON object",
      },
      {
        "problem": "DBWEBHOOKS_IMPORT does not describe it as an object",
      },
      {
        "problem": "the id to import is not that of a webhook, such as 42",
      },
      {
        "problem": "DBWEBHOOKS_IMPORT does not describe it: secret: is not a non-empty string; it holds a name other than secret, databaseId, url, events, tableId, allowUnknownEvents, allowInsecureUrl; url: must be an https:// URL with a valid host name and port, such as "https://example.com/hooks", without white space, control characters or backslashes",
      },
      {
        "problem": "DBWEBHOOKS_IMPORT does not describe it: not all arguments are known",
      },
    ]
  `);
});

it("What the plugin refuses is said in one sentence", () => {
  const { unknownTypeText, ...texts } = pluginErrors;

  expect([...Object.values(texts), unknownTypeText("a:b:C")]).toMatchInlineSnapshot(`
    [
      "pulumi-resource-dbwebhooks is started by Pulumi, with the address of its engine as last argument, such as 127.0.0.1:12345.",
      "Configure failed: Pulumi has sent no name of the provider. Nothing was changed.",
      "Configure failed: this process of pulumi-resource-dbwebhooks was configured or asked for its schema before. Nothing was changed.",
      "pulumi-resource-dbwebhooks received a request before Configure.",
      "Read webhook failed: a webhook that another stack manages cannot be read, because the service does not reveal its secret again: export the secret from that stack, and use a StackReference.",
      "Read webhook failed: whether a webhook exists cannot be answered, because an id identifies it only within its database, and Pulumi passes the id alone. Nothing was changed.",
      "The request failed: an unexpected error. This is a bug in pulumi-dbwebhooks: please report it.",
      "There is no resource type a:b:C in dbwebhooks: write dbwebhooks:index:Webhook.",
    ]
  `);
});

it("The properties of a webhook that differ are named, some with a reason", () => {
  const { databaseId, url, events } = someArgs();
  const args = { databaseId, url, events, tableId: undefined };
  const stored = { ...args, secret: "whsec_1", baseUrl: settings.baseUrl };
  const labelsOf = (news: object, changes: object = {}) =>
    compareWebhook({ ...stored, ...changes }, { ...args, ...news })
      .map(({ label }) => label)
      .join(", ");
  const unknownTable = { tableId: unknownMarkers.string };

  expect({
    some: labelsOf({ url: "https://b.example", ...unknownTable }),
    baseUrl: baseUrlDifference("https://old.example.com", settings.baseUrl).label,
    secret: labelsOf({}, { secret: undefined }),
    droppedTable: labelsOf({}, { tableId: "tbl_1" }),
    nullTable: labelsOf({ tableId: null }, { tableId: "tbl_1" }),
    otherTable: labelsOf({ tableId: "tbl_2" }, { tableId: "tbl_1" }),
  }).toMatchInlineSnapshot(`
    {
      "baseUrl": "baseUrl (from https://old.example.com to https://tables.example.com)",
      "droppedTable": "tableId (now all tables)",
      "nullTable": "tableId (now all tables)",
      "otherTable": "tableId",
      "secret": "secret (missing in the state)",
      "some": "url, tableId (not known yet)",
    }
  `);
});

it("A message names the operation and its webhook", () => {
  const state = someArgs();
  const stored = parseStateEntry("17", state);

  expect([
    checkOperation.name({ news: state }),
    diffOperation.name({ ...stored, news: state }),
    createOperation.name({ inputs: state }),
    createOperation.name({ inputs: {} }),
    readOperation.name(stored),
    importOperation.name({ id: "whsec_swapped", description: undefined }),
    deleteOperation.name(stored),
  ]).toEqual([
    "Check webhook",
    `Compare ${name}`,
    `Create webhook in ${place}`,
    "Create webhook",
    `Read ${name}`,
    "Import webhook",
    `Delete ${name}`,
  ]);
});

it("A notice says what happened to a webhook, or why nothing happened", () => {
  expect({
    difference: notices.differenceText(name, ["url", "tableId (now all tables)"]),
    importing: notices.importText("17"),
    kept: notices.keptText(name),
    absentFromUnknownDatabase: notices.absentText(nameOfWebhook("17", undefined)),
    gone: notices.goneText(name),
    drift: notices.driftText(name, ["url", "events"]),
    absentFromList: notices.absentFromListText(name),
    inactive: notices.inactiveText(name),
    interrupted: notices.interruptedText,
    noAddress: notices.noAddressText(name),
    notLookedUp: notices.notLookedUpText("base_abc123", undefined),
    noList: notices.notLookedUpText("base_abc123", "CALL"),
    noAccessToList: notices.notLookedUpText(
      "base_abc123",
      "CALL",
      adviceFor(context, failedWith(apiError(403), { request: listRequest })),
    ),
  }).toMatchInlineSnapshot(`
    {
      "absentFromList": "The service does not list webhook 17 of database base_abc123, so a refresh removes it from the state. If the program declares it, "pulumi up" then creates a new one, with a new secret: before that, look at the service for a webhook with this id, because a list can lag behind.",
      "absentFromUnknownDatabase": "The service returned 404 for webhook 17 of database ?, which is therefore removed from the state. A key without access to the database gets the same response: if that is possible here, check at the service that the webhook is gone.",
      "difference": "The program and webhook 17 of database base_abc123 differ: url, tableId (now all tables). An update replaces the webhook, and the new one has a new secret.",
      "drift": "At the service, these properties of webhook 17 of database base_abc123 differ from the state, and a refresh stores them: url, events.",
      "gone": "The service returned 404 for webhook 17 of database base_abc123 and does not list it: it was already gone.",
      "importing": "Importing webhook 17 as DBWEBHOOKS_IMPORT describes it. If another resource has it, or is to delete it, first remove that one with "pulumi state delete", or Pulumi may delete the webhook.",
      "inactive": "At the service, webhook 17 of database base_abc123 is switched off (active: false), so it sends no notifications.",
      "interrupted": "Pulumi is stopping. Webhooks whose creation is in flight are deleted if the service responds within 5 seconds. Those that were created a moment ago may stay at the service without being in the state. See "After an interruption" in docs/troubleshooting.md of pulumi-dbwebhooks.",
      "kept": "Did not delete webhook 17 of database base_abc123: this command has created or imported it, so it has another resource now.",
      "noAccessToList": "The webhooks of database base_abc123 were not looked up, because their list could not be read: CALL. Their state stays as it is, and this refresh does not show their drift. The service does not accept the API key for this. Set DBWEBHOOKS_API_KEY to the right key: it sets the key for this command, whatever the stack stores. "pulumi config set --secret dbwebhooks:apiKey" stores it for the next "pulumi up". See "A wrong key" in docs/troubleshooting.md of pulumi-dbwebhooks.",
      "noAddress": "The id and the state of webhook 17 of database base_abc123 do not name one webhook, so it was not looked up.",
      "noList": "The webhooks of database base_abc123 were not looked up, because their list could not be read: CALL. Their state stays as it is, and this refresh does not show their drift.",
      "notLookedUp": "Some webhooks of database base_abc123 were not looked up, because the service may have listed only a part of them. Their state stays as it is, and this refresh does not show their drift.",
    }
  `);
});
