import { describe, expect, it } from "vitest";
import type { FailedCall } from "../../src/api/client.ts";
import type { HttpFailure, HttpOutcome } from "../../src/api/http.ts";
import { Deadline, type Wait } from "../../src/api/transport.ts";
import type { Settings } from "../../src/provider/config.ts";
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
import { response, someRequest, unsentBecause } from "../helpers/transport.ts";

// This file holds the exact words of src/provider/messages.ts. Other tests assert kinds and facts.

const name = "webhook 17 of database base_abc123";
const settings = someSettings();
const explicit = someSettings({ isExplicit: true });
const fromEnvironment = someSettings({ fromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const nothing = () => [];
const operation = new Operation(`Delete ${name}`, nothing, nothing, new Deadline(9));
const context = someContext(operation, settings);

const failedWith = (outcome: HttpOutcome, more: Partial<FailedCall> = {}): FailedCall => ({
  ...{ outcome, request: someRequest, earlier: [], elapsedMs: 2_001 },
  ...more,
});
const notSent = (cause: HttpFailure["cause"]): HttpOutcome => ({ kind: "unsent", cause });
const unsent = unsentBecause("EAI_AGAIN");
const notFound = response(404, undefined, errorBody("NOT_FOUND", "It is gone."));

describe("The outcome of a request", () => {
  const callText = (outcome: HttpOutcome, more: Partial<FailedCall> = {}) =>
    say.callText(context, failedWith(outcome, more));

  it("is complete with the operation before it and the advice behind it", () => {
    const text = say.failureText(context, failedWith(response(401)), "Do it.");

    expect(text).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 401. Do it."`,
    );
  });

  it("shows the status and the service's own error", () => {
    expect(callText(notFound)).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 404 NOT_FOUND "It is gone.""`,
    );
    expect(callText(response(400, 0, errorBody("BAD", "")))).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 400 BAD"`,
    );
  });

  it("names what a successful response is missing", () => {
    expect(callText(response(201), { missing: "id" })).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 201 without a usable webhook id"`,
    );
    expect(callText(response(200), { missing: "list" })).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 200 with something other than a list of webhooks"`,
    );
    expect(callText(response(200), { missing: "confirmation" })).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 200 without confirming the deletion"`,
    );
  });

  it("names the timeout that ended it", () => {
    expect(callText({ kind: "noResponse", cause: "timeout" })).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere got no complete response within 30 s (dbwebhooks:timeoutSeconds)"`,
    );
    expect(callText(notSent("timeout"))).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere could not connect within 30 s (dbwebhooks:timeoutSeconds)"`,
    );
    expect(callText(notSent("deadline"))).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere could not connect in the time that was left (customTimeouts, 9 s)"`,
    );
  });

  it("names the failure of a connection", () => {
    expect(callText(unsent)).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed)"`,
    );
    expect(callText(notSent("connection"))).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere could not connect (unknown reason)"`,
    );
    expect(callText({ ...unsent, kind: "noResponse" })).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere lost the connection before the response was complete (EAI_AGAIN: connect failed)"`,
    );
  });

  it("says when Pulumi stopped it", () => {
    expect(callText(notSent("stopping"))).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere was not sent, because Pulumi is stopping"`,
    );
    expect(callText(response(429), { gaveUp: "stopping" })).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 429 (tried 1 time in 3 s; Pulumi is stopping)"`,
    );
  });

  it("says why it was not retried any longer", () => {
    const operationTimeout = { gaveUp: "deadline" } as const;
    const retries = { gaveUp: "retrySeconds" } as const;
    const threeAttempts = { gaveUp: "refused", earlier: [unsent, unsent] } as const;

    expect(callText(response(500), operationTimeout)).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 500 (tried 1 time in 3 s; customTimeouts, 9 s)"`,
    );
    expect(callText(response(429, 9e8), operationTimeout)).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 429 (the service asked to wait for over a day; customTimeouts, 9 s)"`,
    );
    expect(callText(response(429, 86_400_000), retries)).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 429 (the service asked to wait for 86400 s; dbwebhooks:retrySeconds is 120)"`,
    );
    expect(callText(response(500), threeAttempts)).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 500 (tried 3 times in 3 s; a refused connection is retried for 15 s)"`,
    );
    expect(
      say.callText(someContext(operation, fromEnvironment), failedWith(response(500), retries)),
    ).toMatchInlineSnapshot(
      `"POST https://tables.example.com/somewhere returned 500 (tried 1 time in 3 s; dbwebhooks:retrySeconds (set by DBWEBHOOKS_RETRY_SECONDS) is 120)"`,
    );
  });
});

describe("A line about a wait", () => {
  it("says why requests wait", () => {
    const wait: Wait = { kind: "pause", delayMs: 5_001, request: someRequest, outcome: unsent };
    const retryAfter = (outcome: HttpOutcome) =>
      say.waitLine(settings, { ...wait, kind: "retry", outcome });

    expect(say.waitLine(settings, wait)).toMatchInlineSnapshot(
      `"The service limits the rate of requests: all requests now wait 6 s and are then retried. Set dbwebhooks:requestsPerSecond to that limit to avoid such waits."`,
    );
    expect(retryAfter(response(500))).toMatchInlineSnapshot(
      `"https://tables.example.com returned 500; retrying POST."`,
    );
    expect(retryAfter(unsent)).toMatchInlineSnapshot(
      `"https://tables.example.com did not respond; retrying POST."`,
    );
  });
});

describe("The advice after a creation that made nothing", () => {
  const advice = (outcome: HttpOutcome, of = context) =>
    say.notCreatedText(of, failedWith(outcome)).replace(/^.*No webhook was created. /, "");

  it("is about the connection", () => {
    expect(advice(unsent)).toMatchInlineSnapshot(
      `"Check that the service is running, the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl, then run the command again."`,
    );
    expect(advice(notSent("stopping"))).toMatchInlineSnapshot(`"Run the command again."`);
  });

  it("tells a missing database from a wrong host", () => {
    expect(advice(notFound)).toMatchInlineSnapshot(
      `"The service returns this both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl."`,
    );
    expect(advice(response(404))).toMatchInlineSnapshot(
      `"This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl."`,
    );
  });

  it("names the target of a redirect, unless it repeats a secret", () => {
    const redirectTo = (redirectOrigin: string) =>
      ({ ...response(307), redirectOrigin }) as HttpOutcome;
    const hiding = someContext(operation.hiding("sk_live_K7pQ2mX9"), fromEnvironment);

    expect(advice(response(300))).toMatchInlineSnapshot(
      `"It redirects elsewhere, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself."`,
    );
    expect(advice(redirectTo("https://else.example"))).toMatchInlineSnapshot(
      `"It redirects to https://else.example, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself."`,
    );
    expect(advice(redirectTo("https://sk-live-k7pq2mx9.example"), hiding)).not.toContain(
      "k7pq2mx9",
    );
  });

  it("says where to correct the API key", () => {
    expect(advice(response(401))).toMatchInlineSnapshot(
      `"The service does not accept the API key for this. Set another key with "pulumi config set --secret dbwebhooks:apiKey", then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program."`,
    );
    expect(advice(response(401), someContext(operation, explicit))).toMatchInlineSnapshot(
      `"The service does not accept the API key for this. Correct the Provider's argument apiKey, then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program."`,
    );
    expect(advice(response(401), someContext(operation, fromEnvironment))).toMatchInlineSnapshot(
      `"The service does not accept the API key for this. Check the API key: DBWEBHOOKS_API_KEY sets it."`,
    );
  });

  it("mentions a possible quota", () => {
    expect(advice(response(403))).toMatchInlineSnapshot(
      `"The service does not accept the API key for this. Set another key with "pulumi config set --secret dbwebhooks:apiKey", then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program. If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications."`,
    );
  });

  it("is about the arguments, or to try later", () => {
    expect(advice(response(400))).toMatchInlineSnapshot(
      `"The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl."`,
    );
    expect(advice(response(429))).toMatchInlineSnapshot(`"Run the command again later."`);
  });
});

describe("The advice after a creation in doubt", () => {
  const webhook = { databaseId: "base_abc123", url: "https://a.example/x", events: [] };
  const advice = (
    outcome: HttpOutcome,
    { ids = [] as string[], isComplete = false, more = {} as Partial<FailedCall> } = {},
  ) => say.inDoubtText(context, failedWith(outcome, more), webhook, { ids, isComplete });

  it("says what to look for", () => {
    expect(advice(unsent)).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed). A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again."`,
    );
    expect(advice(response(409))).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 409. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again. If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications."`,
    );
    expect(advice(unsent, { isComplete: true })).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed). The service lists no such webhook now, but it may still appear. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again."`,
    );
  });

  it("names up to five webhooks that the list shows", () => {
    expect(advice(unsent, { ids: ["1", "2", "3", "4", "5", "6"] })).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed). A webhook may exist in database base_abc123 without a stored secret. The service lists webhooks with the same url, events and table that this run does not know: 1, 2, 3, 4, 5 and 1 more. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again."`,
    );
  });

  it("says first that a page is no response of the API", () => {
    const page = { ...response(200), body: "<!doctype html>" } as HttpOutcome;

    expect(advice(page, { more: { missing: "id" } })).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 200 without a usable webhook id. This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again."`,
    );
  });
});

describe("The end of an undone creation", () => {
  const creation = "Create webhook in database base_abc123";

  it("says where the webhook is now", () => {
    expect(say.undoText(creation, "17", false, "undone")).toMatchInlineSnapshot(
      `"Create webhook in database base_abc123 failed: the service created webhook 17 but sent no usable secret. It was deleted again. Run "pulumi up" again; if this comes back, check that baseUrl is the address of the service itself."`,
    );
    expect(say.undoText(creation, "17", false, "partial", "WHY")).toMatchInlineSnapshot(
      `"Create webhook in database base_abc123 failed: the service created webhook 17 but sent no usable secret. It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: WHY"`,
    );
    expect(say.undoText(creation, "17", false, "leftBehind", "WHY")).toMatchInlineSnapshot(
      `"Create webhook in database base_abc123 failed: the service created webhook 17 but sent no usable secret. Pulumi has not stored it: delete it by hand. It could not be deleted at once: WHY"`,
    );
    expect(say.undoText(creation, "17", true, "undone")).toMatchInlineSnapshot(
      `"Create webhook in database base_abc123 failed: Pulumi stopped while the service created webhook 17. It was deleted again."`,
    );
    expect(say.undoText(creation, "17", true, "leftBehind", "WHY")).toMatchInlineSnapshot(
      `"Create webhook in database base_abc123 failed: Pulumi stopped while the service created webhook 17. Pulumi has not stored it: delete it by hand. It could not be deleted at once: WHY"`,
    );
    expect(say.messages.absentUndo).toMatchInlineSnapshot(
      `"the service returned 404 NOT_FOUND, which it also returns to a key that may not delete webhooks."`,
    );
  });
});

describe("A failed deletion", () => {
  it("keeps the webhook in the state and says what to do", () => {
    const text = (outcome: HttpOutcome, more: Partial<FailedCall> = {}) =>
      say.notDeletedText(context, failedWith(outcome, more));

    expect(text(unsent)).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere could not connect (EAI_AGAIN: connect failed). The webhook stays in the state. Check that the service is running, the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl, then run the command again."`,
    );
    expect(text(response(404))).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 404. The webhook stays in the state. This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl."`,
    );
    expect(text(response(200), { missing: "confirmation" })).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 200 without confirming the deletion. The webhook stays in the state. This is not a response of the API: a login page, a proxy or another host may have sent it. Check dbwebhooks:baseUrl."`,
    );
    expect(text(response(401))).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: POST https://tables.example.com/somewhere returned 401. The webhook stays in the state. The service does not accept the API key for this. Set another key with "pulumi config set --secret dbwebhooks:apiKey", then run "pulumi up". "pulumi destroy" and "pulumi refresh" use the key of the last "pulumi up" unless you add --run-program."`,
    );
  });

  it("of a webhook at another base URL names the ways on for this command", () => {
    const text = (of: Settings, isUpdate: boolean) =>
      say.otherBaseUrlText(operation, of, "https://old.example", isUpdate);

    expect(text(settings, false)).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If this is another service, set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY to its address and key for this command. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks."`,
    );
    expect(text(settings, true)).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If this is another service, set dbwebhooks:baseUrl back to https://old.example and run "pulumi up"; then give the new address and its key to a Provider that the webhooks use: the default provider deletes what it created. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks."`,
    );
    expect(text(explicit, true)).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: it was created at https://old.example, and the Provider's baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to its former base URLs (formerBaseUrls, DBWEBHOOKS_FORMER_BASE_URLS). If this is another service, give the Provider its former address and key again, and the new ones to a Provider with another name that the webhooks use: the next "pulumi up" deletes the old webhook at https://old.example. If the service at https://old.example is gone, run "pulumi state delete" for its webhooks."`,
    );
  });

  it("without an address or settings sends nothing", async () => {
    const { delete: remove } = startProvider();
    const unset = startProvider({ apiKey: undefined, listing: "yes" });
    const unsetExplicit = startProvider({ apiKey: undefined, isExplicit: "true" });

    expect((await errorOf(remove("17", {}))).message).toMatchInlineSnapshot(
      `"Delete webhook 17 failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete". [notDeleted]"`,
    );
    expect((await errorOf(unset.delete("17", someState()))).message).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. The webhook stays in the state. "pulumi destroy" uses the environment, and the configuration that the last "pulumi up" stored: set the variable, or run "pulumi config set" and then run "pulumi destroy --run-program". [notDeleted]"`,
    );
    expect((await errorOf(unsetExplicit.delete("17", someState()))).message).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed: dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY. Nothing was sent. The webhook stays in the state. "pulumi destroy" uses the environment, and the arguments of the Provider that the last "pulumi up" stored: set the variable, or correct the program and then run "pulumi destroy --run-program". [notDeleted]"`,
    );
  });
});

describe("A creation that is not sent", () => {
  it("names the argument or the setting", async () => {
    const { create } = startProvider();
    const unset = startProvider({ apiKey: undefined, listing: "yes" });
    const message = async (creation: Promise<unknown>) => (await errorOf(creation)).message;

    expect(await message(create(someArgs({ url: undefined })))).toMatchInlineSnapshot(
      `"Create webhook failed: url: must be the URL of the receiver, such as "https://example.com/hooks". Nothing was sent. Run "pulumi up" again. [notCreated]"`,
    );
    expect(await message(create(someArgs({ url: unknownMarkers.string })))).toMatchInlineSnapshot(
      `"Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again. [notCreated]"`,
    );
    expect(await message(unset.create(someArgs()))).toMatchInlineSnapshot(
      `"Create webhook in database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. [notCreated]"`,
    );
  });
});

describe("A line about one webhook", () => {
  const { messages } = say;

  it("announces a replacement or a conflict", () => {
    expect(say.nameOfWebhook("17", undefined)).toMatchInlineSnapshot(`"webhook 17 of database ?"`);
    expect(messages.replacement(name, "url changes")).toMatchInlineSnapshot(
      `"Replacing webhook 17 of database base_abc123: url changes. Its secret changes. The old secret works until the old webhook is deleted, by default at the end of the update."`,
    );
    expect(messages.baseUrlReason("https://old.example", settings.baseUrl)).toMatchInlineSnapshot(
      `"baseUrl changes from https://old.example to https://tables.example.com"`,
    );
    expect(messages.baseUrlReason(undefined, settings.baseUrl)).toMatchInlineSnapshot(
      `"baseUrl changes to https://tables.example.com"`,
    );
    expect(messages.importedOtherwise(name, "url changes")).toMatchInlineSnapshot(
      `"The program does not declare webhook 17 of database base_abc123 as the service has it: url changes. Pulumi does not replace what it imports. Declare it as it is there, and change it after the import."`,
    );
    expect(messages.existingReturned("Create webhook", "17")).toMatchInlineSnapshot(
      `"Create webhook failed: the service returned webhook 17, which this run already knows, instead of a new one. No webhook was created and none was deleted. It may belong to another resource of this stack. Declare the subscription once, or change its url, events or table."`,
    );
    expect(messages.shared(name, ["a", "b"])).toMatchInlineSnapshot(
      `"Two resources manage webhook 17 of database base_abc123: a and b. Remove one of them from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before that."`,
    );
  });

  it("is about another base URL of a provider", () => {
    const change = { from: "https://a.example", to: "https://b.example" };

    expect(messages.baseUrlRefused({ ...change, consequence: "refuse" })).toMatchInlineSnapshot(
      `"baseUrl: changes from https://a.example to https://b.example. The key comes from DBWEBHOOKS_API_KEY, and Pulumi would send it to both addresses. Leave this Provider as it is, and give the new address and its key to another Provider that the webhooks use"`,
    );
    expect(
      messages.providerReplaced("eu", { ...change, consequence: "replace" }),
    ).toMatchInlineSnapshot(
      `"Webhooks of the provider eu move from https://a.example to https://b.example: Pulumi replaces them, and their secrets change. It deletes the old ones at https://a.example with the old key."`,
    );
    expect(
      messages.providerMoved("eu", { ...change, consequence: "replace" }),
    ).toMatchInlineSnapshot(
      `"The base URL of the provider eu changes from https://a.example to https://b.example. If https://b.example is a new address of the same service, set its formerBaseUrls to https://a.example: then no webhook is replaced."`,
    );
  });

  it("is about adoption", () => {
    expect(messages.adopting(name)).toMatchInlineSnapshot(
      `"Adopting webhook 17 of database base_abc123: no webhook is created, and nothing changes at the service. If the state still has a resource with this webhook that uses another Provider or the other entry of this package, first run "pulumi state delete" for it: Pulumi would delete the webhook. For the same reason, do not adopt in the first "pulumi up" after an upgrade of this package."`,
    );
    expect(messages.adopted(name, false)).toMatchInlineSnapshot(
      `"This stack manages webhook 17 of database base_abc123 from now on. It was not changed and was not looked up (the setting listing is off)."`,
    );
    expect(messages.otherAdoptedSecret(name)).toMatchInlineSnapshot(
      `"The argument adopt.secret of webhook 17 of database base_abc123 is not the secret that the state holds, which stays in force. Remove adopt. To use the other secret, remove the webhook with "pulumi state delete" and run "pulumi up" again."`,
    );
    expect(messages.adoptedAgain(name, "url changes")).toMatchInlineSnapshot(
      `"Replace webhook 17 of database base_abc123 failed: its argument adopt names the same webhook (url changes). Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret."`,
    );
    expect(messages.adoptedAndOwned(name)).toMatchInlineSnapshot(
      `"Compare webhook 17 of database base_abc123 failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook."`,
    );
    expect(messages.adoptionFailed("Delete webhook")).toMatchInlineSnapshot(
      `"Delete webhook failed: the program adopts it, and the adoption failed in this run. Nothing was sent, and the webhook stays in the state."`,
    );
  });

  it("says why a webhook was kept, or that it was gone", () => {
    expect(messages.protected(name, "adopted")).toMatchInlineSnapshot(
      `"Kept webhook 17 of database base_abc123: the argument adopt of the program names it. It was not deleted, and its secret is the same. Remove adopt before you replace it."`,
    );
    expect(messages.protected(name, "created")).toMatchInlineSnapshot(
      `"Kept webhook 17 of database base_abc123: the service returned it for a creation of this run. It was not deleted. If no resource has it, delete it by hand."`,
    );
    expect(messages.protected(name, "owned")).toMatchInlineSnapshot(
      `"Kept webhook 17 of database base_abc123: another resource of this program may manage it: this run found such a resource unchanged. It was not deleted, and its secret is the same. If no other resource has it, delete it by hand."`,
    );
    expect(messages.absent(name)).toMatchInlineSnapshot(
      `"The service no longer had webhook 17 of database base_abc123, which is removed from the state. The service also returns this to a key without access to the database: if that is possible here, look at the service."`,
    );
  });

  it("reports what a refresh found", () => {
    expect(messages.drift(name, ["url", "events"], false)).toMatchInlineSnapshot(
      `"Drift of webhook 17 of database base_abc123: the service has a different url, events. The next "pulumi up" replaces it, with a new secret, unless the program declares what the service has."`,
    );
    expect(messages.drift(name, ["url"], true)).toMatchInlineSnapshot(
      `"Drift of webhook 17 of database base_abc123: the service has a different url. This stack only reads it."`,
    );
    expect(messages.driftUndone(name, ["url"])).toMatchInlineSnapshot(
      `"Drift of webhook 17 of database base_abc123 is undone: the service again has the url that the program declares."`,
    );
    expect(messages.gone(name, true)).toMatchInlineSnapshot(
      `"The service no longer has webhook 17 of database base_abc123. This stack only reads it."`,
    );
    expect(messages.gone(name, false)).toMatchInlineSnapshot(
      `"The service no longer has webhook 17 of database base_abc123. The next "pulumi up" creates a new one, with a new secret."`,
    );
    expect(messages.inactive(name)).toMatchInlineSnapshot(
      `"The service has switched off webhook 17 of database base_abc123: it sends no notifications."`,
    );
    expect(messages.notLookedUp("b", "WHY")).toMatchInlineSnapshot(
      `"Not all webhooks of database b could be looked up: WHY. The state of those that were not found stays as it is, and this refresh does not show their drift."`,
    );
    expect(say.notFoundText(context, undefined)).toMatchInlineSnapshot(
      `"the service does not list it, but may have listed only a part of its webhooks."`,
    );
    expect(say.notFoundText(context, failedWith(response(500)))).toMatchInlineSnapshot(
      `"it could not be looked up: POST https://tables.example.com/somewhere returned 500."`,
    );
  });

  it("reports a secret that two imports share, and a bug", () => {
    expect(messages.sharedSecret("X", name, "Y")).toMatchInlineSnapshot(
      `"X holds one secret, and it is stored for webhook 17 of database base_abc123 and for Y. If they have different secrets, set it to a JSON object of secrets by DATABASE/NUMBER, and import again."`,
    );
    expect(say.faultText(operation, new Error("odd"))).toMatchInlineSnapshot(
      `"Delete webhook 17 of database base_abc123 failed unexpectedly (odd). This is a bug of pulumi-dbwebhooks: look at the service before you run the command again, and report it."`,
    );
  });
});
