import { expect, it, vi } from "vitest";
import type { FailedCall } from "../../src/api/client.ts";
import type { HttpOutcome } from "../../src/api/send-once.ts";
import type { ReportedDelay } from "../../src/api/transport.ts";
import { compareWebhook } from "../../src/provider/differences.ts";
import * as creations from "../../src/provider/messages/creation.ts";
import * as deletions from "../../src/provider/messages/deletion.ts";
import * as existing from "../../src/provider/messages/existing-webhooks.ts";
import { nameOfWebhook } from "../../src/provider/messages/names.ts";
import * as refreshes from "../../src/provider/messages/refresh.ts";
import * as replacements from "../../src/provider/messages/replacement.ts";
import * as requests from "../../src/provider/messages/requests.ts";
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
const operation = (title: string) => new Operation(title, vi.fn());
const creation = operation(`Create webhook in ${place}`);
const deletion = operation(`Delete ${name}`);
const context = someContext(creation, settings);

function failedWith(outcome: HttpOutcome, more: Partial<FailedCall> = {}): FailedCall {
  return { outcome, request: outcomes.someRequest, earlierOutcomes: [], elapsedMs: 2_001, ...more };
}

const deleteRequest = { ...outcomes.someRequest, method: "DELETE" } as const;
const listRequest = { ...outcomes.someRequest, method: "GET" } as const;
const unconfirmed = { unusablePart: "confirmation", request: deleteRequest } as const;
const notFound = outcomes.response(404, undefined, errorBody("NOT_FOUND", "It is gone."));
const messageOf = async (promise: Promise<unknown>) => (await errorOf(promise)).message;

const textOf = (outcome: HttpOutcome, more: Partial<FailedCall> = {}, inSettings = settings) =>
  requests.callText(someContext(creation, inSettings), failedWith(outcome, more));

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
    stopping: textOf(outcomes.unsent("stopping")),
    timeoutOfConnection: textOf(outcomes.unsent("timeout")),
    timeoutOfResponse: textOf({ kind: "noResponse", cause: "timeout" }),
    noConnectionOrReason: textOf(outcomes.unsent("connection")),
    noConnectionOrText: textOf({ ...outcomes.connectionRefused, text: "" }),
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
      "noConfirmation": "DELETE https://tables.example.com/somewhere returned 200 without confirming the deletion",
      "noConnectionOrReason": "POST https://tables.example.com/somewhere could not connect (unknown reason)",
      "noConnectionOrText": "POST https://tables.example.com/somewhere could not connect (ECONNREFUSED)",
      "noList": "GET https://tables.example.com/somewhere returned 200 with something other than a list of webhooks",
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
    pause: requests.delayLine(pause),
    retryAfterResponse: requests.delayLine(retry),
    retryWithoutResponse: requests.delayLine({
      ...retry,
      outcome: outcomes.connectionLost,
    }),
  }).toMatchInlineSnapshot(`
    {
      "pause": "The service limits the rate of requests, so no request is sent for the next 6 s. With a lower --parallel, Pulumi sends fewer requests at once.",
      "retryAfterResponse": "https://tables.example.com returned 500; retrying DELETE.",
      "retryWithoutResponse": "https://tables.example.com did not respond; retrying DELETE.",
    }
  `);
});

const advice = (outcome: HttpOutcome, inContext = context) =>
  creations
    .notCreatedText(inContext, failedWith(outcome))
    .replace(/^.*No webhook was created. /, "");

it("The advice after a failed creation follows from the outcome of the request and the settings", () => {
  expect({
    noConnection: advice(outcomes.dnsFailure),
    stopping: advice(outcomes.unsent("stopping")),
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
      "invalid": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.",
      "keyFromEnvironmentOrQuota": "The service does not accept the API key for this. Set DBWEBHOOKS_API_KEY to the right key: it sets the key for this command, whatever the stack stores. See "A wrong key" in docs/troubleshooting.md. Perhaps the database is full. See "A full database" in docs/troubleshooting.md.",
      "keyOfProvider": "The service does not accept the API key for this. Correct the argument apiKey of the Provider, or declare the Provider again if it has left the program. See "A wrong key" in docs/troubleshooting.md.",
      "keyOfStack": "The service does not accept the API key for this. Set DBWEBHOOKS_API_KEY to the right key: it sets the key for this command, whatever the stack stores. See "A wrong key" in docs/troubleshooting.md.",
      "missingDatabase": "The service returns this both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.",
      "noConnection": "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl. Then run the command again.",
      "quota402": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl. Perhaps the database is full. See "A full database" in docs/troubleshooting.md.",
      "quota422": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl. Perhaps the database is full. See "A full database" in docs/troubleshooting.md.",
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
  const undoText = (hasUsableSecret: boolean, problem?: string) =>
    creations.undoText(creation, "17", { hasUsableSecret }, problem);
  const webhook = { databaseId: "base_abc123", url: "https://a.example/x", events: [] };
  const emptyList = { ids: [] as string[], isComplete: true };
  const list = { ids: ["1", "2", "3", "4", "5", "6"], isComplete: true };
  const htmlPage = Object.assign(outcomes.response(200), { body: "<!doctype html>" });
  const inDoubt = (failure: FailedCall, orphans = { ...emptyList, isComplete: false }) =>
    creations.inDoubtText(context, failure, webhook, orphans);

  expect({
    withoutList: inDoubt(failedWith(outcomes.response(409))),
    notListed: inDoubt(failedWith(outcomes.connectionLost), emptyList),
    listed: inDoubt(failedWith(outcomes.connectionLost), list),
    afterHtmlPage: inDoubt(failedWith(htmlPage, { unusablePart: "id" })),
    knownNumber: creations.knownNumberText(creation, "17"),
    withoutSecret: creations.withoutSecretText(creation, "17"),
    unusableSecret: undoText(false),
    unusableSecretAndLeft: undoText(false, creations.undoReturned404),
    tooLate: undoText(true),
    tooLateAndLeft: undoText(true, "WHY."),
    invalid: await messageOf(create(someArgs({ url: undefined }))),
    unknown: await messageOf(create(someArgs({ url: unknownMarkers.string }))),
    unset: await messageOf(withoutKey.create(someArgs())),
  }).toMatchInlineSnapshot(`
    {
      "afterHtmlPage": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere returned 200 without a usable webhook id. This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md.",
      "invalid": "Create webhook failed: url: must be the URL of the receiver, such as "https://example.com/hooks". Nothing was sent. Run "pulumi up" again. [notCreated]",
      "knownNumber": "Create webhook in database base_abc123 failed: the service returned webhook 17, which this command already knows. Either it returned an existing webhook, or it numbers its webhooks from the beginning again and has created one whose secret is lost. Nothing was deleted. Before you run the command again, find out which of the two. See "A number that is already known" in docs/troubleshooting.md.",
      "listed": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere lost the connection before the response was complete (ECONNRESET: read ECONNRESET). A webhook may exist in database base_abc123 without a stored secret. The service lists webhooks with the same url, events and table that this command does not know: 1, 2, 3, 4, 5 and 1 more. Another creation in flight may have made one of them. Delete those that no stack manages. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md.",
      "notListed": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere lost the connection before the response was complete (ECONNRESET: read ECONNRESET). The service lists no such webhook now, but it may still appear. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again. See "inDoubt" in docs/troubleshooting.md.",
      "tooLate": "Create webhook in database base_abc123 failed: Pulumi stopped while the service created webhook 17. The new webhook was deleted. Run the command again.",
      "tooLateAndLeft": "Create webhook in database base_abc123 failed: Pulumi stopped while the service created webhook 17. Pulumi has not stored the webhook, and it could not be deleted: WHY. Delete webhook 17 at the service. See "leftBehind" in docs/troubleshooting.md.",
      "unknown": "Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again. [notCreated]",
      "unset": "Create webhook in database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. Nothing was sent. [notCreated]",
      "unusableSecret": "Create webhook in database base_abc123 failed: the service created webhook 17 with a secret that cannot be stored. The new webhook was deleted. Run the command again.",
      "unusableSecretAndLeft": "Create webhook in database base_abc123 failed: the service created webhook 17 with a secret that cannot be stored. Pulumi has not stored the webhook, and it could not be deleted: the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks. Delete webhook 17 at the service. See "leftBehind" in docs/troubleshooting.md.",
      "withoutList": "Create webhook in database base_abc123 failed: POST https://tables.example.com/somewhere returned 409. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again. Perhaps the database is full. See "A full database" in docs/troubleshooting.md. See "inDoubt" in docs/troubleshooting.md.",
      "withoutSecret": "Create webhook in database base_abc123 failed: the service returned webhook 17 without a secret. It may be an existing webhook, so it was not deleted. Find out whether a stack manages it; if none does, delete it at the service. Then run the command again. See "inDoubt" in docs/troubleshooting.md.",
    }
  `);
});

it("The text of a failed deletion names the outcome, what is missing in the state or the settings, or another base URL", async () => {
  const stack = startProvider({ apiKey: undefined, listing: "yes" });
  const provider = startProvider({ apiKey: undefined, isExplicit: "true" });
  const failure = failedWith(outcomes.response(500), { request: deleteRequest });
  const otherBaseUrl = (current: typeof settings) =>
    deletions.otherBaseUrlText(deletion, current, "https://old.example");

  expect({
    outcome: deletions.notDeletedText(someContext(deletion, settings), failure),
    state: await messageOf(startProvider().delete("17", {})),
    stack: await messageOf(stack.delete("17", someState())),
    provider: await messageOf(provider.delete("17", someState())),
    otherBaseUrl: otherBaseUrl(settings),
    otherBaseUrlOfProvider: otherBaseUrl(explicitSettings),
    otherBaseUrlInEnvironment: otherBaseUrl({ ...inEnvironment, isExplicit: true }),
    failedAdoption: deletions.conflictText(deletion, "adoptionFailed"),
    creationInDoubt: deletions.conflictText(deletion, "returnedInDoubt"),
    sameNumber: deletions.conflictText(deletion, "sameNumberAtFormerBaseUrl"),
  }).toMatchInlineSnapshot(`
    {
      "creationInDoubt": "Delete webhook 17 of database base_abc123 failed: the service returned this webhook for a creation that is in doubt. Nothing was sent, and the webhook stays in the state. See "A number that is already known" in docs/troubleshooting.md.",
      "failedAdoption": "Delete webhook 17 of database base_abc123 failed: the program adopts this webhook, and the adoption failed. Nothing was sent, and the webhook stays in the state. Correct the adoption, and run the command again.",
      "otherBaseUrl": "Delete webhook 17 of database base_abc123 failed: the state holds it at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If you know the first address, use it together with its own key again. See "Another base URL" in docs/troubleshooting.md.",
      "otherBaseUrlInEnvironment": "Delete webhook 17 of database base_abc123 failed: the state holds it at https://old.example, and the Provider's baseUrl (set by DBWEBHOOKS_BASE_URL) is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If you know the first address, use it together with its own key again. See "Another base URL" in docs/troubleshooting.md.",
      "otherBaseUrlOfProvider": "Delete webhook 17 of database base_abc123 failed: the state holds it at https://old.example, and the Provider's baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If you know the first address, use it together with its own key again. See "Another base URL" in docs/troubleshooting.md.",
      "outcome": "Delete webhook 17 of database base_abc123 failed: DELETE https://tables.example.com/somewhere returned 500. The webhook stays in the state. Run the command again later.",
      "provider": "Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY. Nothing was sent. The webhook stays in the state. Correct the arguments of the Provider, or declare it again if it has left the program, and run "pulumi up". [notDeleted]",
      "sameNumber": "Delete webhook 17 of database base_abc123 failed: the state holds it at a former base URL, and another webhook with the same number at the current one, so formerBaseUrls does not name the same service. Nothing was sent, and the webhook stays in the state. Correct formerBaseUrls. See "Another base URL" in docs/troubleshooting.md.",
      "stack": "Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. The webhook stays in the state. Variables such as DBWEBHOOKS_API_KEY set a value for this command, whatever the stack stores. [notDeleted]",
      "state": "Delete webhook 17 failed: its state has no usable id, databaseId or baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook at the service, then remove it with "pulumi state delete". [notDeleted]",
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
  const comparison = { id: "17", settings, state: {}, news };

  const differences = compareWebhook(comparison);

  expect(differences.map(({ label }) => label).join(", ")).toBe(
    "url, tableId (not known yet), baseUrl (to https://tables.example.com), adopt.id (not known yet), secret (missing in the state)",
  );
});

it("A message about a webhook says what happened to it, or why nothing happened", () => {
  const failedList = failedWith(outcomes.response(500), { request: listRequest });
  const urls = { from: "https://a.example", to: "https://b.example" };
  const change = { ...urls, kind: "environmentDecides" } as const;

  expect({
    namedByAdopt: deletions.protectedText(name, "namedByAdopt"),
    adopted: deletions.protectedText(name, "adopted"),
    imported: deletions.protectedText(name, "imported"),
    created: deletions.protectedText(name, "created"),
    replaced: replacements.replacementText(name, ["url", "events"]),
    exchanged: replacements.exchangeText(name, "webhook 18 of DATABASE", ["adopt.id"]),
    providerReplaced: replacements.providerReplacedText("eu", change),
    baseUrlRefused: replacements.baseUrlRefusedText(change),
    oldKeyMissing: replacements.baseUrlRefusedText({ ...urls, kind: "keyIsMissing" }),
    adoptedAgain: replacements.adoptedAgainText(name),
    notAdopted: existing.notAdoptedText(name, existing.adoptionProblems.managed, false),
    notAdoptedAndLeft: existing.notAdoptedText(name, "WHY.", true),
    shared: replacements.sharedText(name, ["a", "b"]),
    returnedForCreation: replacements.returnedForCreationText(name),
    adopting: existing.adoptingText(name),
    adoptedNow: existing.adoptedText(name, true),
    adoptedWithoutLookup: existing.adoptedText(name, false),
    otherSecret: existing.otherAdoptedSecretText(name),
    drift: refreshes.driftText(name, ["url", "events"], undefined),
    driftFromProgram: refreshes.driftText(name, ["url"], false),
    driftUndone: refreshes.driftText(name, ["url"], true),
    gone: refreshes.absentFromListText(name),
    inactive: refreshes.inactiveText(name),
    notLookedUp: refreshes.notLookedUpText("base_abc123", refreshes.lookupProblems.incompleteList),
    notListed: existing.notFoundText(context, undefined),
    failedList: existing.notFoundText(context, failedList),
    baseUrlLabel: replacements.baseUrlLabel("https://a.example", "https://b.example"),
    unknownDatabase: deletions.absentText(nameOfWebhook("17", undefined)),
    unexpectedError: requests.faultText(deletion, new Error("odd")),
  }).toMatchInlineSnapshot(`
    {
      "adopted": "Did not delete webhook 17 of database base_abc123: this command has adopted it, so it has another resource now.",
      "adoptedAgain": "Adopt webhook 17 of database base_abc123 failed: the resource that is replaced, or another one, has this webhook already. Nothing was changed. Remove adopt from the program: the resource then gets a new webhook, with a new secret.",
      "adoptedNow": "This stack manages webhook 17 of database base_abc123 from now on. It was not changed.",
      "adoptedWithoutLookup": "This stack manages webhook 17 of database base_abc123 from now on. It was not changed and was not looked up (the setting listing is off).",
      "adopting": "Adopting webhook 17 of database base_abc123: it is taken over as it is, and no webhook is created. If the state still has it under another Provider, or as a resource of the other entry (pulumi-dbwebhooks or pulumi-dbwebhooks/native), first remove that resource with "pulumi state delete": otherwise Pulumi deletes the webhook. For the same reason do not adopt together with an upgrade of this package or with --target.",
      "baseUrlLabel": "baseUrl (from https://a.example to https://b.example)",
      "baseUrlRefused": "baseUrl: changes from https://a.example to https://b.example, and the environment sets the old address or its key, so Pulumi could not delete the old webhooks. First give the old baseUrl and its apiKey to the Provider, and run "pulumi up"; then change both",
      "created": "Did not delete webhook 17 of database base_abc123: the service returned it for a creation of this command, so it has another resource now.",
      "drift": "At the service, these properties of webhook 17 of database base_abc123 differ from the state, which has them now: url, events. "pulumi preview" shows whether the program differs from them.",
      "driftFromProgram": "At the service, these properties of webhook 17 of database base_abc123 differ from the state, which has them now: url. Unless the program declares the same, the next "pulumi up" replaces the webhook, with a new secret.",
      "driftUndone": "At the service, these properties of webhook 17 of database base_abc123 differ from the state, which has them now: url. They are as the last update declared them.",
      "exchanged": "Replacing webhook 17 of database base_abc123, because these properties differ: adopt.id. The update takes over webhook 18 of DATABASE with its secret, and deletes webhook 17 of database base_abc123.",
      "failedList": "it could not be looked up: GET https://tables.example.com/somewhere returned 500.",
      "gone": "The service no longer has webhook 17 of database base_abc123, which leaves the state. If the program declares it, the next "pulumi up" creates a new one, with a new secret.",
      "imported": "Did not delete webhook 17 of database base_abc123: this command has imported it, so it has another resource now.",
      "inactive": "At the service, webhook 17 of database base_abc123 is switched off (active: false), so it sends no notifications.",
      "namedByAdopt": "Did not delete webhook 17 of database base_abc123: the argument adopt of the program names it, so it has another resource now.",
      "notAdopted": "Adopt webhook 17 of database base_abc123 failed: a resource has it: this command has created, adopted or imported it. Remove adopt, or the other resource. Nothing was changed.",
      "notAdoptedAndLeft": "Adopt webhook 17 of database base_abc123 failed: WHY. Its old resource has left the state. If the webhook still exists, keep adopt until an update has succeeded.",
      "notListed": "the service does not list it, but may have listed only a part of its webhooks.",
      "notLookedUp": "Some webhooks of database base_abc123 were not looked up, because the service may have listed only a part of its webhooks. Their state stays as it is, and this refresh does not show their drift.",
      "oldKeyMissing": "baseUrl: changes from https://a.example to https://b.example, and the key of the old address is not stored, so Pulumi could not delete the old webhooks. First give the old baseUrl and its apiKey to the Provider, and run "pulumi up"; then change both",
      "otherSecret": "The argument adopt.secret of webhook 17 of database base_abc123 is not the secret in the state, and has no effect: the state keeps its secret. See "Another adopt.secret" in docs/troubleshooting.md.",
      "providerReplaced": "Webhooks of the provider eu move from https://a.example to https://b.example: Pulumi replaces them, and their secrets change. Pulumi deletes the old webhook at https://a.example with the old key, which must still work. If https://b.example is a new address of the same service, set formerBaseUrls to https://a.example instead: then nothing is replaced.",
      "replaced": "Replacing webhook 17 of database base_abc123, because these properties differ: url, events. The new webhook has a new secret.",
      "returnedForCreation": "The state has webhook 17 of database base_abc123 for this resource, and the service has returned the same number for a creation of this command. Before you run another command, find out to which resource the webhook belongs. See "A number that is already known" in docs/troubleshooting.md.",
      "shared": "2 resources manage webhook 17 of database base_abc123: a, b. Deleting one of them deletes the webhook. See "One webhook, two resources" in docs/troubleshooting.md.",
      "unexpectedError": "Delete webhook 17 of database base_abc123 failed unexpectedly (odd). This is a bug in pulumi-dbwebhooks: please report it. Before you run the command again, check which webhooks the service has.",
      "unknownDatabase": "The service returned 404 for webhook 17 of database ?, which is therefore removed from the state. A key without access to the database gets the same response: if that is possible here, check at the service that the webhook is gone.",
    }
  `);
});
