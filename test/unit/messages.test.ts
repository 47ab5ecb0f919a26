import { describe, expect, it } from "vitest";
import type { FailedCall } from "../../src/api/client.ts";
import type { FailureCause, HttpOutcome } from "../../src/api/http.ts";
import { Deadline } from "../../src/api/transport.ts";
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

// Every sentence of core/messages.ts is pinned here, and nowhere else.

const name = "webhook 17 of database base_abc123";
const settings = someSettings();
const fromEnvironment = someSettings({ fromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const nothing = () => [];
const operation = new Operation(`Delete ${name}`, nothing, nothing, new Deadline(9));
const contextOf = (of: Settings, isStopping = false) => someContext(operation, of, isStopping);
const context = contextOf(settings);

const callOf = (outcome: HttpOutcome, more: Partial<FailedCall> = {}): FailedCall => ({
  ...{ outcome, request: someRequest, earlier: [], elapsedMs: 2_001 },
  ...more,
});
const notSent = (cause: FailureCause): HttpOutcome => ({ kind: "unsent", cause });
const badProxy = notSent({ kind: "badProxy" });
const unsent = unsentBecause("EAI_AGAIN");
const NOT_FOUND = response(404, undefined, errorBody("NOT_FOUND", "It is gone."));

/** Holds each line, which is a text, an arrow and the sentence that it should be. */
function pin(text: string): void {
  const lines = text.trim().split(/\n +/);
  const pairs = lines.map((line) => line.split(" => "));
  expect(pairs.map(([actual]) => actual)).toEqual(pairs.map(([, expected]) => expected));
}

const wrongHost =
  "This is not an answer of the service: a proxy or another host may have given it. Check dbwebhooks:baseUrl.";
const limitHint =
  " If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications.";
const setKey =
  'Set another key: "pulumi config set --secret dbwebhooks:apiKey", then "pulumi up" ("pulumi destroy" and "pulumi refresh" read DBWEBHOOKS_API_KEY). For a Provider: its argument apiKey.';

describe("every sentence", () => {
  it("about a request and a wait", () => {
    const call = "POST https://tables.example.com/somewhere";
    const text = (outcome: HttpOutcome, more: Partial<FailedCall> = {}, of = context) =>
      say.callText(of, callOf(outcome, more)).replace(call, "X");
    const custom = "customTimeouts, 9 s";
    const timeout: FailureCause = { kind: "timeout" };
    const short = contextOf(someSettings({ timeoutSeconds: 0.5 }));
    const textWithin = (outcome: HttpOutcome) =>
      say.callText(short, callOf(outcome)).replace(call, "X");
    const retries = (seconds: number, isRefused = false, attempts = 1): Partial<FailedCall> => ({
      gaveUp: { reason: "retrySeconds", seconds, isRefused },
      earlier: Array(attempts - 1).fill(unsent),
    });
    const retry = (outcome: HttpOutcome) =>
      say.waitLine(settings, { kind: "retry", request: someRequest, outcome });
    const throttled = { kind: "throttled", delayMs: 5_001 } as const;
    const limited = someSettings({ requestsPerSecond: 0.5 });
    pin(`
      ${say.failureText(context, callOf(response(401)), "Do it.")} => Delete ${name} failed: ${call} answered 401. Do it.
      ${text(NOT_FOUND)} => X answered 404 NOT_FOUND "It is gone."
      ${text(response(400, 0, errorBody("BAD", "")))} => X answered 400 BAD
      ${text(response(201), { missing: "id" })} => X answered 201 without a usable webhook id
      ${text(response(200), { missing: "list" })} => X answered 200 with something other than a list of webhooks
      ${text(response(200), { missing: "confirmation" })} => X answered 200 without confirming the deletion
      ${textWithin({ kind: "noResponse", cause: timeout })} => X gave no complete response within 0.5 s (dbwebhooks:timeoutSeconds)
      ${textWithin(notSent(timeout))} => X could not be reached within 0.5 s (dbwebhooks:timeoutSeconds)
      ${text(notSent({ kind: "deadline" }))} => X could not be reached in the time that was left (${custom})
      ${text(unsent)} => X could not be reached (EAI_AGAIN: connect failed)
      ${text(notSent({ kind: "connection", codes: [], text: "" }))} => X could not be reached (unknown reason)
      ${text({ ...unsent, kind: "noResponse" })} => X broke the connection before its response was complete (EAI_AGAIN: connect failed)
      ${text({ kind: "unreadable", cause: { kind: "tooLong", statusCode: 200 } })} => X answered 200 with more than 1 MiB
      ${text(badProxy)} => X was not sent
      ${text(notSent({ kind: "stopping" }))} => X was not sent, because Pulumi is stopping
      ${text(response(429), { gaveUp: { reason: "stopping" } })} => X answered 429 (Pulumi is stopping)
      ${text(response(500), { gaveUp: { reason: "deadline" } })} => X answered 500 (tried 1 time in 3 s; ${custom})
      ${text(response(429, 9e8), { gaveUp: { reason: "deadline" } })} => X answered 429 (it asked to wait over a day more; ${custom})
      ${text(response(429, 86_400_000), retries(120))} => X answered 429 (it asked to wait 86400 s more; dbwebhooks:retrySeconds is 120)
      ${text(response(500), retries(15, true, 3))} => X answered 500 (tried 3 times in 3 s; a refused connection is tried for 15 s)
      ${text(response(500), retries(2), contextOf(fromEnvironment))} => X answered 500 (tried 1 time in 3 s; dbwebhooks:retrySeconds (set by DBWEBHOOKS_RETRY_SECONDS) is 2)
      ${say.waitLine(settings, throttled)} => The service limits the rate of requests: all requests now wait 6 s, as it asks, and are then retried. Set dbwebhooks:requestsPerSecond to the rate limit of the service to avoid such waits.
      ${say.waitLine(limited, throttled)} => The service limits the rate of requests: all requests now wait 6 s, as it asks, and are then retried. dbwebhooks:requestsPerSecond is 0.5: a lower value avoids such waits.
      ${retry(response(500))} => https://tables.example.com returned 500; retrying POST.
      ${retry(unsent)} => https://tables.example.com sent no response; retrying POST.
    `);
  });

  it("about what to do after a creation that made nothing", () => {
    const advice = (outcome: HttpOutcome, of = settings, stops = false) =>
      say
        .notCreatedText(contextOf(of, stops), callOf(outcome))
        .replace(/^.*No webhook was created. /, "> ");
    const redirect = { ...response(307), redirectOrigin: "https://else.example" } as HttpOutcome;
    pin(`
      ${advice(badProxy)} => > HTTPS_PROXY or HTTP_PROXY holds no usable URL: set it to one such as "http://proxy.example.com:3128".
      ${advice(unsent, settings, true)} => > Run the command again.
      ${advice(unsent)} => > Check that the service is running, the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl, then run the command again.
      ${advice(NOT_FOUND)} => > The service gives this answer both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.
      ${advice(response(404))} => > ${wrongHost}
      ${advice(response(300))} => > It redirects elsewhere, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.
      ${advice(redirect, fromEnvironment)} => > It redirects to https://else.example, and the API key is not sent there: set dbwebhooks:baseUrl (set by DBWEBHOOKS_BASE_URL) to the address of the service itself.
      ${advice(response(401))} => > The service does not accept the API key for this. ${setKey}
      ${advice(response(401), fromEnvironment)} => > The service does not accept the API key for this. Check the API key: DBWEBHOOKS_API_KEY sets it.
      ${advice(response(403))} => > The service does not accept the API key for this. ${setKey}${limitHint}
      ${advice(response(400))} => > The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.
      ${advice(response(429))} => > Run the command again later.
    `);
  });

  it("about what to do after a creation in doubt, and what became of it", () => {
    const may = "A webhook may exist in database base_abc123 without a stored secret.";
    const look = `${may} Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again.`;
    const webhook = { databaseId: "base_abc123", url: "https://a.example/x", events: [] };
    const advice = (ids: readonly string[], isComplete = false, outcome: HttpOutcome = unsent) =>
      say
        .inDoubtText(context, callOf(outcome), webhook, { ids, isComplete })
        .replace(/^.*?\. (?=A webhook|The service lists no)/, "");
    const listed = (ids: string) =>
      `${may} The service lists webhooks with the same url, events and table that this run does not know: ${ids}. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again.`;
    const failed = "Create webhook in database base_abc123 failed: ";
    const incomplete = `${failed}the service created webhook 17 but sent no usable secret.`;
    const unstored = `${failed}Pulumi stopped while the service created webhook 17.`;
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
      ${undo("undone")} => ${incomplete} It was deleted again. Run "pulumi up" again; if this comes back, check that dbwebhooks:baseUrl is the service itself.
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
      return text.replace(/^.* The webhook stays in the state\. /, "");
    };
    const elsewhere = { request: { ...someRequest, url: new URL("https://old.example/api/v1/x") } };
    const there =
      'The webhook was created there, and dbwebhooks:baseUrl is https://tables.example.com: the API key may not be valid at both. Set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY for this command to those of that service, or delete the webhook by hand and remove it with "pulumi state delete".';
    pin(`
      ${advice(unsent)} => Run the command again.
      ${advice(response(401), elsewhere)} => ${there}
      ${advice(response(404), elsewhere)} => ${there}
      ${advice(response(500), elsewhere)} => Run the command again later.
      ${advice(response(404))} => ${wrongHost}
      ${advice(response(200), { missing: "confirmation" })} => ${wrongHost}
      ${advice(response(401))} => The service does not accept the API key for this. ${setKey}
      ${say.elsewhereText(context, "https://old.example")} => Delete ${name} failed: its state says that it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to dbwebhooks:formerBaseUrls (DBWEBHOOKS_FORMER_BASE_URLS). If it is another service that this API key may be sent to, add it to dbwebhooks:otherBaseUrls (DBWEBHOOKS_OTHER_BASE_URLS). "pulumi destroy" and "pulumi refresh" read the environment.
    `);
  });

  it("in a line, and about a difference or a look-up", () => {
    const others = someSettings({ otherBaseUrls: ["https://old.example"] });
    const moved =
      "(if the same service has moved, set dbwebhooks:formerBaseUrls to the former address";
    pin(`
      ${say.nameOfWebhook("17", undefined)} => webhook 17 of database ?
      ${say.lines.absent(name)} => The service did not have ${name} any more, and it is removed from the state. A key without access to the database gets the same answer: if this is possible here, look at the service.
      ${say.lines.named(name)} => Kept ${name}: the argument adopt of the program names it. It was not deleted, and its secret is the same. Remove adopt before you replace it.
      ${say.lines.kept(name)} => Kept ${name}: another resource of this program may have it, because this run has found it unchanged. It was not deleted, and its secret is the same. If no other resource has it, delete it by hand.
      ${say.lines.shared(name, ["a", "b"])} => Two resources manage ${name}: a and b. Remove one of them from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before.
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
      ${say.lines.adopted(name, false)} => This stack manages ${name} from now on. It was not changed and was not looked up (dbwebhooks:listing is off).
      ${say.lines.sharedSecret("X", name, "Y")} => X holds one secret, and it is stored for ${name} and for Y. If they have different secrets, set it to a JSON object of secrets by DATABASE/NUMBER, and import again.
      ${say.faultText(operation, new Error("odd"))} => Delete ${name} failed unexpectedly (odd). This is a fault of pulumi-dbwebhooks: look at the service before you run the command again, and report the fault.
    `);
  });

  it("of an operation that lacks arguments, an address or settings", async () => {
    const said = async (operation: Promise<unknown>) => (await errorOf(operation)).message;
    const { create, delete: remove } = startProvider();
    const bare = startProvider({ apiKey: undefined, listing: "yes" });
    const unset =
      'dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent.';
    pin(`
      ${await said(create(someArgs({ url: undefined })))} => Create webhook failed: url: must be the URL of the receiver, such as "https://example.com/hooks". Nothing was sent. Run "pulumi up" again. [notCreated]
      ${await said(create(someArgs({ url: unknownMarkers.string })))} => Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again. [notCreated]
      ${await said(remove("17", {}))} => Delete webhook 17 failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete". [kept]
      ${await said(bare.create(someArgs()))} => Create webhook in database base_abc123 failed: ${unset} [notCreated]
      ${await said(bare.delete("17", someState()))} => Delete ${name} failed: ${unset} The webhook stays in the state. "pulumi destroy" reads the environment, and the configuration of the last "pulumi up": set the variable, or run "pulumi config set" and then "pulumi destroy --run-program". [kept]
    `);
  });
});
