import { describe, expect, it } from "vitest";
import {
  adoptedSecretHint,
  adoptionConflict,
  adoptionHint,
  sharedWithAdoption,
} from "../../src/core/adopt.ts";
import * as say from "../../src/core/messages.ts";
import { Operation } from "../../src/core/operation.ts";
import { WebhookProvider } from "../../src/core/provider.ts";
import type { FailedCall } from "../../src/service/client.ts";
import type { FailureCause, HttpOutcome } from "../../src/service/exchange.ts";
import type { GaveUp } from "../../src/service/retry-policy.ts";
import { TimeLimit } from "../../src/service/time-limit.ts";
import { errorBody, someArgs, someSettings, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startServer } from "../helpers/http-server.ts";
import { codeSpans, readPage, rowsOf } from "../helpers/markdown.ts";
import { someProvider } from "../helpers/provider.ts";
import { response, someRequest, unsentBecause } from "../helpers/transport.ts";

// Every sentence is pinned here, and nowhere else.

const name = "webhook 17 of database base_abc123";
const settings = someSettings();
const fromEnvironment = someSettings({ fromEnvironment: ["apiKey", "baseUrl", "retrySeconds"] });
const timeLimit = new TimeLimit(9);
timeLimit.clear();
const operation = new Operation(
  `Delete ${name}`,
  () => undefined,
  () => [],
  timeLimit,
);
const webhook = { databaseId: "base_abc123", url: "https://a.example/x", events: [] };

const callOf = (outcome: HttpOutcome, more: Partial<FailedCall> = {}): FailedCall => ({
  ...{ outcome, request: someRequest, earlier: [], elapsedMs: 2_001 },
  ...more,
});
const because = (kind: "unsent" | "unanswered", cause: FailureCause): HttpOutcome => ({
  kind,
  cause,
});
const after = (outcome: HttpOutcome, gaveUp: GaveUp, attempts = 1) =>
  callOf(outcome, { gaveUp, earlier: Array(attempts - 1).fill(outcome) });
const limit = (of: "attempt" | "operation"): FailureCause => ({
  kind: "limit",
  limit: of,
  ms: 500,
});
const noAttempt = (why: "stopping" | "operation") =>
  because("unsent", { kind: "noAttempt", because: why });
const unsent = unsentBecause("EAI_AGAIN");
const NOT_FOUND = response(404, undefined, errorBody("NOT_FOUND", "It is gone."));

/** Holds texts against lines. */
function pin(texts: readonly (string | undefined)[], lines: string): void {
  expect(texts).toEqual(lines.trim().split(/\n +/));
}

describe("every sentence", () => {
  it("about a request", () => {
    const call = "POST https://tables.example.com/somewhere";
    const text = (failure: FailedCall) =>
      say.callText(operation, settings, failure).replace(call, "X");
    const custom = "customTimeouts, 9 s";
    pin(
      [
        say.failureText(operation, settings, callOf(response(401)), "Do it."),
        text(callOf(NOT_FOUND)),
        text(callOf(response(400, 0, errorBody("BAD", "")))),
        text(callOf(response(201), { lacks: "id" })),
        text(callOf(response(200), { lacks: "list" })),
        text(callOf(response(200), { lacks: "confirmation" })),
        text(callOf(because("unanswered", limit("attempt")))),
        text(callOf(because("unsent", limit("attempt")))),
        text(callOf(because("unsent", limit("operation")))),
        text(callOf(unsent)),
        text(callOf(because("unsent", { kind: "connection", codes: [], text: "" }))),
        text(callOf({ ...unsent, kind: "unanswered" })),
        text(callOf({ kind: "unreadable", cause: { kind: "tooLong", statusCode: 200 } })),
        text(callOf(because("unsent", { kind: "badProxy" }))),
        text(callOf(noAttempt("stopping"))),
        text(callOf(noAttempt("operation"))),
        text(after(response(429), { limit: "stopping" })),
        text(after(response(500), { limit: "operation" })),
        text(after(response(429, 9e8), { limit: "operation" })),
        text(
          after(response(429, 86_400_000), { limit: "retries", seconds: 120, isRefused: false }),
        ),
        text(after(response(500), { limit: "retries", seconds: 15, isRefused: true }, 3)),
        say.callText(
          operation,
          fromEnvironment,
          after(response(500), { limit: "retries", seconds: 2, isRefused: false }),
        ),
      ],
      `
      Delete ${name} failed: ${call} answered 401. Do it.
      X answered 404 NOT_FOUND "It is gone."
      X answered 400 BAD
      X answered 201 without a usable webhook id
      X answered 200 with something other than a list of webhooks
      X answered 200 without confirming the deletion
      X gave no complete answer within 0.5 s (dbwebhooks:timeoutSeconds)
      X could not be reached within 0.5 s (dbwebhooks:timeoutSeconds)
      X could not be reached in the time that was left (${custom})
      X could not be reached (EAI_AGAIN: connect failed)
      X could not be reached (unknown reason)
      X broke the connection before its answer was complete (EAI_AGAIN: connect failed)
      X answered 200 with more than 1 MiB
      X was not sent
      X was not sent, because Pulumi is stopping
      X was not sent, because the time was over (${custom})
      X answered 429 (Pulumi is stopping)
      X answered 500 (tried 1 time in 3 s; ${custom})
      X answered 429 (it asked to wait over a day more; ${custom})
      X answered 429 (it asked to wait 86400 s more; dbwebhooks:retrySeconds is 120)
      X answered 500 (tried 3 times in 3 s; a refused connection is tried for 15 s)
      ${call} answered 500 (tried 1 time in 3 s; dbwebhooks:retrySeconds (set by DBWEBHOOKS_RETRY_SECONDS) is 2)
    `,
    );
  });

  it("about a wait", () => {
    const again = (outcome: HttpOutcome) =>
      say.waitLine(settings, { kind: "again", request: someRequest, outcome });
    const limited = someSettings({ requestsPerSecond: 0.5 });
    pin(
      [
        say.waitLine(settings, { kind: "pause", delayMs: 5_001 }),
        say.waitLine(limited, { kind: "turn", setting: "requestsPerSecond" }),
        again(response(500)),
        again(unsent),
        again({ ...unsent, kind: "unanswered" }),
      ],
      `
      The service asked to slow down; all requests wait 6 s.
      Requests wait for their turn: dbwebhooks:requestsPerSecond is 0.5.
      https://tables.example.com answered 500; trying POST again.
      https://tables.example.com could not be reached; trying POST again.
      https://tables.example.com gave no answer; trying POST again.
    `,
    );
  });

  const wrongHost =
    "This is not an answer of the service: a proxy or another host may have given it. Check dbwebhooks:baseUrl.";
  const limitHint =
    " If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications.";
  const setKey =
    'Set another key: "pulumi config set --secret dbwebhooks:apiKey", then "pulumi up" ("pulumi destroy" and "pulumi refresh" read DBWEBHOOKS_API_KEY). For a Provider: its argument apiKey.';
  const isStopping = true;

  it("about what to do after a creation that made nothing", () => {
    const advice = (outcome: HttpOutcome, of = settings, stops = false, request = someRequest) =>
      say
        .notCreatedAdvice(of, callOf(outcome, { request }), stops)
        .replace("No webhook was created. ", "> ");
    const loopback = { ...someRequest, url: new URL("http://127.0.0.1:8787/x") };
    const secure = { ...someRequest, url: new URL("https://127.0.0.1:8787/x") };
    const network =
      "> Check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl, then run the command again.";
    pin(
      [
        advice(because("unsent", { kind: "badProxy" })),
        advice(unsent, settings, isStopping),
        advice(unsent),
        advice(unsent, settings, false, secure),
        advice(unsent, settings, false, loopback),
        advice(NOT_FOUND),
        advice(response(404)),
        advice(response(300)),
        advice(
          { ...response(307), redirectOrigin: "https://else.example" } as HttpOutcome,
          fromEnvironment,
        ),
        advice(response(401)),
        advice(response(401), fromEnvironment),
        advice(response(403)),
        ...[402, 409, 422].map((status) => advice(response(status)).slice(-103)),
        advice(response(400)),
        advice(response(429)),
      ],
      `
      > HTTPS_PROXY or HTTP_PROXY holds no usable URL: set it to one such as "http://proxy.example.com:3128".
      > Run the command again.
      ${network}
      ${network}
      > The address is on this machine: check that the service is running there, and dbwebhooks:baseUrl, then run the command again.
      > The service gives this answer both when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.
      > ${wrongHost}
      > It redirects elsewhere, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.
      > It redirects to https://else.example, and the API key is not sent there: set dbwebhooks:baseUrl (set by DBWEBHOOKS_BASE_URL) to the address of the service itself.
      > The service does not accept the API key. ${setKey}
      > The service does not accept the API key. Check the API key: DBWEBHOOKS_API_KEY sets it.
      > The API key may not do this. ${setKey}${limitHint}
      ${limitHint.slice(-103)}
      ${limitHint.slice(-103)}
      ${limitHint.slice(-103)}
      > The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.
      > Run the command again later.
    `,
    );
  });

  it("about what to do after a creation in doubt, and what became of it", () => {
    const may = "A webhook may exist in database base_abc123 without a stored secret.";
    const look = `${may} Look there for an unmanaged webhook to a receiver on https://a.example, and delete it. Then run "pulumi up" again.`;
    const advice = (ids: readonly string[], isWhole = false, outcome: HttpOutcome = unsent) =>
      say.inDoubtAdvice({ ids, isWhole }, webhook, callOf(outcome));
    const listed = (ids: string) =>
      `${may} The service lists webhooks with the same url, events and table that this run does not know: ${ids}. Another creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again.`;
    const failed = "Create webhook in database base_abc123 failed: ";
    const incomplete = `${failed}the service created webhook 17 but sent no usable secret.`;
    const unstored = `${failed}Pulumi stopped while the service created webhook 17.`;
    const byHand =
      "Pulumi has not stored it: delete it by hand. It could not be deleted at once: WHY";
    pin(
      [
        advice([]),
        advice([], false, response(409)),
        advice([], true),
        advice(["1", "2", "3", "4", "5"], true),
        advice(["1", "2", "3", "4", "5", "6"]),
        say.undoneIncompleteText("base_abc123", "17"),
        say.partialText("base_abc123", "17", "WHY"),
        say.undoneUnstoredText("base_abc123", "17"),
        say.leftBehindText("base_abc123", "17", true, "WHY"),
        say.leftBehindText("base_abc123", "17", false, "WHY"),
      ],
      `
      ${look}
      ${look}${limitHint}
      The service lists no such webhook now, but it may still appear. ${look}
      ${listed("1, 2, 3, 4, 5")}
      ${listed("1, 2, 3, 4, 5 and 1 more")}
      ${incomplete} It was deleted again. Run "pulumi up" again; if this comes back, check that dbwebhooks:baseUrl is the service itself.
      ${incomplete} It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: WHY
      ${unstored} It was deleted again.
      ${unstored} ${byHand}
      ${incomplete} ${byHand}
    `,
    );
  });

  it("about a deletion", () => {
    const url = new URL(`${settings.baseUrl}/api/v1/bases/b/webhooks/17`);
    const advice = (outcome: HttpOutcome, more: Partial<FailedCall> = {}) =>
      say.notDeletedAdvice(
        settings,
        callOf(outcome, { request: { ...someRequest, url }, ...more }),
        isStopping,
      );
    const elsewhere = { request: { ...someRequest, url: new URL("https://old.example/api/v1/x") } };
    const there =
      'The webhook was created there, and dbwebhooks:baseUrl is https://tables.example.com: the API key may not be valid at both. Set DBWEBHOOKS_BASE_URL and DBWEBHOOKS_API_KEY for this command to those of that service, or delete the webhook by hand and remove it with "pulumi state delete".';
    pin(
      [
        advice(unsent),
        advice(response(401), elsewhere),
        advice(response(403), elsewhere),
        advice(response(404), elsewhere),
        advice(response(500), elsewhere),
        advice(response(404)),
        advice(response(200), { lacks: "confirmation" }),
        advice(response(401)),
        say.elsewhereText(operation, settings, "https://old.example"),
        say.absentLine(name),
        say.keptLine(name, true),
        say.keptLine(name, false),
        say.sharedLine(name, ["a", "b"]),
      ],
      `
      Run the command again.
      ${there}
      ${there}
      ${there}
      Run the command again later.
      ${wrongHost}
      ${wrongHost}
      The service does not accept the API key. ${setKey}
      Delete ${name} failed: its state says that it was created at https://old.example, and dbwebhooks:baseUrl is https://tables.example.com. Nothing was sent, and the webhook stays in the state. If the same service has moved, add https://old.example to dbwebhooks:formerBaseUrls (DBWEBHOOKS_FORMER_BASE_URLS). If it is another service that this API key may be sent to, add it to dbwebhooks:otherBaseUrls (DBWEBHOOKS_OTHER_BASE_URLS). "pulumi destroy" and "pulumi refresh" read the environment.
      The service did not have ${name} any more, and it is removed from the state. A key without access to the database gets the same answer: if this is possible here, look at the service.
      Kept ${name}: the argument adopt of the program names it. It was not deleted, and its secret is the same. Remove adopt before you replace it.
      Kept ${name}: another resource of this program may have it, because this run has found it unchanged. It was not deleted, and its secret is the same. If no other resource has it, delete it by hand.
      Two resources manage ${name}: a and b. Remove one of them from the program, and from the state with "pulumi state delete", which deletes no webhook. Do not use --target before.
    `,
    );
  });

  it("about a replacement, a look-up and an adoption", () => {
    const others = someSettings({ otherBaseUrls: ["https://old.example"] });
    const moved =
      "(if the same service has moved, set dbwebhooks:formerBaseUrls to the former address";
    const unknown = someArgs({ adopt: { id: 17, secret: "other" } });
    pin(
      [
        say.nameOfWebhook("17", undefined),
        say.replacementLine(name, "url changes"),
        say.importedOtherwiseLine(name, "url changes"),
        say.baseUrlReason(settings, undefined),
        say.baseUrlReason(others, "https://old.example"),
        say.baseUrlReason(settings, "https://old.example"),
        say.unknownText(operation, settings, undefined),
        say.unknownText(operation, settings, callOf(response(500))),
        say.driftLine(name, ["url", "events"]),
        say.goneLine(name),
        say.inactiveLine(name),
        say.notLookedUpLine("b", "WHY"),
        adoptionHint(unknown),
        adoptedSecretHint("17", someState(), unknown),
        adoptionConflict(name, [{ property: "url", reason: "url changes" }]).message,
        sharedWithAdoption(name).message,
      ],
      `
      webhook 17 of database ?
      Replacing ${name}: url changes. Its secret will change. The old webhook and its secret keep working until the end of the update; with deleteBeforeReplace they are deleted first. With retainOnDelete they stay, if an earlier "pulumi up" has stored that option.
      The program does not declare ${name} as the service has it: url changes. Pulumi does not replace what it imports. Declare it as it is there, and change it after the import.
      dbwebhooks:baseUrl changes to https://tables.example.com ${moved})
      dbwebhooks:baseUrl changes from https://old.example to https://tables.example.com ${moved})
      dbwebhooks:baseUrl changes from https://old.example to https://tables.example.com ${moved}; to delete the old webhook, add https://old.example to dbwebhooks:otherBaseUrls)
      the service does not list it, but may have listed only a part of its webhooks.
      it could not be looked up: POST https://tables.example.com/somewhere answered 500.
      Drift of ${name}: url, events. The next "pulumi up" replaces it, with a new secret, unless the program then declares the same.
      The service no longer has ${name}. The next "pulumi up" creates a new one, with a new secret.
      The service has switched off ${name}: it sends no notifications.
      Not all webhooks of database b could be looked up: WHY. The state of those that were not found stays as it is.
      Adopting ${name}: no webhook is created, and the service changes nothing.
      The argument adopt.secret of ${name} is not the secret that the state holds, which stays in force. Remove adopt. To use the other secret, remove the webhook with "pulumi state delete" and run "pulumi up" again.
      Replace ${name} failed: its argument adopt names the same webhook (url changes). Nothing was changed. Remove adopt from the program; the next "pulumi up" then replaces the webhook, with a new secret. [conflict]
      Compare ${name} failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook. [conflict]
    `,
    );
  });
});

/** What a provider says that gets this list. */
async function listing(webhooks: unknown, more: Record<string, string> = {}, secret = "whsec_1") {
  const server = await startServer({ body: webhooks });
  const { provider, notify, lines } = someProvider(
    { baseUrl: server.url, listing: "true", ...more },
    undefined,
    { DBWEBHOOKS_IMPORT_SECRET: secret },
  );
  const text = (promise: Promise<unknown>) =>
    errorOf(promise)
      .then(({ message }) => message.replaceAll(server.url, "S"))
      .finally(() => server[Symbol.asyncDispose]());
  return { provider, notify, lines, text };
}

describe("every sentence of an operation", () => {
  const listed = { ...someArgs(), id: 17, tableIds: null, active: true };

  it("that lacks arguments, an address or settings, or that is broken", async () => {
    const { provider, notify } = someProvider();
    const bare = someProvider({ apiKey: undefined, listing: "yes" });
    const get = () => {
      throw new Error("odd");
    };
    const source = { get, isExplicit: () => false, environment: {} };
    const broken = new WebhookProvider(source, bare.engine);
    const message = async (promise: Promise<unknown>) => (await errorOf(promise)).message;
    pin(
      [
        await message(provider.create(someArgs({ url: undefined }), notify)),
        await message(
          provider.create(someArgs({ url: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }), notify),
        ),
        await message(provider.delete("17", {}, notify)),
        await message(bare.provider.create(someArgs(), notify)),
        await message(bare.provider.delete("17", someState(), notify)),
        await message(broken.create(someArgs(), notify)),
      ],
      `
      Create webhook failed: url: must be the URL of the receiver, such as "https://example.com/hooks". Nothing was sent. Run "pulumi up" again. [notCreated]
      Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again. [notCreated]
      Delete webhook 17 failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent, and the webhook stays in the state. Delete the webhook by hand, then remove it with "pulumi state delete". [kept]
      Create webhook failed: dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. Nothing was sent. [notCreated]
      Delete ${name} failed: dbwebhooks:apiKey: is not set; set DBWEBHOOKS_API_KEY. dbwebhooks:listing: must be true or false. The webhook stays in the state. "pulumi destroy" uses the environment and the configuration of the last "pulumi up". Or set the values with "pulumi config set", and run "pulumi destroy --run-program". Nothing was sent. [kept]
      Create webhook in database base_abc123 failed unexpectedly (odd). This is a fault of pulumi-dbwebhooks: look at the service before you run the command again, and report the fault. [fault]
    `,
    );
  });

  it.each([
    [
      { webhooks: [] },
      {},
      "the service does not list it. Check adopt.id, databaseId and dbwebhooks:baseUrl; if it is gone, remove adopt to create a new one.",
    ],
    [
      { webhooks: [{ ...listed, url: "https://else.example" }] },
      {},
      "the service has it with another url. Declare it as it is there, and change it afterwards.",
    ],
    [
      { webhooks: [], more: 1 },
      {},
      "the service does not list it, but may have listed only a part of its webhooks. To adopt it without a lookup, set dbwebhooks:listing to false.",
    ],
  ])("that adopts with the list %j", async (list, more, problem) => {
    const { provider, notify, text } = await listing(list, more);
    const adopt = { id: 17, secret: "whsec_1" };
    expect(await text(provider.create(someArgs({ adopt }), notify))).toBe(
      `Adopt ${name} failed: ${problem} Nothing was changed. [notAdopted]`,
    );
  });

  it("that adopts what is managed, or deleted", async () => {
    const { provider, notify, lines } = someProvider();
    const adopt = someArgs({ adopt: { id: 17, secret: "whsec_1" } });
    await provider.create(adopt, notify);
    await using server = await startServer({});
    const other = someProvider({ baseUrl: server.url });
    await other.provider.delete("17", someState({ baseUrl: server.url }), notify);
    const failed = `Adopt ${name} failed: `;
    pin(
      [
        lines[0]?.line,
        (await errorOf(provider.create(adopt, notify))).message,
        (await errorOf(other.provider.create(adopt, notify))).message,
      ],
      `
      This stack manages ${name} from now on. It was not changed and was not looked up (dbwebhooks:listing is off).
      ${failed}this program manages it already. Remove adopt, or the other resource that manages it. Nothing was changed. [notAdopted]
      ${failed}it was deleted in this run, to be replaced. Remove adopt from the program and run "pulumi up" again: that creates a new webhook. Nothing was changed. [notAdopted]
    `,
    );
  });

  const set =
    'Set it to the secret alone, or, for several webhooks, to a JSON object such as {"base_abc123/17":"whsec_…"}.';
  it.each([
    [
      { webhooks: [] },
      {},
      "whsec_1",
      false,
      "the service does not list it. Check the id, which is DATABASE/NUMBER, and dbwebhooks:baseUrl.",
    ],
    [
      { webhooks: [] },
      {},
      "",
      false,
      `DBWEBHOOKS_IMPORT_SECRET is not set, and the service does not show the secret again. ${set}`,
    ],
    [
      { webhooks: [] },
      {},
      "null",
      true,
      `DBWEBHOOKS_IMPORT_SECRET holds JSON that is not an object of secrets. ${set}`,
    ],
    [
      { webhooks: [] },
      { listing: "false" },
      "{}",
      true,
      `dbwebhooks:listing is off, and only the service's list shows its url, events and table. Set DBWEBHOOKS_LISTING=true. DBWEBHOOKS_IMPORT_SECRET holds no usable secret for it. ${set}`,
    ],
    [
      { webhooks: [{ ...listed, tableIds: ["a", "b"] }] },
      {},
      "whsec_1",
      false,
      "it selects several tables, and a resource can declare one or all.",
    ],
    [
      {},
      {},
      "whsec_1",
      false,
      "it could not be looked up: GET S/api/v1/bases/base_abc123/webhooks answered 200 with something other than a list of webhooks.",
    ],
  ])(
    "that imports with the list %j, %j and the secret %j",
    async (list, more, secret, isOnlyRead, problem) => {
      const { provider, notify, text } = await listing(list, more, secret);
      const hint = isOnlyRead
        ? "A stack that manages the webhook can export its secret for a StackReference."
        : "The argument adopt takes over a webhook without an import.";
      expect(await text(provider.import("17", "base_abc123", notify, { isOnlyRead }))).toBe(
        `${isOnlyRead ? "Get" : "Import"} ${name} failed: ${problem} ${hint} Nothing was changed. [notImported]`,
      );
    },
  );

  it("that imports two webhooks with one secret", async () => {
    await using server = await startServer({ body: { webhooks: [listed, { ...listed, id: 18 }] } });
    const { provider, notify, lines } = someProvider(
      { baseUrl: server.url, listing: "true" },
      undefined,
      { DBWEBHOOKS_IMPORT_SECRET: "whsec_1" },
    );
    await provider.import("17", "base_abc123", notify);
    await provider.import("18", "base_abc123", notify);
    expect(lines).toEqual([
      {
        severity: "warning",
        line: `DBWEBHOOKS_IMPORT_SECRET holds one secret, and it is stored for ${name} and for ${name.replace("17", "18")}. If they have different secrets, set it to a JSON object of secrets by DATABASE/NUMBER, and import again.`,
      },
    ]);
  });
});

describe("README", () => {
  it("quotes errors that docs/troubleshooting.md explains", () => {
    const errors = rowsOf(readPage("README.md")).filter(({ head }) => head[0] === "it says");
    const quotes = errors.flatMap(({ cells }) => codeSpans(cells[0] ?? ""));

    const page = readPage("docs/troubleshooting.md");
    expect(quotes.length).toBeGreaterThan(4);
    expect(quotes.filter((quote) => !page.includes(quote))).toEqual([]);
  });
});
