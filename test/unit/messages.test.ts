import { expect, it, vi } from "vitest";
import type { FailedCall } from "../../src/api/client.ts";
import type { HttpOutcome } from "../../src/api/http.ts";
import { Deadline, type ReportedDelay } from "../../src/api/transport.ts";
import { compareWebhook } from "../../src/provider/diff.ts";
import * as texts from "../../src/provider/messages.ts";
import { Operation } from "../../src/provider/operation.ts";
import {
  errorBody,
  someArgs,
  someContext,
  someSettings,
  someState,
  unknownMarkers,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import { startProvider } from "../helpers/provider.ts";
import * as outcomes from "../helpers/transport.ts";

// Only this file asserts whole messages of the provider. Others assert kinds and single facts.

const place = "database base_abc123";
const name = `webhook 17 of ${place}`;
const settings = someSettings();
const explicitSettings = someSettings({ isExplicit: true });
const inEnvironment = someSettings({ namesFromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const operation = (title: string) => new Operation(title, vi.fn(), () => [], new Deadline(9));
const creation = operation(`Create webhook in ${place}`);
const deletion = operation(`Delete ${name}`);
const context = someContext(creation, settings);
const { messages, messageParts } = texts;

function failedWith(outcome: HttpOutcome, more: Partial<FailedCall> = {}): FailedCall {
  return { outcome, request: outcomes.someRequest, earlierOutcomes: [], elapsedMs: 2_001, ...more };
}

const deleteRequest = { ...outcomes.someRequest, method: "DELETE" } as const;
const listRequest = { ...outcomes.someRequest, method: "GET" } as const;
const unconfirmed = { unusablePart: "confirmation", request: deleteRequest } as const;
const notFound = outcomes.response(404, undefined, errorBody("NOT_FOUND", "It is gone."));
const messageOf = async (promise: Promise<unknown>) => (await errorOf(promise)).message;

const textOf = (outcome: HttpOutcome, more: Partial<FailedCall> = {}, inSettings = settings) =>
  texts.callText(someContext(creation, inSettings), failedWith(outcome, more));

it("The text of a failed request says what the service returned, or why there is no response, and why no retry followed", () => {
  const outOfRetries = { giveUpReason: "retrySeconds" } as const;
  const refusedRetries = {
    giveUpReason: "connectionRefused",
    earlierOutcomes: [outcomes.connectionRefused, outcomes.connectionRefused],
    elapsedMs: 15_000,
  } as const;

  expect({
    error: textOf(notFound),
    errorWithoutMessage: textOf(outcomes.response(400, undefined, errorBody("BAD", ""))),
    noList: textOf(outcomes.response(200), { unusablePart: "list", request: listRequest }),
    noConfirmation: textOf(outcomes.response(200), unconfirmed),
    deadlineBeforeSending: textOf(outcomes.unsent("deadline")),
    deadlineOfResponse: textOf({ kind: "noResponse", cause: "deadline" }),
    stopping: textOf(outcomes.unsent("stopping")),
    timeoutOfConnection: textOf(outcomes.unsent("timeout")),
    timeoutOfResponse: textOf({ kind: "noResponse", cause: "timeout" }),
    noConnectionOrReason: textOf(outcomes.unsent("connection")),
    noConnectionOrText: textOf({ ...outcomes.connectionRefused, text: "" }),
    noRetryAfterStop: textOf(outcomes.throttled(), { giveUpReason: "stopping" }),
    noRetryAfterDeadline: textOf(outcomes.throttled(), { giveUpReason: "deadline" }),
    askedToWaitADay: textOf(outcomes.throttled(86_400_000), outOfRetries),
    askedToWaitLonger: textOf(outcomes.throttled(9e8), outOfRetries, inEnvironment),
    refusedRetries: textOf(outcomes.connectionRefused, refusedRetries),
  }).toMatchInlineSnapshot(`
    {
      "askedToWaitADay": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: the service asks for a wait of 86400 s, and dbwebhooks:retrySeconds is 120)",
      "askedToWaitLonger": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: the service asks for a wait of over a day, and dbwebhooks:retrySeconds (set by DBWEBHOOKS_RETRY_SECONDS) is 120)",
      "deadlineBeforeSending": "POST https://tables.example.com/somewhere was not sent before the deadline (customTimeouts, 9 s)",
      "deadlineOfResponse": "POST https://tables.example.com/somewhere got no complete response before the deadline (customTimeouts, 9 s)",
      "error": "POST https://tables.example.com/somewhere returned 404 NOT_FOUND "It is gone."",
      "errorWithoutMessage": "POST https://tables.example.com/somewhere returned 400 BAD",
      "noConfirmation": "DELETE https://tables.example.com/somewhere returned 200 without confirming the deletion",
      "noConnectionOrReason": "POST https://tables.example.com/somewhere could not connect (unknown reason)",
      "noConnectionOrText": "POST https://tables.example.com/somewhere could not connect (ECONNREFUSED)",
      "noList": "GET https://tables.example.com/somewhere returned 200 with something other than a list of webhooks",
      "noRetryAfterDeadline": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: customTimeouts allows 9 s)",
      "noRetryAfterStop": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: Pulumi is stopping)",
      "refusedRetries": "POST https://tables.example.com/somewhere could not connect (ECONNREFUSED: connect failed) (gave up after 3 attempts in 15 s: a refused connection is retried for 15 s)",
      "stopping": "POST https://tables.example.com/somewhere was not sent, because Pulumi is stopping",
      "timeoutOfConnection": "POST https://tables.example.com/somewhere could not connect within 30 s (dbwebhooks:timeoutSeconds)",
      "timeoutOfResponse": "POST https://tables.example.com/somewhere got no complete response within 30 s (dbwebhooks:timeoutSeconds)",
    }
  `);
});

it("The message about a wait says why requests wait, and what to do about a rate limit", () => {
  const wait = { delayMs: 5_001, request: deleteRequest };
  const pause: ReportedDelay = { ...wait, kind: "pause", outcome: outcomes.throttled(5_001) };
  const retry: ReportedDelay = { ...wait, kind: "retry", outcome: outcomes.response(500) };

  expect({
    pauseWithoutRate: texts.delayLine(settings, pause),
    pauseWithRate: texts.delayLine(someSettings({ requestsPerSecond: 50 }), pause),
    retryAfterResponse: texts.delayLine(settings, retry),
    retryWithoutResponse: texts.delayLine(settings, { ...retry, outcome: outcomes.connectionLost }),
  }).toMatchInlineSnapshot(`
    {
      "pauseWithRate": "The service limits the rate of requests, so no request is sent for the next 6 s. To avoid such waits, lower dbwebhooks:requestsPerSecond, which is 50.",
      "pauseWithoutRate": "The service limits the rate of requests, so no request is sent for the next 6 s. To avoid such waits, set dbwebhooks:requestsPerSecond to what it allows.",
      "retryAfterResponse": "https://tables.example.com returned 500; retrying DELETE.",
      "retryWithoutResponse": "https://tables.example.com did not respond; retrying DELETE.",
    }
  `);
});

const advice = (outcome: HttpOutcome, inContext = context) =>
  texts.notCreatedText(inContext, failedWith(outcome)).replace(/^.*No webhook was created. /, "");

it("The advice after a failed creation follows from the outcome of the request and the settings", () => {
  expect({
    noConnection: advice(outcomes.dnsFailure),
    stopping: advice(outcomes.unsent("stopping")),
    customTimeout: advice(outcomes.unsent("deadline")),
    missingDatabase: advice(notFound),
    wrongHost: advice(outcomes.response(404)),
    redirect: advice(Object.assign(outcomes.response(307), { redirectOrigin: "https://b.test" })),
    redirectWithoutTarget: advice(outcomes.response(300)),
    invalid: advice(outcomes.response(400)),
    rateLimited: advice(outcomes.throttled()),
    keyOfStack: advice(outcomes.response(401)),
    keyOfProvider: advice(outcomes.response(401), someContext(creation, explicitSettings)),
    quota402: advice(outcomes.response(402)),
    quota422: advice(outcomes.response(422)),
    keyFromEnvironmentOrQuota: advice(outcomes.response(403), someContext(creation, inEnvironment)),
  }).toMatchInlineSnapshot(`
    {
      "customTimeout": "Raise customTimeouts, or the settings maxConcurrentRequests and requestsPerSecond if they are set.",
      "invalid": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.",
      "keyFromEnvironmentOrQuota": "The service does not accept the API key for this. Check the API key: DBWEBHOOKS_API_KEY sets it. If the database has reached its limit of webhooks and this creation replaces one, set the resource option deleteBeforeReplace: true; the notifications then have a gap.",
      "keyOfProvider": "The service does not accept the API key for this. Correct the Provider's argument apiKey, then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program.",
      "keyOfStack": "The service does not accept the API key for this. Set another key with "pulumi config set --secret dbwebhooks:apiKey", then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program.",
      "missingDatabase": "The service returns this both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.",
      "noConnection": "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl. Then run the command again.",
      "quota402": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl. If the database has reached its limit of webhooks and this creation replaces one, set the resource option deleteBeforeReplace: true; the notifications then have a gap.",
      "quota422": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl. If the database has reached its limit of webhooks and this creation replaces one, set the resource option deleteBeforeReplace: true; the notifications then have a gap.",
      "rateLimited": "Run the command again later.",
      "redirect": "It redirects to https://b.test, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.",
      "redirectWithoutTarget": "It redirects elsewhere, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.",
      "stopping": "Run the command again.",
      "wrongHost": "This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl.",
    }
  `);
});

it("The text of a failed creation says where a webhook may exist whose secret is not stored, or why nothing was sent", async () => {
  const { create } = startProvider();
  const withoutKey = startProvider({ apiKey: undefined });
  const hasSecret = true;
  const undoText = texts.undoText.bind(undefined, creation.name, "17");
  const webhook = { databaseId: "base_abc123", url: "https://a.example/x", events: [] };
  const emptyList = { ids: [] as string[], isComplete: true };
  const list = { ids: ["1", "2", "3", "4", "5", "6"], isComplete: true };
  const htmlPage = Object.assign(outcomes.response(200), { body: "<!doctype html>" });
  const inDoubt = (failure: FailedCall, orphans = { ...emptyList, isComplete: false }) =>
    texts.inDoubtText(context, failure, webhook, orphans);

  expect({
    withoutList: inDoubt(failedWith(outcomes.response(409))),
    notListed: inDoubt(failedWith(outcomes.connectionLost), emptyList),
    listed: inDoubt(failedWith(outcomes.connectionLost), list),
    afterHtmlPage: inDoubt(failedWith(htmlPage, { unusablePart: "id" })),
    withoutSecret: undoText(!hasSecret, "undone"),
    withoutSecretAndStored: undoText(!hasSecret, "partial", messageParts.undoReturned404),
    tooLate: undoText(hasSecret, "undone"),
    tooLateAndLeft: undoText(hasSecret, "leftBehind", "WHY"),
    invalid: await messageOf(create(someArgs({ url: undefined }))),
    unknown: await messageOf(create(someArgs({ url: unknownMarkers.string }))),
    unset: await messageOf(withoutKey.create(someArgs())),
  }).toMatchInlineSnapshot(`
    {
      "afterHtmlPage": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere returned 200 without a usable webhook id. This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again.",
      "invalid": "Create webhook failed: url: must be the URL of the receiver, such as "https://example.com/hooks". Nothing was sent. Run "pulumi up" again. [notCreated]",
      "listed": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere lost the connection before the response was complete (ECONNRESET: read ECONNRESET). A webhook may exist in database base_abc123 without a stored secret. The service lists webhooks with the same url, events and table that this "pulumi up" does not know: 1, 2, 3, 4, 5 and 1 more. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again.",
      "notListed": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere lost the connection before the response was complete (ECONNRESET: read ECONNRESET). The service lists no such webhook now, but it may still appear. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again.",
      "tooLate": "Create webhook in database base_abc123 failed: Pulumi stopped while the service created webhook 17. The new webhook was deleted.",
      "tooLateAndLeft": "Create webhook in database base_abc123 failed: Pulumi stopped while the service created webhook 17. Pulumi has not stored it: delete it by hand. It could not be deleted at once: WHY",
      "unknown": "Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again. [notCreated]",
      "unset": "Create webhook in database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. Nothing was sent. [notCreated]",
      "withoutList": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere returned 409. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again. If the database has reached its limit of webhooks and this creation replaces one, set the resource option deleteBeforeReplace: true; the notifications then have a gap.",
      "withoutSecret": "Create webhook in database base_abc123 failed: the service created webhook 17 but sent no usable secret. The new webhook was deleted. Run "pulumi up" again; if the error persists, check that baseUrl is the address of the service itself.",
      "withoutSecretAndStored": "Create webhook in database base_abc123 failed: the service created webhook 17 but sent no usable secret. It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks.",
    }
  `);
});

it("The text of a failed deletion names the outcome, what is missing in the state or the settings, or another base URL", async () => {
  const stack = startProvider({ apiKey: undefined, listing: "yes" });
  const provider = startProvider({ apiKey: undefined, isExplicit: "true" });
  const failure = failedWith(outcomes.response(500), { request: deleteRequest });
  const otherBaseUrl = (current: typeof settings, isUpdate = true) =>
    texts.otherBaseUrlText(deletion, current, "https://old.example", isUpdate);

  expect({
    outcome: texts.notDeletedText(someContext(deletion, settings), failure),
    state: await messageOf(startProvider().delete("17", {})),
    stack: await messageOf(stack.delete("17", someState())),
    provider: await messageOf(provider.delete("17", someState())),
    otherBaseUrlInUpdate: otherBaseUrl(settings),
    otherBaseUrlInDestroy: otherBaseUrl(settings, false),
    otherBaseUrlOfProvider: otherBaseUrl(explicitSettings),
    otherBaseUrlInEnvironment: otherBaseUrl({ ...inEnvironment, isExplicit: true }),
  }).toMatchInlineSnapshot(`
    {
      "otherBaseUrlInDestroy": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If https://tables.example.com is another service, set DBWEBHOOKS_BASE_URL to https://old.example and DBWEBHOOKS_API_KEY to its key for this command. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
      "otherBaseUrlInEnvironment": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and the Provider's baseUrl (set by DBWEBHOOKS_BASE_URL) is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If https://tables.example.com is another service, give each Provider its baseUrl and apiKey as arguments: a webhook that moves to another Provider is deleted by its old one. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
      "otherBaseUrlInUpdate": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If https://tables.example.com is another service, set dbwebhooks:baseUrl back to https://old.example and run "pulumi up"; then give the new address and its key to a Provider that the webhooks use: the default provider deletes what it created. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
      "otherBaseUrlOfProvider": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and the Provider's baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If https://tables.example.com is another service, give the Provider its former address and key again, and the new ones to a Provider with another name that the webhooks use: the next "pulumi up" deletes the old webhook at https://old.example. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
      "outcome": "Delete webhook 17 of database base_abc123 failed: DELETE https://tables.example.com/somewhere returned 500. The webhook stays in the state. Run the command again later.",
      "provider": "Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY. Nothing was sent. The webhook stays in the state. "pulumi destroy" uses the environment, and the arguments of the Provider that the last "pulumi up" stored: set the variable, or correct the program and then run "pulumi destroy --run-program". [notDeleted]",
      "stack": "Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. The webhook stays in the state. "pulumi destroy" uses the environment, and the configuration that the last "pulumi up" stored: set the variable, or run "pulumi config set" and then run "pulumi destroy --run-program". [notDeleted]",
      "state": "Delete webhook 17 failed: its state has no usable id, databaseId or baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete". [notDeleted]",
    }
  `);
});

const problemsOf = async (args: object, settingChanges = {}) =>
  (await startProvider(settingChanges).check({}, someArgs({ ...args }))).failures;

it("A problem of arguments or settings says what to write, and where", async () => {
  const problems = await Promise.all([
    problemsOf({ databaseId: 7, tableId: " ", url: "https://a b.example" }),
    problemsOf({ databaseId: {}, tableId: {}, url: "https://" }),
    problemsOf({ url: "a.example" }),
    problemsOf({}, { baseUrl: undefined }),
    problemsOf({}, { baseUrl: undefined, isExplicit: "true" }),
  ]);

  expect(problems.flat()).toMatchInlineSnapshot(`
    [
      "databaseId: must be the identifier of the database, such as "base_abc123", a string: put it in quotes",
      "url: must be written like "https://example.com/hooks", without white space, control characters or backslashes",
      "tableId: must be the identifier of one table, such as "tbl_orders", without control characters or surrounding white space",
      "databaseId: must be the identifier of the database, such as "base_abc123", a string",
      "url: must have a host name, and a port from 0 to 65535 if it names one, such as "https://example.com/hooks"",
      "tableId: must be the identifier of one table, such as "tbl_orders", a string",
      "url: must begin with the scheme https://, such as "https://example.com/hooks"",
      "dbwebhooks:baseUrl: is not set; run "pulumi config set dbwebhooks:baseUrl https://tables.example.com" or set DBWEBHOOKS_BASE_URL",
      "dbwebhooks:baseUrl: is not set; give baseUrl to the Provider or set DBWEBHOOKS_BASE_URL",
    ]
  `);
});

it("The properties of a webhook that differ are named, some with a reason", () => {
  const adopt = { id: unknownMarkers.number };
  const news = { url: "https://b.example", tableId: unknownMarkers.string, adopt };
  const comparison = { id: "17", settings, ignored: [], urn: undefined, state: {}, news };

  const differences = compareWebhook(comparison);

  expect(differences.map(({ label }) => label).join(", ")).toBe(
    "url, tableId (not known yet), baseUrl (to https://tables.example.com), adopt.id (not known yet), secret (missing in the state)",
  );
});

it("A message about a webhook says what happened to it, or why nothing happened", () => {
  const [hasSecret, isLookedUp, isExternal] = [true, true, true];
  const failedList = failedWith(outcomes.response(500), { request: listRequest });

  expect({
    protectedAdopted: messages.protected(name, "adopted"),
    protectedCreated: messages.protected(name, "created"),
    protectedOwned: messages.protected(name, "owned"),
    replaced: messages.replacement(name, "url, events", hasSecret),
    replacedWithoutSecret: messages.replacement(name, "secret", !hasSecret),
    shared: messages.shared(name, ["a", "b"]),
    adopted: messages.adopted(name, isLookedUp),
    adoptedWithoutLookup: messages.adopted(name, !isLookedUp),
    drift: messages.drift(name, ["url", "events"], !isExternal),
    driftIfExternal: messages.drift(name, ["url"], isExternal),
    gone: messages.gone(name, !isExternal),
    goneIfExternal: messages.gone(name, isExternal),
    notListed: texts.notFoundText(context, undefined),
    failedList: texts.notFoundText(context, failedList),
    baseUrlLabel: messageParts.baseUrlLabel("https://a.example", "https://b.example"),
    unknownDatabase: messages.inactive(texts.nameOfWebhook("17", undefined)),
    unexpectedError: texts.faultText(deletion, new Error("odd")),
  }).toMatchInlineSnapshot(`
    {
      "adopted": "This stack manages webhook 17 of database base_abc123 from now on. It was not changed.",
      "adoptedWithoutLookup": "This stack manages webhook 17 of database base_abc123 from now on. It was not changed and was not looked up (the setting listing is off).",
      "baseUrlLabel": "baseUrl (from https://a.example to https://b.example)",
      "drift": "Drift of webhook 17 of database base_abc123: these properties differ at the service: url, events. The next "pulumi up" replaces it, with a new secret, unless the program declares what the service has.",
      "driftIfExternal": "Drift of webhook 17 of database base_abc123: these properties differ at the service: url. This stack only reads it.",
      "failedList": "it could not be looked up: GET https://tables.example.com/somewhere returned 500.",
      "gone": "The service no longer has webhook 17 of database base_abc123. The next "pulumi up" creates a new one, with a new secret.",
      "goneIfExternal": "The service no longer has webhook 17 of database base_abc123. This stack only reads it.",
      "notListed": "the service does not list it, but may have listed only a part of its webhooks.",
      "protectedAdopted": "Did not delete webhook 17 of database base_abc123: the argument adopt of the program names it. Its secret did not change. Remove adopt before you replace it.",
      "protectedCreated": "Did not delete webhook 17 of database base_abc123: the service returned it for a creation of this "pulumi up". If no resource has it, delete it by hand.",
      "protectedOwned": "Did not delete webhook 17 of database base_abc123: a resource of this program appears to manage it. Its secret did not change. If no resource has it, delete it by hand.",
      "replaced": "Replacing webhook 17 of database base_abc123, because these properties differ: url, events. The new webhook has a new secret. The old secret works until the old webhook is deleted, by default at the end of the update.",
      "replacedWithoutSecret": "Replacing webhook 17 of database base_abc123, because these properties differ: secret. The new webhook has a new secret.",
      "shared": "2 resources manage webhook 17 of database base_abc123: a, b. Keep one of them, and remove the others from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before that.",
      "unexpectedError": "Delete webhook 17 of database base_abc123 failed unexpectedly (odd). This is a bug in pulumi-dbwebhooks: please report it. Before you run the command again, check which webhooks the service has.",
      "unknownDatabase": "The service has switched off webhook 17 of database ?: it sends no notifications.",
    }
  `);
});
