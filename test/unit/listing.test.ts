import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { WebhookInputs } from "../../src/provider/arguments.js";
import { EngineMonitor } from "../../src/provider/engine.js";
import { lookForOrphans } from "../../src/provider/lookup.js";
import {
  apiKey,
  errorBody,
  listed,
  listOf,
  secret,
  secretEnvelope,
  someArgs,
  someContext,
  someOperation,
  someSettings,
} from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { type StubResponse, startRawServer } from "../helpers/http-server.js";
import { startProvider } from "../helpers/provider.js";
import { startWithService } from "../helpers/provider-with-service.js";
import { response } from "../helpers/transport.js";

const startListing = (answers: StubResponse | readonly StubResponse[], settings = {}) =>
  startWithService(answers, { listing: "true", ...settings });
const otherWebhooks = (count: number) =>
  Array.from({ length: count }, (_, at) => listed({ id: 100 + at }));
/** A list of another webhook, whose url is a character that JSON escapes so. */
const listWithUrl = (escaped: string): StubResponse => ({
  body: JSON.stringify(listOf(listed({ id: 1, url: "?" })).body).replace("?", escaped),
});

describe("A refresh with listing", () => {
  it("requests the list of each database once, with the key", async () => {
    const { read, state, requests } = await startListing(listOf(listed(), listed({ id: 18 })));

    await Promise.all([read("17", state), read("18", state)]);
    await read("17", { ...state, databaseId: "base_other" });

    const get = { method: "GET", headers: { authorization: `Bearer ${apiKey}` }, body: "" };
    expect(requests).toMatchObject([
      { ...get, path: "/eu/api/v1/bases/base_abc123/webhooks" },
      { ...get, path: "/eu/api/v1/bases/base_other/webhooks" },
    ]);
  });

  it.each([
    ["the service has an empty list of tables", { tableIds: [] }, {}],
    ["the url is spelled in another way", { url: "https://a.b/" }, { url: "https://A.b:443" }],
    ["neither url is one", { url: "none" }, { url: "none" }],
  ])("reports no drift when %s", async (_case, entry, stored) => {
    const { read, state, lines } = await startListing(listOf(listed(entry)));

    const refreshed = await read("17", { ...state, ...stored });

    expect(refreshed?.properties).toMatchObject(stored);
    expect(lines).toEqual([]);
  });

  it.each([
    ["another url", { url: "https://b.example/" }, {}, { url: "https://b.example/" }],
    ["no URL", { url: "none" }, {}, { url: "none" }],
    ["other events", { events: ["z", "a", "z"] }, {}, { events: ["a", "z"] }],
    ["a table", { tableIds: ["t1"] }, {}, { tableId: "t1" }],
    ["several tables", { tableIds: ["t1", "t2"] }, { tableId: "t1" }, { tableId: "t1, t2" }],
    ["no table", {}, { tableId: "t1" }, {}],
  ])("stores what the service has, and warns: %s", async (_case, entry, stored, drift) => {
    const { read, state, lines } = await startListing(listOf(listed(entry)));

    const refreshed = await read("17", { ...state, ...stored });

    expect(refreshed?.properties).toStrictEqual({ ...state, ...drift, secret: secretEnvelope });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it("finds a webhook in an incomplete list", async () => {
    const webhooks = [...otherWebhooks(3), listed({ url: "https://b.example/" })];
    const { read, state } = await startListing({ body: { webhooks, next: 1 } });

    const refreshed = await read("17", state);

    expect(refreshed?.properties).toMatchObject({ url: "https://b.example/" });
  });

  it("warns that the service has switched a webhook off", async () => {
    const { read, state, lines } = await startListing(listOf(listed({ active: false })));

    const refreshed = await read("17", state);

    expect(refreshed?.properties).toStrictEqual({ ...state, secret: secretEnvelope });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it.each<[string, StubResponse]>([
    ["many other webhooks", listOf(...otherWebhooks(100))],
    ["no webhooks and success: true", { body: { webhooks: [], success: true } }],
    ["an entry with a new field", listOf({ ...listed({ id: 1 }), createdAt: 1 })],
  ])("removes the webhook from the state, and warns, when the list holds %s", async (_, answer) => {
    const { read, state, lines } = await startListing(answer);

    expect(await read("17", state)).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it.each<[string, StubResponse]>([
    ["has a next page", { body: { webhooks: [], nextCursor: "x" } }],
    ["has a further field without a value", { body: { webhooks: [], requestId: null } }],
    ["has success: false", { body: { webhooks: [], success: false } }],
    ["has status 206", { ...listOf(), statusCode: 206 }],
    ["has a Link header", { ...listOf(), headers: { link: '</x>; rel="next"' } }],
    ["is forbidden", { statusCode: 403, body: errorBody("FORBIDDEN") }],
    ["is not found", { statusCode: 404, body: errorBody("NOT_FOUND") }],
    ["is HTML", { body: "<html>" }],
    ["is empty", {}],
    ["holds no webhooks", { body: { items: [] } }],
    ["holds an entry without an id", listOf({ ...listed(), id: undefined })],
    ["holds an entry with nothing but an id", listOf({ id: 17 })],
    ["holds the id twice", listOf(listed(), listed({ id: "17", active: false }))],
    ...["\\ud800", "\\n", "\\u009b", "\\u202e", "\\u2028", "\\u2029", "\\u200b"].map(
      (character): [string, StubResponse] => [`holds ${character}`, listWithUrl(character)],
    ),
    ["holds a bidirectional isolate in an event", listOf(listed({ id: 1, events: ["\u2066"] }))],
    ["holds a bidirectional mark in a table", listOf(listed({ id: 1, tableIds: ["\u061c"] }))],
    ["is longer than 1 MiB", { body: " ".repeat(1_100_000) }],
  ])("keeps the state and warns once when the list %s", async (_case, answer) => {
    const { read, state, lines } = await startListing(answer);

    const first = await read("17", state);
    const second = await read("17", state);

    expect(first?.properties).toEqual({ ...state, secret: secretEnvelope });
    expect(second).toEqual(first);
    expect(lines).toEqual([expect.stringMatching(/^warning: /)]);
  });

  // Nothing is sent to a former base URL, so it may be without encryption.
  const formerBaseUrl = "http://former.example.com/eu";

  it("looks up at today's base URL what was created at a former one", async () => {
    const settings = { formerBaseUrls: formerBaseUrl };
    const { read, state, methods, lines } = await startListing(listOf(listed()), settings);

    const refreshed = await read("17", { ...state, baseUrl: formerBaseUrl });

    expect(refreshed?.properties).toMatchObject({ baseUrl: formerBaseUrl });
    expect(methods()).toEqual(["GET"]);
    expect(lines).toEqual([]);
  });

  it("sends nothing and warns about a webhook that was created elsewhere", async () => {
    const { read, state, methods, lines } = await startListing(listOf(listed()));

    const refreshed = await read("17", { ...state, baseUrl: formerBaseUrl });

    expect(refreshed?.properties).toMatchObject({ baseUrl: formerBaseUrl });
    expect(methods()).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(`^warning: .*${formerBaseUrl}`)]);
  });
});

describe("A refresh of a webhook whose drift was stored and then undone at the service", () => {
  it.each([
    ["says that, where Pulumi gives the declared arguments", someArgs(), /is undone/],
    ["reports drift from the state, where Pulumi does not", undefined, /: url\. /],
  ])("%s", async (_fact, declared, words) => {
    const { read, state, lines } = await startListing(listOf(listed()));

    await read("17", { ...state, url: "https://drifted.example/" }, { declared });

    expect(lines).toEqual([expect.stringMatching(words)]);
  });
});

const leftover = listed({ id: "7000099" });

describe("The lookup after a creation in doubt", () => {
  it.each<[string, readonly string[], boolean, StubResponse]>([
    ["a list with such a webhook", ["7000099"], true, listOf(leftover)],
    ["a list with two of them", ["100", "101"], true, listOf(...otherWebhooks(2))],
    ["a list with another url", [], true, listOf({ ...leftover, url: "https://b.example/" })],
    ["a list with other events", [], true, listOf({ ...leftover, events: ["record.created"] })],
    ["a list with another table", [], true, listOf({ ...leftover, tableIds: ["t"] })],
    ["a part of a list", ["7000099"], false, { body: { webhooks: [leftover], next: 1 } }],
    ["an empty part of a list", [], false, { body: { webhooks: [], next: 1 } }],
    ["a refused list", [], false, { statusCode: 403 }],
  ])("finds in %s the webhooks %j (complete: %s)", async (_case, ids, isComplete, answer) => {
    const outcome = response(answer.statusCode ?? 200, undefined, answer.body);
    const sendRequest = async () => ({ outcome, earlierOutcomes: [], elapsedMs: 0 });
    const context = someContext(someOperation(), someSettings({ listing: true }));
    const { databaseId, url, events } = someArgs() as unknown as WebhookInputs;
    const listing = { ...context, transport: { sendRequest } };

    const leftovers = await lookForOrphans(listing, { databaseId, url, events });

    expect(leftovers).toEqual({ ids, isComplete });
  });
});

describe("A creation in doubt, with listing", () => {
  const doubtful: StubResponse = { statusCode: 500 };
  const id = "7000099";

  it("names such a webhook in the list and deletes nothing", async () => {
    const { create, methods } = await startListing([doubtful, listOf(leftover)]);

    const error = await errorOf(create(someArgs()));

    expect(error).toMatchObject({ kind: "inDoubt", message: expect.stringContaining(id) });
    expect(methods()).toEqual(["POST", "GET"]);
  });

  type Run = Awaited<ReturnType<typeof startListing>>;
  it.each<[string, StubResponse[], (run: Run) => Promise<unknown>]>([
    ["compared", [], ({ diff, state }) => diff(id, state, someArgs())],
    ["adopted", [listOf(leftover)], ({ create }) => create(someArgs({ adopt: { id, secret } }))],
    ["deleted", [{}], (run) => run.delete(id, run.state)],
    ["created", [{ body: { id, secret } }], ({ create }) => create(someArgs())],
  ])("does not name a webhook that this run has %s", async (_case, answers, seeWebhook) => {
    const run = await startListing([...answers, doubtful, listOf(leftover)]);
    await seeWebhook(run);

    const { message } = await errorOf(run.create(someArgs()));

    expect(message).not.toContain(id);
    expect(run.methods().at(-1)).toBe("GET");
  });

  it.each([
    ["the creation", 1],
    ["the lookup", 2],
  ])("waits for no list when Pulumi stops during %s", async (_case, stopsAt) => {
    const engine = new EngineMonitor(undefined, () => {});
    await using server = await startRawServer((socket) => {
      if (server.requests.length === stopsAt) {
        engine.stopSending();
      }
      if (server.requests.length === 1) {
        socket.end("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
      }
    });
    // Only the stop can end the lookup: its timeout is longer than that of the test.
    const settings = { baseUrl: server.url, listing: "true", timeoutSeconds: "3600" };
    const { create } = startProvider(settings, engine);

    await expect(create(someArgs())).rejects.toMatchObject({ kind: "inDoubt" });
    expect(server.requests).toHaveLength(stopsAt);
  });

  it("requests the list after its own timeout, and leaves no listener behind", async () => {
    const body = JSON.stringify(listOf(leftover).body);
    const engine = new EngineMonitor(undefined, () => {});
    await using server = await startRawServer((socket) => {
      if (server.requests.length === 2) {
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      }
    });
    const { create } = startProvider({ baseUrl: server.url, listing: "true" }, engine);

    const error = await errorOf(create(someArgs(), { timeoutSeconds: 0.3 }));

    expect(error).toMatchObject({ kind: "inDoubt", message: expect.stringContaining(id) });
    expect(getEventListeners(engine.stopping, "abort")).toEqual([]);
  });
});
