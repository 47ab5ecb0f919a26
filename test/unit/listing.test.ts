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

const startListing = (responses: StubResponse | readonly StubResponse[], settings = {}) =>
  startWithService(responses, { listing: "true", ...settings });
/** Webhooks that differ from webhook 17 only in their ids. */
const webhooksWithOtherIds = (count: number) =>
  Array.from({ length: count }, (_, at) => listed({ id: 100 + at }));
/** A list of one webhook, whose url in JSON is this escape sequence. */
const listWithUrl = (escapeSequence: string): StubResponse => ({
  body: JSON.stringify(listOf(listed({ id: 1, url: "?" })).body).replace("?", escapeSequence),
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
    ["both urls mean the same", { url: "https://a.b/" }, { url: "https://A.b:443" }],
    ["neither url is valid, and both are equal", { url: "none" }, { url: "none" }],
  ])("reports no drift when %s", async (_case, entry, stored) => {
    const { read, state, lines } = await startListing(listOf(listed(entry)));

    const refreshed = await read("17", { ...state, ...stored });

    expect(refreshed?.properties).toMatchObject(stored);
    expect(lines).toEqual([]);
  });

  it.each<[string, entry: object, stored: object, drift: object]>([
    ["another url", { url: "https://b.example/" }, {}, { url: "https://b.example/" }],
    ["an invalid url", { url: "none" }, {}, { url: "none" }],
    ["other events", { events: ["z", "a", "z"] }, {}, { events: ["a", "z"] }],
    ["a table", { tableIds: ["t1"] }, {}, { tableId: "t1" }],
    ["several tables", { tableIds: ["t1", "t2"] }, { tableId: "t1" }, { tableId: "t1, t2" }],
    ["no table", {}, { tableId: "t1" }, {}],
    ["that the webhook is switched off", { active: false }, {}, {}],
  ])("stores what the service has, and warns: %s", async (_case, entry, stored, drift) => {
    const { read, state, lines } = await startListing(listOf(listed(entry)));

    const refreshed = await read("17", { ...state, ...stored });

    expect(refreshed?.properties).toStrictEqual({ ...state, ...drift, secret: secretEnvelope });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it("finds a webhook in an incomplete list", async () => {
    const webhooks = [...webhooksWithOtherIds(3), listed({ url: "https://b.example/" })];
    const { read, state } = await startListing({ body: { webhooks, next: 1 } });

    const refreshed = await read("17", state);

    expect(refreshed?.properties).toMatchObject({ url: "https://b.example/" });
  });

  it.each<[string, list: StubResponse]>([
    ["many other webhooks", listOf(...webhooksWithOtherIds(100))],
    ["no webhooks and success: true", { body: { webhooks: [], success: true } }],
    ["an entry with a new field", listOf({ ...listed({ id: 1 }), createdAt: 1 })],
  ])("removes the webhook from the state, and warns, when the list holds %s", async (_, list) => {
    const { read, state, lines } = await startListing(list);

    expect(await read("17", state)).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it.each<[string, list: StubResponse]>([
    ["has a next page", { body: { webhooks: [], nextCursor: "x" } }],
    ["has a further field without a value", { body: { webhooks: [], requestId: null } }],
    ["has success: false", { body: { webhooks: [], success: false } }],
    ["has status 206", { ...listOf(), statusCode: 206 }],
    ["has a Link header", { ...listOf(), headers: { link: '</x>; rel="next"' } }],
    ["is forbidden", { statusCode: 403, body: errorBody("FORBIDDEN") }],
    ["is not found", { statusCode: 404, body: errorBody("NOT_FOUND") }],
    ["is HTML", { body: "<html>" }],
    ["has no body", {}],
    ["has no field webhooks", { body: { items: [] } }],
    ["holds an entry without an id", listOf({ ...listed(), id: undefined })],
    ["holds an entry with nothing but an id", listOf({ id: 17 })],
    ["holds the id twice", listOf(listed(), listed({ id: "17", active: false }))],
    ["holds a lone surrogate", listWithUrl("\\ud800")],
    ["holds a line break", listWithUrl("\\n")],
    ["holds a C1 control character", listWithUrl("\\u009b")],
    ["holds a bidirectional override", listWithUrl("\\u202e")],
    ["holds a line separator", listWithUrl("\\u2028")],
    ["holds a paragraph separator", listWithUrl("\\u2029")],
    ["holds a zero-width space", listWithUrl("\\u200b")],
    ["holds a bidirectional isolate in an event", listOf(listed({ id: 1, events: ["\u2066"] }))],
    ["holds a bidirectional mark in a table", listOf(listed({ id: 1, tableIds: ["\u061c"] }))],
    ["is longer than 1 MiB", { body: " ".repeat(1_100_000) }],
  ])("keeps the state and warns once when the list %s", async (_case, list) => {
    const { read, state, lines } = await startListing(list);

    const first = await read("17", state);
    const second = await read("17", state);

    expect(first?.properties).toEqual({ ...state, secret: secretEnvelope });
    expect(second).toEqual(first);
    expect(lines).toEqual([expect.stringMatching(/^warning: /)]);
  });

  it("warns about each database that it cannot look up", async () => {
    const { read, state, lines } = await startListing({ statusCode: 403 });

    await read("17", state);
    await read("17", { ...state, databaseId: "base_other" });

    expect(lines).toHaveLength(2);
  });

  // Nothing is sent to a former base URL, so it may use http.
  const formerBaseUrl = "http://former.example.com/eu";

  it("looks a webhook up at the current base URL if it was created at a former one", async () => {
    const settings = { formerBaseUrls: formerBaseUrl };
    const { read, state, methods, lines } = await startListing(listOf(listed()), settings);

    const refreshed = await read("17", { ...state, baseUrl: formerBaseUrl });

    expect(refreshed?.properties).toMatchObject({ baseUrl: formerBaseUrl });
    expect(methods()).toEqual(["GET"]);
    expect(lines).toEqual([]);
  });

  it("sends nothing and warns about a webhook of another base URL", async () => {
    const { read, state, methods, lines } = await startListing(listOf(listed()));

    const refreshed = await read("17", { ...state, baseUrl: formerBaseUrl });

    expect(refreshed?.properties).toMatchObject({ baseUrl: formerBaseUrl });
    expect(methods()).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(`^warning: .*${formerBaseUrl}`)]);
  });
});

describe("A refresh after the service has undone a drift that the state holds", () => {
  it.each([
    ["says that the drift is undone if it gets the arguments", someArgs(), /is undone/],
    ["reports drift from the state if it gets none", undefined, /: url\. /],
  ])("%s", async (_fact, declared, text) => {
    const { read, state, lines } = await startListing(listOf(listed()));

    await read("17", { ...state, url: "https://drifted.example/" }, { declared });

    expect(lines).toEqual([expect.stringMatching(text)]);
  });
});

/** A webhook as a creation in doubt may have left it. */
const orphan = listed({ id: "7000099" });

describe("The lookup after a creation in doubt", () => {
  function lookUp({ statusCode = 200, body }: StubResponse) {
    const outcome = response(statusCode, undefined, body);
    const sendRequest = async () => ({ outcome, earlierOutcomes: [], elapsedMs: 0 });
    const context = someContext(someOperation(), someSettings({ listing: true }));
    const webhook = someArgs() as unknown as WebhookInputs;

    return lookForOrphans({ ...context, transport: { sendRequest } }, webhook);
  }

  it.each<[string, list: StubResponse, ids: readonly string[]]>([
    ["an equal webhook", listOf(orphan), ["7000099"]],
    ["two equal webhooks", listOf(...webhooksWithOtherIds(2)), ["100", "101"]],
    ["another url", listOf({ ...orphan, url: "https://b.example/" }), []],
    ["other events", listOf({ ...orphan, events: ["record.created"] }), []],
    ["another table", listOf({ ...orphan, tableIds: ["t"] }), []],
  ])("finds the orphans in a complete list with %s", async (_case, list, ids) => {
    expect(await lookUp(list)).toEqual({ ids, isComplete: true });
  });

  it.each<[string, list: StubResponse, ids: readonly string[]]>([
    ["an incomplete list", { body: { webhooks: [orphan], next: 1 } }, ["7000099"]],
    ["an empty incomplete list", { body: { webhooks: [], next: 1 } }, []],
    ["an error", { statusCode: 403 }, []],
  ])("says that there may be further orphans after %s", async (_case, list, ids) => {
    expect(await lookUp(list)).toEqual({ ids, isComplete: false });
  });
});

describe("A creation in doubt, with listing", () => {
  const internalError: StubResponse = { statusCode: 500 };
  const id = "7000099";

  type Provider = Awaited<ReturnType<typeof startListing>>;
  it.each<[string, StubResponse[], (provider: Provider) => Promise<unknown>]>([
    ["compared", [], ({ diff, state }) => diff(id, state, someArgs())],
    ["adopted", [listOf(orphan)], ({ create }) => create(someArgs({ adopt: { id, secret } }))],
    ["deleted", [{}], (provider) => provider.delete(id, provider.state)],
    ["created", [{ body: { id, secret } }], ({ create }) => create(someArgs())],
  ])("does not name a webhook that the provider has %s before", async (_case, responses, act) => {
    const provider = await startListing([...responses, internalError, listOf(orphan)]);
    await act(provider);

    const { message } = await errorOf(provider.create(someArgs()));

    expect(message).not.toContain(id);
    expect(provider.methods().at(-1)).toBe("GET");
  });

  it("names an orphan that was created after the list of a refresh", async () => {
    const provider = await startListing([listOf(), internalError, listOf(orphan)]);
    await provider.read("17", provider.state);

    const { message } = await errorOf(provider.create(someArgs()));

    expect(message).toContain(id);
  });

  it.each([
    { request: "the creation", stopsAt: 1 },
    { request: "the lookup", stopsAt: 2 },
  ])("waits for no list when Pulumi stops during $request", async ({ stopsAt }) => {
    const engine = new EngineMonitor(undefined, () => {});
    // The creation gets a 500, and the lookup gets no response.
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
    const { create } = startProvider(settings, { engine });

    await expect(create(someArgs())).rejects.toMatchObject({ kind: "inDoubt" });
    expect(server.requests).toHaveLength(stopsAt);
  });

  it("names an orphan although its deadline has passed, and deletes nothing", async () => {
    const body = JSON.stringify(listOf(orphan).body);
    const engine = new EngineMonitor(undefined, () => {});
    await using server = await startRawServer((socket) => {
      if (server.requests.length === 2) {
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      }
    });
    const { create } = startProvider({ baseUrl: server.url, listing: "true" }, { engine });

    const error = await errorOf(create(someArgs(), { timeoutSeconds: 0.3 }));

    expect(error).toMatchObject({ kind: "inDoubt", message: expect.stringContaining(id) });
    expect(server.requests.map((request) => request.split(" ")[0])).toEqual(["POST", "GET"]);
    // The wait for a stop has ended too.
    expect(getEventListeners(engine.stopping, "abort")).toEqual([]);
  });
});
