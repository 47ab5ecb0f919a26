import { describe, expect, it, onTestFinished } from "vitest";
import type { Settings } from "../../src/core/config.ts";
import * as say from "../../src/core/messages.ts";
import { Operation } from "../../src/core/operation.ts";
import { WebhookProvider } from "../../src/core/provider.ts";
import type { FailedCall } from "../../src/service/client.ts";
import type { FailureCause, HttpOutcome } from "../../src/service/exchange.ts";
import { TimeLimit } from "../../src/service/exchange.ts";
import type { GaveUp } from "../../src/service/retry-policy.ts";
import {
  errorBody,
  someArgs,
  someContext,
  someSettings,
  someState,
  unknownMarkers,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startServer } from "../helpers/http-server.ts";
import { someProvider } from "../helpers/provider.ts";
import { response, someRequest, unsentBecause } from "../helpers/transport.ts";

// Every sentence is pinned here, and nowhere else.

const name = "webhook 17 of database base_abc123";
const settings = someSettings();
const fromEnvironment = someSettings({ fromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const timeLimit = new TimeLimit(9);
const operation = new Operation(
  `Delete ${name}`,
  () => undefined,
  () => [],
  timeLimit,
);
const contextOf = (of: Settings, isStopping = false) => someContext(operation, of, isStopping);
const context = contextOf(settings);
const webhook = { databaseId: "base_abc123", url: "https://a.example/x", events: [] };

const callOf = (outcome: HttpOutcome, more: Partial<FailedCall> = {}): FailedCall => ({
  ...{ outcome, request: someRequest, earlier: [], elapsedMs: 2_001 },
  ...more,
});
const because = (kind: "unsent" | "unanswered", cause: FailureCause): HttpOutcome => ({
  kind,
  cause,
});
const gaveUp = (outcome: HttpOutcome, why: GaveUp, attempts = 1) =>
  callOf(outcome, { gaveUp: why, earlier: Array(attempts - 1).fill(outcome) });
const retries = (seconds: number, isRefused = false): GaveUp => ({
  limit: "retries",
  seconds,
  isRefused,
});
const limit = (of: "attempt" | "operation"): FailureCause => ({
  kind: "limit",
  limit: of,
  ms: 500,
});
const noAttempt = (why: "stopping" | "operation") =>
  because("unsent", { kind: "noAttempt", because: why });
const unsent = unsentBecause("EAI_AGAIN");
const NOT_FOUND = response(404, undefined, errorBody("NOT_FOUND", "It is gone."));

/** Holds each line, which is a text, an arrow and the sentence that it should be. */
function pin(lines: string): void {
  const pairs = lines
    .trim()
    .split(/\n +/)
    .map((line) => line.split(" => "));
  expect(pairs.map(([actual]) => actual)).toEqual(pairs.map(([, expected]) => expected));
}

describe("every sentence", () => {
  it("about a request", () => {
    const call = "POST https://tables.example.com/somewhere";
    const text = (failure: FailedCall) => say.callText(context, failure).replace(call, "X");
    const custom = "customTimeouts, 9 s";
    pin(`
      ${say.failureText(context, callOf(response(401)), "Do it.")} => Delete ${name} failed: ${call} answered 401. Do it.
      ${text(callOf(NOT_FOUND))} => X answered 404 NOT_FOUND "It is gone."
      ${text(callOf(response(400, 0, errorBody("BAD", ""))))} => X answered 400 BAD
      ${text(callOf(response(201), { lacks: "id" }))} => X answered 201 without a usable webhook id
      ${text(callOf(response(200), { lacks: "list" }))} => X answered 200 with something other than a list of webhooks
      ${text(callOf(response(200), { lacks: "confirmation" }))} => X answered 200 without confirming the deletion
      ${text(callOf(because("unanswered", limit("attempt"))))} => X gave no complete answer within 0.5 s (dbwebhooks:timeoutSeconds)
      ${text(callOf(because("unsent", limit("attempt"))))} => X could not be reached within 0.5 s (dbwebhooks:timeoutSeconds)
      ${text(callOf(because("unsent", limit("operation"))))} => X could not be reached in the time that was left (${custom})
      ${text(callOf(unsent))} => X could not be reached (EAI_AGAIN: connect failed)
      ${text(callOf(because("unsent", { kind: "connection", codes: [], text: "" })))} => X could not be reached (unknown reason)
      ${text(callOf({ ...unsent, kind: "unanswered" }))} => X broke the connection before its answer was complete (EAI_AGAIN: connect failed)
      ${text(callOf({ kind: "unreadable", cause: { kind: "tooLong", statusCode: 200 } }))} => X answered 200 with more than 1 MiB
      ${text(callOf(because("unsent", { kind: "badProxy" })))} => X was not sent
      ${text(callOf(noAttempt("stopping")))} => X was not sent, because Pulumi is stopping
      ${text(callOf(noAttempt("operation")))} => X was not sent, because the time was over (${custom})
      ${text(gaveUp(response(429), { limit: "stopping" }))} => X answered 429 (Pulumi is stopping)
      ${text(gaveUp(response(500), { limit: "operation" }))} => X answered 500 (tried 1 time in 3 s; ${custom})
      ${text(gaveUp(response(429, 9e8), { limit: "operation" }))} => X answered 429 (it asked to wait over a day more; ${custom})
      ${text(gaveUp(response(429, 86_400_000), retries(120)))} => X answered 429 (it asked to wait 86400 s more; dbwebhooks:retrySeconds is 120)
      ${text(gaveUp(response(500), retries(15, true), 3))} => X answered 500 (tried 3 times in 3 s; a refused connection is tried for 15 s)
      ${say.callText(contextOf(fromEnvironment), gaveUp(response(500), retries(2)))} => ${call} answered 500 (tried 1 time in 3 s; dbwebhooks:retrySeconds (set by DBWEBHOOKS_RETRY_SECONDS) is 2)
    `);
  });

  it("about a wait", () => {
    const again = (outcome: HttpOutcome) =>
      say.waitLine(settings, { kind: "again", request: someRequest, outcome });
    const limited = someSettings({ requestsPerSecond: 0.5 });
    pin(`
      ${say.waitLine(settings, { kind: "pause", delayMs: 5_001 })} => The service asked to slow down; all requests wait 6 s.
      ${say.waitLine(limited, { kind: "turn", setting: "requestsPerSecond" })} => Requests wait for their turn: dbwebhooks:requestsPerSecond is 0.5.
      ${again(response(500))} => https://tables.example.com answered 500; trying POST again.
      ${again(unsent)} => https://tables.example.com gave no answer; trying POST again.
    `);
  });

  const wrongHost =
    "This is not an answer of the service: a proxy or another host may have given it. Check dbwebhooks:baseUrl.";
  const limitHint =
    " If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications.";
  const setKey =
    'Set another key: "pulumi config set --secret dbwebhooks:apiKey", then "pulumi up" ("pulumi destroy" and "pulumi refresh" read DBWEBHOOKS_API_KEY). For a Provider: its argument apiKey.';

  it("about what to do after a creation that made nothing", () => {
    const advice = (outcome: HttpOutcome, of = settings, stops = false) =>
      say
        .notCreatedText(contextOf(of, stops), callOf(outcome))
        .replace(/^.*No webhook was created. /, "> ");
    const network =
      "> Check that the service is running, the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl, then run the command again.";
    pin(`
      ${advice(because("unsent", { kind: "badProxy" }))} => > HTTPS_PROXY or HTTP_PROXY holds no usable URL: set it to one such as "http://proxy.example.com:3128".
      ${advice(unsent, settings, true)} => > Run the command again.
      ${advice(unsent)} => ${network}
      ${advice(NOT_FOUND)} => > The service gives this answer both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.
      ${advice(response(404))} => > ${wrongHost}
      ${advice(response(300))} => > It redirects elsewhere, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.
      ${advice({ ...response(307), redirectOrigin: "https://else.example" } as HttpOutcome, fromEnvironment)} => > It redirects to https://else.example, and the API key is not sent there: set dbwebhooks:baseUrl (set by DBWEBHOOKS_BASE_URL) to the address of the service itself.
      ${advice(response(401))} => > The service does not accept the API key for this. ${setKey}
      ${advice(response(401), fromEnvironment)} => > The service does not accept the API key for this. Check the API key: DBWEBHOOKS_API_KEY sets it.
      ${advice(response(403))} => > The service does not accept the API key for this. ${setKey}${limitHint}
      ${advice(response(402)).slice(-103)} => ${limitHint.slice(-103)}
      ${advice(response(409)).slice(-103)} => ${limitHint.slice(-103)}
      ${advice(response(422)).slice(-103)} => ${limitHint.slice(-103)}
      ${advice(response(400))} => > The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.
      ${advice(response(429))} => > Run the command again later.
    `);
  });

  it("about what to do after a creation in doubt, and what became of it", () => {
    const may = "A webhook may exist in database base_abc123 without a stored secret.";
    const look = `${may} Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again.`;
    const advice = (ids: readonly string[], isWhole = false, outcome: HttpOutcome = unsent) =>
      say
        .inDoubtText(context, callOf(outcome), webhook, { ids, isWhole })
        .replace(`Delete ${name} failed: ${say.callText(context, callOf(outcome))}. `, "");
    const listed = (ids: string) =>
      `${may} The service lists webhooks with the same url, events and table that this run does not know: ${ids}. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again.`;
    const failed = "Create webhook in database base_abc123 failed: ";
    const incomplete = `${failed}the service created webhook 17 but sent no usable secret.`;
    const unstored = `${failed}Pulumi stopped while the service created webhook 17.`;
    const again =
      'Run "pulumi up" again; if this comes back, check that dbwebhooks:baseUrl is the service itself.';
    const undo = (end: "undone" | "partial" | "leftBehind", secret?: string) =>
      say.undoText({ baseUrl: "", databaseId: "base_abc123", id: "17" }, secret, end, "WHY");
    const byHand =
      "Pulumi has not stored it: delete it by hand. It could not be deleted at once: WHY";
    pin(`
      ${advice([])} => ${look}
      ${advice([], false, response(409))} => ${look}${limitHint}
      ${advice([], true)} => The service lists no such webhook now, but it may still appear. ${look}
      ${advice(["1", "2", "3", "4", "5"], true)} => ${listed("1, 2, 3, 4, 5")}
      ${advice(["1", "2", "3", "4", "5", "6"])} => ${listed("1, 2, 3, 4, 5 and 1 more")}
      ${undo("undone")} => ${incomplete} It was deleted again. ${again}
      ${undo("partial")} => ${incomplete} It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: WHY
      ${undo("undone", "whsec_1")} => ${unstored} It was deleted again.
      ${undo("leftBehind", "whsec_1")} => ${unstored} ${byHand}
      ${undo("leftBehind")} => ${incomplete} ${byHand}
    `);
  });

  it("about a deletion", () => {
    const url = new URL(`${settings.baseUrl}/api/v1/bases/b/webhooks/17`);
    const advice = (outcome: HttpOutcome, more: Partial<FailedCall> = {}) => {
      const failure = callOf(outcome, { request: { ...someRequest, url }, ...more });
      const text = say.notDeletedText(contextOf(settings, true), failure);
      return text.replace(
        `Delete ${name} failed: ${say.callText(context, failure)}. The webhook stays in the state. `,
        "",
      );
    };
    const elsewhere = { request: { ...someRequest, url: new URL("https://old.example/api/v1/x") } };
    const there =
      'The webhook was created there, and dbwebhooks:baseUrl is https://tables.example.com: the API key may not be valid at both. Set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY for this command to those of that service, or delete the webhook by hand and remove it with "pulumi state delete".';
    pin(`
      ${advice(unsent)} => Run the command again.
      ${advice(response(401), elsewhere)} => ${there}
      ${advice(response(403), elsewhere)} => ${there}
      ${advice(response(404), elsewhere)} => ${there}
      ${advice(response(500), elsewhere)} => Run the command again later.
      ${advice(response(404))} => ${wrongHost}
      ${advice(response(200), { lacks: "confirmation" })} => ${wrongHost}
      ${advice(response(401))} => The service does not accept the API key for this. ${setKey}
      ${say.elsewhereText(context, "https://old.example")} => Delete ${name} failed: its state says that it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to dbwebhooks:formerBaseUrls (DBWEBHOOKS_FORMER_BASE_URLS). If it is another service that this API key may be sent to, add it to dbwebhooks:otherBaseUrls (DBWEBHOOKS_OTHER_BASE_URLS). "pulumi destroy" and "pulumi refresh" read the environment.
      ${say.lines.absent(name)} => The service did not have ${name} any more, and it is removed from the state. A key without access to the database gets the same answer: if this is possible here, look at the service.
      ${say.lines.named(name)} => Kept ${name}: the argument adopt of the program names it. It was not deleted, and its secret is the same. Remove adopt before you replace it.
      ${say.lines.kept(name)} => Kept ${name}: another resource of this program may have it, because this run has found it unchanged. It was not deleted, and its secret is the same. If no other resource has it, delete it by hand.
      ${say.lines.shared(name, ["a", "b"])} => Two resources manage ${name}: a and b. Remove one of them from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before.
    `);
  });

  it("about a replacement, a look-up and an adoption", () => {
    const others = someSettings({ otherBaseUrls: ["https://old.example"] });
    const moved =
      "(if the same service has moved, set dbwebhooks:formerBaseUrls to the former address";
    pin(`
      ${say.nameOfWebhook("17", undefined)} => webhook 17 of database ?
      ${say.lines.replacement(name, "url changes")} => Replacing ${name}: url changes. Its secret will change. The old webhook and its secret keep working until the end of the update; with deleteBeforeReplace they are deleted first. With retainOnDelete they stay, if an earlier "pulumi up" has stored that option.
      ${say.lines.importedOtherwise(name, "url changes")} => The program does not declare ${name} as the service has it: url changes. Pulumi does not replace what it imports. Declare it as it is there, and change it after the import.
      ${say.baseUrlReason(settings, undefined)} => dbwebhooks:baseUrl changes to https://tables.example.com ${moved})
      ${say.baseUrlReason(others, "https://old.example")} => dbwebhooks:baseUrl changes from https://old.example to https://tables.example.com ${moved})
      ${say.baseUrlReason(settings, "https://old.example")} => dbwebhooks:baseUrl changes from https://old.example to https://tables.example.com ${moved}; to delete the old webhook, add https://old.example to dbwebhooks:otherBaseUrls)
      ${say.unknownText(context, undefined)} => the service does not list it, but may have listed only a part of its webhooks.
      ${say.unknownText(context, callOf(response(500)))} => it could not be looked up: POST https://tables.example.com/somewhere answered 500.
      ${say.lines.drift(name, ["url", "events"], false)} => Drift of ${name}: url, events. The next "pulumi up" replaces it, with a new secret, unless the program then declares the same.
      ${say.lines.drift(name, ["url"], true)} => Drift of ${name}: url. This stack only reads it.
      ${say.lines.gone(name, true)} => The service no longer has ${name}. This stack only reads it.
      ${say.lines.gone(name, false)} => The service no longer has ${name}. The next "pulumi up" creates a new one, with a new secret.
      ${say.lines.inactive(name)} => The service has switched off ${name}: it sends no notifications.
      ${say.lines.notLookedUp("b", "WHY")} => Not all webhooks of database b could be looked up: WHY. The state of those that were not found stays as it is.
      ${say.lines.adopting(name)} => Adopting ${name}: no webhook is created, and the service changes nothing. If a resource of another Provider or of the other entry of this package has it, first run "pulumi state delete" for that one: Pulumi would delete the webhook.
      ${say.lines.otherAdoptedSecret(name)} => The argument adopt.secret of ${name} is not the secret that the state holds, which stays in force. Remove adopt. To use the other secret, remove the webhook with "pulumi state delete" and run "pulumi up" again.
      ${say.lines.adoptedAgain(name, "url changes")} => Replace ${name} failed: its argument adopt names the same webhook (url changes). Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret.
      ${say.lines.adoptedAndKept(name)} => Compare ${name} failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook.
    `);
  });
});

describe("every sentence of an operation", () => {
  const message = async (promise: Promise<unknown>) => (await errorOf(promise)).message;

  it("that lacks arguments, an address or settings, or that is broken", async () => {
    const { provider, notify } = someProvider();
    const bare = someProvider({ apiKey: undefined, listing: "yes" });
    const get = () => {
      throw new Error("odd");
    };
    const broken = new WebhookProvider(
      { get, isExplicit: () => false, environment: {} },
      bare.engine,
    );
    pin(`
      ${await message(provider.create(someArgs({ url: undefined }), notify))} => Create webhook failed: url: must be the URL of the receiver, such as "https://example.com/hooks". Nothing was sent. Run "pulumi up" again. [notCreated]
      ${await message(provider.create(someArgs({ url: unknownMarkers.string }), notify))} => Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again. [notCreated]
      ${await message(provider.delete("17", {}, notify))} => Delete webhook 17 failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete". [kept]
      ${await message(bare.provider.create(someArgs(), notify))} => Create webhook in database base_abc123 failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. [notCreated]
      ${await message(bare.provider.delete("17", someState(), notify))} => Delete ${name} failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. The webhook stays in the state. "pulumi destroy" reads the environment, and the configuration of the last "pulumi up": set the variable, or run "pulumi config set" and then "pulumi destroy --run-program". [kept]
      ${await message(broken.create(someArgs(), notify))} => Create webhook in database base_abc123 failed unexpectedly (odd). This is a fault of pulumi-dbwebhooks: look at the service before you run the command again, and report the fault. [fault]
    `);
  });

  const listed = { ...someArgs(), id: 17, tableIds: null, active: true };
  const elsewhere = { ...listed, url: "https://else.example" };
  const adopting = someArgs({ adopt: { id: 17, secret: "whsec_1" } });
  const importVariable = "DBWEBHOOKS_IMPORT_SECRET";

  /** A provider of a service that answers so. */
  async function providerOf(body: unknown, variable = "whsec_1", isListing = "true") {
    const server = await startServer({ body });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const settings = { baseUrl: server.url, listing: isListing };
    return { ...someProvider(settings, undefined, { [importVariable]: variable }), server };
  }

  it("that adopts", async () => {
    const adopt = async (body: unknown) => {
      const { provider, notify } = await providerOf(body);
      const text = await message(provider.create(adopting, notify));
      return text
        .replace(`Adopt ${name} failed: `, "")
        .replace("Nothing was changed. [notAdopted]", "N");
    };
    const { provider, notify, lines, server } = await providerOf({ success: true }, "", "false");
    await provider.create(adopting, notify);
    const again = await message(provider.create(adopting, notify));
    const other = await providerOf({ success: true }, "", "false");
    await other.provider.delete("17", someState({ baseUrl: other.server.url }), notify);
    const deleted = await message(other.provider.create(adopting, notify));
    pin(`
      ${lines[0]?.line} => This stack manages ${name} from now on. It was not changed and was not looked up (dbwebhooks:listing is off).
      ${again} => Adopt ${name} failed: this program manages it already. Remove adopt, or the other resource that manages it. Nothing was changed. [notAdopted]
      ${deleted} => Adopt ${name} failed: it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook. Nothing was changed. [notAdopted]
      ${await adopt({ webhooks: [] })} => the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl; if it is gone, remove adopt to create a new one. N
      ${await adopt({ webhooks: [elsewhere] })} => the service has it with another url. Declare it as it is there, and change it afterwards. N
      ${await adopt({ webhooks: [], more: 1 })} => the service does not list it, but may have listed only a part of its webhooks. To adopt it without a lookup, set dbwebhooks:listing to false. N
    `);
    expect(server.requests).toEqual([]);
  });

  it("that imports", async () => {
    const take = async (
      body: unknown,
      variable?: string,
      isListing?: string,
      isOnlyRead = false,
    ) => {
      const { provider, notify, server } = await providerOf(body, variable, isListing);
      const text = await message(provider.import("17", "base_abc123", notify, { isOnlyRead }));
      return text.replace(server.url, "S").replace(`Import ${name} failed: `, "").replace(end, "N");
    };
    const end =
      "The argument adopt takes over a webhook without an import. Nothing was changed. [notImported]";
    const set =
      'Set it to the secret alone, or, for several webhooks, to a JSON object such as {"base_abc123/17":"whsec_…"}.';
    const two = await providerOf({ webhooks: [listed, { ...listed, id: 18 }] });
    await two.provider.import("17", "base_abc123", two.notify);
    await two.provider.import("18", "base_abc123", two.notify);
    pin(`
      ${await take({ webhooks: [] })} => the service does not list it. Check the id, which is DATABASE/NUMBER, and dbwebhooks:baseUrl. N
      ${await take({}, "")} => ${importVariable} is not set, and the service does not show the secret again. ${set} N
      ${await take({}, "null")} => ${importVariable} holds JSON that is not an object of secrets. ${set} N
      ${await take({}, "{}", "false")} => dbwebhooks:listing is off, and only the service's list shows its url, events and table. Set DBWEBHOOKS_LISTING=true. ${importVariable} holds no usable secret for it. ${set} N
      ${await take({ webhooks: [{ ...listed, tableIds: ["a", "b"] }] })} => it selects several tables, and a resource can declare one or all. N
      ${await take({})} => it could not be looked up: GET S/api/v1/bases/base_abc123/webhooks answered 200 with something other than a list of webhooks. N
      ${await take({ webhooks: [] }, "s", "true", true)} => Get ${name} failed: the service does not list it. Check the id, which is DATABASE/NUMBER, and dbwebhooks:baseUrl. A stack that manages the webhook can export its secret for a StackReference. Nothing was changed. [notImported]
      ${two.lines[0]?.line} => ${importVariable} holds one secret, and it is stored for ${name} and for ${name.replace("17", "18")}. If they have different secrets, set it to a JSON object of secrets by DATABASE/NUMBER, and import again.
    `);
  });
});
