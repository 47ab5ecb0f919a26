import { describe, expect, it } from "vitest";
import type { FailedCall } from "../../src/api/client.ts";
import type { HttpFailure, HttpOutcome } from "../../src/api/http.ts";
import { Deadline, type Wait } from "../../src/api/transport.ts";
import { compareWebhook } from "../../src/provider/diff.ts";
import * as say from "../../src/provider/messages.ts";
import { Operation } from "../../src/provider/operation.ts";
import {
  errorBody,
  someArgs,
  someContext,
  someSettings,
  someState,
  unknownMarkers,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startProvider } from "../helpers/provider.ts";
import { notConnected as unsentBecause, response, someRequest } from "../helpers/transport.ts";

// This file holds the words of the messages that depend on their facts. Other tests assert kinds and facts.

const name = "webhook 17 of database base_abc123";
const settings = someSettings();
const explicit = someSettings({ isExplicit: true });
const fromEnvironment = someSettings({ fromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const nothing = () => [];
const operation = new Operation(`Delete ${name}`, nothing, nothing, new Deadline(9));
const context = someContext(operation, settings);
const { messages, reasons } = say;

const failedWith = (outcome: HttpOutcome, more: Partial<FailedCall> = {}): FailedCall => ({
  ...{ outcome, request: someRequest, earlier: [], elapsedMs: 2_001 },
  ...more,
});
const notSent = (cause: HttpFailure["cause"]): HttpOutcome => ({ kind: "unsent", cause });
const unsent = unsentBecause("EAI_AGAIN");
const notFound = response(404, undefined, errorBody("NOT_FOUND", "It is gone."));
const redirectTo = (redirectOrigin: string): HttpOutcome =>
  Object.assign(response(307), { redirectOrigin });
const messageOf = async (promise: Promise<unknown>) => (await errorOf(promise)).message;

describe("The text of a failed request", () => {
  const callText = (outcome: HttpOutcome, more: Partial<FailedCall> = {}) =>
    say.callText(context, failedWith(outcome, more));

  it("says what the service returned, and what a response of success is missing", () => {
    expect({
      error: callText(notFound),
      errorWithoutMessage: callText(response(400, 0, errorBody("BAD", ""))),
      creation: callText(response(201), { missing: "id" }),
      list: callText(response(200), { missing: "list" }),
      deletion: callText(response(200), { missing: "confirmation" }),
    }).toMatchInlineSnapshot(`
      {
        "creation": "POST https://tables.example.com/somewhere returned 201 without a usable webhook id",
        "deletion": "POST https://tables.example.com/somewhere returned 200 without confirming the deletion",
        "error": "POST https://tables.example.com/somewhere returned 404 NOT_FOUND "It is gone."",
        "errorWithoutMessage": "POST https://tables.example.com/somewhere returned 400 BAD",
        "list": "POST https://tables.example.com/somewhere returned 200 with something other than a list of webhooks",
      }
    `);
  });

  it("says why there was no response", () => {
    expect({
      customTimeout: callText(notSent("deadline")),
      stopping: callText(notSent("stopping")),
      timeoutOfConnection: callText(notSent("timeout")),
      timeoutOfResponse: callText({ kind: "noResponse", cause: "timeout" }),
      noConnection: callText(unsent),
      noConnectionOrReason: callText(notSent("connection")),
      lostConnection: callText({ ...unsent, kind: "noResponse" }),
    }).toMatchInlineSnapshot(`
      {
        "customTimeout": "POST https://tables.example.com/somewhere was not sent before the deadline (customTimeouts, 9 s)",
        "lostConnection": "POST https://tables.example.com/somewhere lost the connection before the response was complete (EAI_AGAIN: connect failed)",
        "noConnection": "POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed)",
        "noConnectionOrReason": "POST https://tables.example.com/somewhere could not connect (unknown reason)",
        "stopping": "POST https://tables.example.com/somewhere was not sent, because Pulumi is stopping",
        "timeoutOfConnection": "POST https://tables.example.com/somewhere could not connect within 30 s (dbwebhooks:timeoutSeconds)",
        "timeoutOfResponse": "POST https://tables.example.com/somewhere got no complete response within 30 s (dbwebhooks:timeoutSeconds)",
      }
    `);
  });

  it("says why it was not retried any longer", () => {
    const earlier = [unsent, unsent];
    const outOfRetries = { gaveUp: "retrySeconds" } as const;
    const inEnvironment = someContext(operation, fromEnvironment);

    expect({
      stopping: callText(response(429), { gaveUp: "stopping" }),
      customTimeout: callText(response(500), { gaveUp: "deadline" }),
      askedToWaitADay: callText(response(429, 86_400_000), outOfRetries),
      askedToWaitLonger: callText(response(429, 9e8), outOfRetries),
      refusedConnections: callText(unsent, { gaveUp: "connectionRefused", earlier }),
      variable: say.callText(inEnvironment, failedWith(response(500), outOfRetries)),
    }).toMatchInlineSnapshot(`
      {
        "askedToWaitADay": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: the service asks for a wait of 86400 s, and dbwebhooks:retrySeconds is 120)",
        "askedToWaitLonger": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: the service asks for a wait of over a day, and dbwebhooks:retrySeconds is 120)",
        "customTimeout": "POST https://tables.example.com/somewhere returned 500 (gave up after 1 attempt in 3 s: customTimeouts allows 9 s)",
        "refusedConnections": "POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed) (gave up after 3 attempts in 3 s: a refused connection is retried for 15 s)",
        "stopping": "POST https://tables.example.com/somewhere returned 429 (gave up after 1 attempt in 3 s: Pulumi is stopping)",
        "variable": "POST https://tables.example.com/somewhere returned 500 (gave up after 1 attempt in 3 s: dbwebhooks:retrySeconds (set by DBWEBHOOKS_RETRY_SECONDS) is 120)",
      }
    `);
  });
});

describe("A line about a wait", () => {
  it("says why requests wait, and what to do about a rate limit", () => {
    const wait: Wait = { kind: "pause", delayMs: 5_001, request: someRequest, outcome: unsent };

    expect({
      pauseWithoutRate: say.waitLine(settings, wait),
      pauseWithRate: say.waitLine(someSettings({ requestsPerSecond: 50 }), wait),
      retryAfterResponse: say.waitLine(settings, { ...wait, kind: "retry", outcome: notFound }),
      retryWithoutResponse: say.waitLine(settings, { ...wait, kind: "retry" }),
    }).toMatchInlineSnapshot(`
      {
        "pauseWithRate": "The service limits the rate of requests, so no request is sent for the next 6 s. To avoid such waits, lower dbwebhooks:requestsPerSecond, which is 50.",
        "pauseWithoutRate": "The service limits the rate of requests, so no request is sent for the next 6 s. To avoid such waits, set dbwebhooks:requestsPerSecond to what it allows.",
        "retryAfterResponse": "https://tables.example.com returned 404; retrying POST.",
        "retryWithoutResponse": "https://tables.example.com did not respond; retrying POST.",
      }
    `);
  });
});

describe("The advice after a creation that made nothing", () => {
  const advice = (outcome: HttpOutcome, of = context) =>
    say.notCreatedText(of, failedWith(outcome)).replace(/^.*No webhook was created. /, "");
  const inEnvironment = someContext(operation, fromEnvironment);

  it("follows from the outcome of the request", () => {
    expect({
      notSent: advice(unsent),
      stopping: advice(notSent("stopping")),
      customTimeout: advice(notSent("deadline")),
      missingDatabase: advice(notFound),
      wrongHost: advice(response(404)),
      redirect: advice(redirectTo("https://else.example")),
      redirectWithoutTarget: advice(response(300)),
      invalid: advice(response(400)),
      possibleQuota: advice(response(403), inEnvironment),
      rateLimited: advice(response(429)),
    }).toMatchInlineSnapshot(`
      {
        "customTimeout": "Raise customTimeouts, or the settings maxConcurrentRequests and requestsPerSecond if they are set.",
        "invalid": "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.",
        "missingDatabase": "The service returns this both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.",
        "notSent": "Check that the service is running, and check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl. Then run the command again.",
        "possibleQuota": "The service does not accept the API key for this. Check the API key: DBWEBHOOKS_API_KEY sets it. If the database has reached its limit of webhooks and this creation replaces one, set the resource option deleteBeforeReplace: true; the notifications then have a gap.",
        "rateLimited": "Run the command again later.",
        "redirect": "It redirects to https://else.example, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.",
        "redirectWithoutTarget": "It redirects elsewhere, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.",
        "stopping": "Run the command again.",
        "wrongHost": "This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl.",
      }
    `);
  });

  it("says where to correct the API key", () => {
    expect({
      environment: advice(response(401), inEnvironment),
      explicitProvider: advice(response(401), someContext(operation, explicit)),
      stack: advice(response(401)),
    }).toMatchInlineSnapshot(`
      {
        "environment": "The service does not accept the API key for this. Check the API key: DBWEBHOOKS_API_KEY sets it.",
        "explicitProvider": "The service does not accept the API key for this. Correct the Provider's argument apiKey, then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program.",
        "stack": "The service does not accept the API key for this. Set another key with "pulumi config set --secret dbwebhooks:apiKey", then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program.",
      }
    `);
  });

  it("withholds the target of a redirect that repeats a secret", () => {
    const hiding = someContext(operation.hiding("sk_live_K7pQ2mX9"));

    expect(advice(redirectTo("https://sk-live-k7pq2mx9.example"), hiding)).not.toContain("k7pq2m");
  });
});

describe("The text of a creation", () => {
  it("in doubt says what to look for", () => {
    const webhook = { databaseId: "base_abc123", url: "https://a.example/x", events: [] };
    const unlisted = { ids: [] as string[], isComplete: false };
    const listed = { ids: ["1", "2", "3", "4", "5", "6"], isComplete: true };
    const page = Object.assign(response(200), { body: "<!doctype html>" });
    const inDoubt = (failure: FailedCall, leftovers = unlisted) =>
      say.inDoubtText(context, failure, webhook, leftovers);

    expect({
      withoutList: inDoubt(failedWith(response(409))),
      inNoList: inDoubt(failedWith(unsent), { ids: [], isComplete: true }),
      inList: inDoubt(failedWith(unsent), listed),
      afterPage: inDoubt(failedWith(page, { missing: "id" })),
    }).toMatchInlineSnapshot(`
      {
        "afterPage": "Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 200 without a usable webhook id. This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again.",
        "inList": "Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed). A webhook may exist in database base_abc123 without a stored secret. The service lists webhooks with the same url, events and table that this "pulumi up" does not know: 1, 2, 3, 4, 5 and 1 more. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again.",
        "inNoList": "Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed). The service lists no such webhook now, but it may still appear. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again.",
        "withoutList": "Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 409. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again. If the database has reached its limit of webhooks and this creation replaces one, set the resource option deleteBeforeReplace: true; the notifications then have a gap.",
      }
    `);
  });

  it("that was undone says where the webhook is now", () => {
    const undoText = say.undoText.bind(undefined, "Create webhook", "17");

    expect({
      withoutSecret: undoText(false, "undone"),
      withoutSecretAndStored: undoText(false, "partial", reasons.absentUndo),
      tooLate: undoText(true, "undone"),
      tooLateAndLeft: undoText(true, "leftBehind", "WHY"),
    }).toMatchInlineSnapshot(`
      {
        "tooLate": "Create webhook failed: Pulumi stopped while the service created webhook 17. The new webhook was deleted.",
        "tooLateAndLeft": "Create webhook failed: Pulumi stopped while the service created webhook 17. Pulumi has not stored it: delete it by hand. It could not be deleted at once: WHY",
        "withoutSecret": "Create webhook failed: the service created webhook 17 but sent no usable secret. The new webhook was deleted. Run "pulumi up" again; if the error persists, check that baseUrl is the address of the service itself.",
        "withoutSecretAndStored": "Create webhook failed: the service created webhook 17 but sent no usable secret. It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks.",
      }
    `);
  });

  it("that was not sent names the argument or the setting", async () => {
    const { create } = startProvider();
    const unset = startProvider({ apiKey: undefined });

    expect({
      invalid: await messageOf(create(someArgs({ url: undefined }))),
      unknown: await messageOf(create(someArgs({ url: unknownMarkers.string }))),
      unset: await messageOf(unset.create(someArgs())),
    }).toMatchInlineSnapshot(`
      {
        "invalid": "Create webhook failed: url: must be the URL of the receiver, such as "https://example.com/hooks". Nothing was sent. Run "pulumi up" again. [notCreated]",
        "unknown": "Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again. [notCreated]",
        "unset": "Create webhook in database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. Nothing was sent. [notCreated]",
      }
    `);
  });
});

describe("The text of a failed deletion", () => {
  it("names the ways on when the webhook is at another base URL", () => {
    const old = "https://old.example";

    expect({
      update: say.otherBaseUrlText(operation, settings, old, true),
      destroy: say.otherBaseUrlText(operation, settings, old, false),
      explicitProvider: say.otherBaseUrlText(operation, explicit, old, true),
      explicitProviderOfEnvironment: say.otherBaseUrlText(
        operation,
        someSettings({ isExplicit: true, fromEnvironment: ["baseUrl"] }),
        old,
        true,
      ),
    }).toMatchInlineSnapshot(`
      {
        "destroy": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If this is another service, set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY to its address and key for this command. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
        "explicitProvider": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and the Provider's baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If this is another service, give the Provider its former address and key again, and the new ones to a Provider with another name that the webhooks use: the next "pulumi up" deletes the old webhook at https://old.example. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
        "explicitProviderOfEnvironment": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and the Provider's baseUrl (set by DBWEBHOOKS_BASE_URL) is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If this is another service, give each Provider its baseUrl and apiKey as arguments: a webhook that moves to another Provider is deleted by its old one. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
        "update": "Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If this is another service, set dbwebhooks:baseUrl back to https://old.example and run "pulumi up"; then give the new address and its key to a Provider that the webhooks use: the default provider deletes what it created. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks.",
      }
    `);
  });

  it("names the outcome of the request, or what the state or the settings lack", async () => {
    const stack = startProvider({ apiKey: undefined, listing: "yes" });
    const provider = startProvider({ apiKey: undefined, isExplicit: "true" });

    expect({
      outcome: say.notDeletedText(context, failedWith(response(500))),
      state: await messageOf(startProvider().delete("17", {})),
      stack: await messageOf(stack.delete("17", someState())),
      provider: await messageOf(provider.delete("17", someState())),
    }).toMatchInlineSnapshot(`
      {
        "outcome": "Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 500. The webhook stays in the state. Run the command again later.",
        "provider": "Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY. Nothing was sent. The webhook stays in the state. "pulumi destroy" uses the environment, and the arguments of the Provider that the last "pulumi up" stored: set the variable, or correct the program and then run "pulumi destroy --run-program". [notDeleted]",
        "stack": "Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. The webhook stays in the state. "pulumi destroy" uses the environment, and the configuration that the last "pulumi up" stored: set the variable, or run "pulumi config set" and then run "pulumi destroy --run-program". [notDeleted]",
        "state": "Delete webhook 17 failed: its state lacks a usable id, databaseId or baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete". [notDeleted]",
      }
    `);
  });
});

describe("A problem of arguments or settings", () => {
  const problemsOf = async (args: object, settings = {}) =>
    (await startProvider(settings).check({}, someArgs({ ...args }))).failures;

  it("says what to write, and where", async () => {
    const unset = { baseUrl: undefined, apiKey: undefined };

    const problems = await Promise.all([
      problemsOf({ databaseId: 7, tableId: " ", url: "https://a b.example" }),
      problemsOf({ databaseId: {}, tableId: {}, url: "https://" }),
      problemsOf({ url: "a.example" }),
      problemsOf({}, unset),
      problemsOf({}, { ...unset, isExplicit: "true" }),
    ]);

    expect(problems.flat()).toMatchInlineSnapshot(`
      [
        "databaseId: must be the identifier of the database, such as "base_abc123", a string: put it in quotes",
        "url: must not contain white space, control characters or backslashes, such as "https://example.com/hooks"",
        "tableId: must be the identifier of one table, such as "tbl_orders", without control characters or surrounding white space",
        "databaseId: must be the identifier of the database, such as "base_abc123", a string",
        "url: must have a host name and a port that can exist, such as "https://example.com/hooks"",
        "tableId: must be the identifier of one table, such as "tbl_orders", a string",
        "url: must begin with the scheme https://, such as "https://example.com/hooks"",
        "dbwebhooks:baseUrl: is not set; run "pulumi config set dbwebhooks:baseUrl https://tables.example.com" or set DBWEBHOOKS_BASE_URL",
        "dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY",
        "dbwebhooks:baseUrl: is not set; give baseUrl to the Provider or set DBWEBHOOKS_BASE_URL",
        "dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY",
      ]
    `);
  });
});

describe("A line about a webhook", () => {
  it("names the properties that differ", () => {
    const adopt = { id: unknownMarkers.number };
    const comparison = { id: "17", settings, ignored: [], urn: undefined };
    const news = { url: "https://b.example", tableId: unknownMarkers.string, adopt };

    const differences = compareWebhook({ ...comparison, state: {}, news });

    expect(differences.map(({ label }) => label)).toMatchInlineSnapshot(`
      [
        "url",
        "tableId (not known yet)",
        "baseUrl (to https://tables.example.com)",
        "adopt.id (not known yet)",
        "secret (missing in the state)",
      ]
    `);
  });

  it("says who else has it, and why it is replaced or kept", () => {
    expect({
      keptAdopted: messages.protected(name, "adopted"),
      keptCreated: messages.protected(name, "created"),
      keptOwned: messages.protected(name, "owned"),
      replaced: messages.replacement(name, "url, events", true),
      replacedWithoutSecret: messages.replacement(name, "secret", false),
      shared: messages.shared(name, ["a", "b"]),
    }).toMatchInlineSnapshot(`
      {
        "keptAdopted": "Did not delete webhook 17 of database base_abc123: the argument adopt of the program names it. Its secret is the same. Remove adopt before you replace it.",
        "keptCreated": "Did not delete webhook 17 of database base_abc123: the service returned it for a creation of this "pulumi up". If no resource has it, delete it by hand.",
        "keptOwned": "Did not delete webhook 17 of database base_abc123: another resource of this program appears to manage it. Its secret is the same. If no other resource has it, delete it by hand.",
        "replaced": "Replacing webhook 17 of database base_abc123, because these properties differ: url, events. The new webhook has a new secret. The old secret works until the old webhook is deleted, by default at the end of the update.",
        "replacedWithoutSecret": "Replacing webhook 17 of database base_abc123, because these properties differ: secret. The new webhook has a new secret.",
        "shared": "2 resources manage webhook 17 of database base_abc123: a, b. Keep one of them, and remove the others from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before that.",
      }
    `);
  });

  it("says what a refresh or an adoption found", () => {
    expect({
      adopted: messages.adopted(name, true),
      adoptedWithoutLookup: messages.adopted(name, false),
      drift: messages.drift(name, ["url", "events"], false),
      driftIfOnlyRead: messages.drift(name, ["url"], true),
      gone: messages.gone(name, false),
      goneIfOnlyRead: messages.gone(name, true),
      incompleteList: say.notFoundText(context, undefined),
      failedList: say.notFoundText(context, failedWith(response(500))),
      otherBaseUrl: reasons.baseUrlReason("https://a.example", "https://b.example"),
      unknownDatabase: messages.inactive(say.nameOfWebhook("17", undefined)),
    }).toMatchInlineSnapshot(`
      {
        "adopted": "This stack manages webhook 17 of database base_abc123 from now on. It was not changed.",
        "adoptedWithoutLookup": "This stack manages webhook 17 of database base_abc123 from now on. It was not changed and was not looked up (the setting listing is off).",
        "drift": "Drift of webhook 17 of database base_abc123: these properties differ at the service: url, events. The next "pulumi up" replaces it, with a new secret, unless the program declares what the service has.",
        "driftIfOnlyRead": "Drift of webhook 17 of database base_abc123: these properties differ at the service: url. This stack only reads it.",
        "failedList": "it could not be looked up: POST https://tables.example.com/somewhere returned 500.",
        "gone": "The service no longer has webhook 17 of database base_abc123. The next "pulumi up" creates a new one, with a new secret.",
        "goneIfOnlyRead": "The service no longer has webhook 17 of database base_abc123. This stack only reads it.",
        "incompleteList": "the service does not list it, but may have listed only a part of its webhooks.",
        "otherBaseUrl": "baseUrl (from https://a.example to https://b.example)",
        "unknownDatabase": "The service has switched off webhook 17 of database ?: it sends no notifications.",
      }
    `);
  });

  it("reports a bug", () => {
    expect(say.faultText(operation, new Error("odd"))).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed unexpectedly (odd). This is a bug in pulumi-dbwebhooks: please report it. Before you run the command again, check which webhooks the service has."`,
    );
  });
});
