import { getEventListeners } from "node:events";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { Ledger } from "../../src/core/ledger.ts";
import { lookForLeftovers } from "../../src/core/leftover.ts";
import type { Properties } from "../../src/core/values.ts";
import { check, create, delete as deleteWebhook, diff, read } from "../../src/dynamic/provider.ts";
import { unmanagedAdvice } from "../../src/service/advice.ts";
import { listWebhooks } from "../../src/service/client.ts";
import { createTransport } from "../../src/service/transport.ts";
import {
  secret,
  secretEnvelope,
  someArgs,
  someOperation,
  someSettings,
  someState,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import {
  type Answer,
  startRawServer,
  startServer,
  type TestServer,
} from "../helpers/http-server.ts";
import { outcomeOf } from "../helpers/outcome-of.ts";
import { captureLines, configure } from "../helpers/provider.ts";
import { fakeTransport, response, restoreWorld, settled } from "../helpers/transport.ts";

const { url } = someArgs();
const events = ["record.updated", "record.created"];

/** An entry of the list: webhook 17 as the state has it. */
const listed = (changes: object = {}) => ({
  id: 17,
  url,
  events,
  tableIds: null,
  active: true,
  ...changes,
});
const listOf = (...webhooks: object[]): Answer => ({ body: { webhooks } });
const others = (count: number) =>
  Array.from({ length: count }, (_, index) => listed({ id: 1_000 + index }));

async function configureListing(server: TestServer, changes: object = {}): Promise<void> {
  const limits = { retrySeconds: "0", timeoutSeconds: "1" };
  await configure({ baseUrl: server.url, listing: "true", ...limits, ...changes });
}

/** Refreshes webhook 17 against a service that answers so. */
async function refresh(answer: Answer, state: object = {}) {
  await using server = await startServer(answer);
  await configureListing(server);
  return await captureLines(() => read("17", someState({ baseUrl: server.url, ...state })));
}

const gone = { id: "", props: {} };

afterEach(restoreWorld);

describe("a refresh with listing", () => {
  it("asks for the webhooks of the database, with the key", async () => {
    await using server = await startServer(listOf(listed()));
    await configureListing(server);

    await captureLines(() => read("17", someState({ baseUrl: server.url })));

    expect(server.requests).toMatchObject([
      { method: "GET", path: "/api/v1/bases/base_abc123/webhooks", body: "" },
    ]);
    expect(server.requests[0]?.headers.authorization).toMatch(/^Bearer ./);
  });

  it("asks once for all webhooks of a database", async () => {
    await using server = await startServer(listOf(listed(), listed({ id: 18 })));
    await configureListing(server);
    const state = someState({ baseUrl: server.url });

    await captureLines(() => Promise.all([read("17", state), read("18", state)]));
    await captureLines(() => read("17", state));
    await captureLines(() => read("17", { ...state, databaseId: "base_other" }));

    expect(server.requests.map(({ path }) => path)).toEqual([
      "/api/v1/bases/base_abc123/webhooks",
      "/api/v1/bases/base_other/webhooks",
    ]);
  });

  it("changes nothing and says nothing when all is as it was", async () => {
    const { result, lines } = await refresh(listOf(listed(), ...others(3)), { tableId: null });

    expect(lines).toEqual([]);
    expect(result).toMatchObject({ id: "17", props: { url, secret: secretEnvelope } });
  });

  it.each<[string, Answer]>([
    ["an empty list", listOf()],
    ["other webhooks", listOf(...others(3))],
    ["no further page", { body: { webhooks: [], nextCursor: null, hasMore: false, total: 0 } }],
    ["all there are", { body: { webhooks: others(2), totalCount: 2 } }],
    ["fields that are new", listOf(...others(2).map((one) => ({ ...one, createdAt: 1 })))],
  ])("finds that a webhook is gone by %s", async (_case, answer) => {
    const { result, lines } = await refresh(answer);

    expect(result).toEqual(gone);
    expect(lines).toEqual([expect.stringMatching(/\b17\b.*base_abc123/)]);
  });

  it.each<[string, Answer, string]>([
    [
      "a webhook that is gone",
      listOf(),
      'The service no longer has webhook 17 of database base_abc123. The next "pulumi up" creates a new one, with a new secret.\n',
    ],
    [
      "drift",
      listOf(listed({ url: "https://b.example/", events: ["z"] })),
      'Drift of webhook 17 of database base_abc123: url, events. The next "pulumi up" replaces it, with a new secret, unless the program then declares the same.\n',
    ],
    [
      "a list that may be a part",
      { body: { webhooks: [], nextCursor: "x" } },
      "Not all webhooks of database base_abc123 could be looked up: the service may have listed only a part of them. The state of those that were not found stays as it is.\n",
    ],
  ])("says of %s what it means", async (_case, answer, line) => {
    const { lines } = await refresh(answer);

    expect(lines).toEqual([line]);
  });

  it("says what came in place of a list", async () => {
    await using server = await startServer({});
    const settings = someSettings({ baseUrl: server.url });
    const { signal } = new AbortController();
    const account = { settings, transport: createTransport(settings, signal) };

    const { problem } = await listWebhooks(account, someOperation(), "base_abc123");

    expect(problem).toBe(
      `GET ${server.url}/api/v1/bases/base_abc123/webhooks answered 200 with something other than a list of webhooks`,
    );
  });

  it.each<[string, Answer, string]>([
    ["a next page in the body", { body: { webhooks: [], nextCursor: "x" } }, ""],
    ["more in total", { body: { webhooks: others(2), total: 3 } }, ""],
    ["a page as long as it may be", { body: { webhooks: others(2), limit: 2 } }, ""],
    ["an offset of a next page", { body: { webhooks: others(3), nextOffset: 3 } }, ""],
    ["complete: false", { body: { webhooks: [], complete: false } }, ""],
    ["a field that may mean anything", { body: { webhooks: [], page: 1 } }, ""],
    ["success: false", { body: { webhooks: [], success: false } }, ""],
    ["as many entries as pages have", listOf(...others(100)), ""],
    ["as many entries as short pages have", listOf(...others(25)), ""],
    ["206", { ...listOf(), statusCode: 206 }, ""],
    ["a Link to the next page", { ...listOf(), headers: { link: '</x?page=2>; rel="next"' } }, ""],
    ["401", { statusCode: 401 }, "401"],
    ["403", { statusCode: 403, body: { error: { code: "FORBIDDEN" } } }, "403 FORBIDDEN"],
    ["404", { statusCode: 404, body: { error: { code: "NOT_FOUND" } } }, "404 NOT_FOUND"],
    ["405", { statusCode: 405 }, "405"],
    ["429", { statusCode: 429, headers: { "retry-after": "60" } }, "429"],
    ["500", { statusCode: 500 }, "500"],
    ["a redirect", { statusCode: 302, headers: { location: "/" } }, "302"],
    ["HTML", { body: "<html>" }, "200"],
    ["no body", {}, "200"],
    ["an array", { body: [] }, "200"],
    ["no webhooks", { body: { items: [] } }, "200"],
    ["an entry without id", listOf({ ...listed(), id: undefined }), "200"],
    ["an entry of another shape", listOf({ id: 1 }), "200"],
    ["an id twice", listOf(listed({ id: 1 }), listed({ id: 1 })), "200"],
    ["half of the JSON", { body: '{"webhooks":[' }, "200"],
    ["more than 1 MiB", { body: " ".repeat(1_100_000) }, "200"],
  ])("concludes nothing from %s, and says so", async (_case, answer, shown) => {
    const { result, lines } = await refresh(answer);

    expect(result).toMatchObject({ id: "17", props: { url, secret: secretEnvelope } });
    expect(lines).toEqual([expect.stringContaining("base_abc123")]);
    expect(lines[0]).toContain(shown);
  });

  it("concludes nothing when the service says nothing", async () => {
    const server = await startServer();
    await configureListing(server);
    await server[Symbol.asyncDispose]();

    const { result, lines } = await captureLines(() =>
      read("17", someState({ baseUrl: server.url })),
    );

    expect(result).toMatchObject({ id: "17", props: { secret: secretEnvelope } });
    expect(lines).toEqual([expect.stringContaining("ECONNREFUSED")]);
  });

  it("does not ask where the webhook was created when that is another place now", async () => {
    await using server = await startServer(listOf());
    await configureListing(server);

    const { result, lines } = await captureLines(() => read("17", someState()));

    expect(result).toMatchObject({ id: "17" });
    expect(lines).toEqual([
      "Not all webhooks of database base_abc123 could be looked up: they were created at https://tables.example.com, and dbwebhooks:baseUrl is another. The state of those that were not found stays as it is.\n",
    ]);
    expect(server.requests).toEqual([]);
  });

  it("finds a webhook in a list that is only a part", async () => {
    const { result, lines } = await refresh({
      body: { webhooks: [listed({ url: "https://changed.example/" })], nextCursor: "x" },
    });

    expect(result).toMatchObject({ id: "17", props: { url: "https://changed.example/" } });
    expect(lines).toEqual([expect.stringMatching(/\b17\b.*\burl\b/)]);
  });

  it("says nothing of a list that may be a part when it shows all that the state holds", async () => {
    const { lines } = await refresh(listOf(listed(), ...others(9)));

    expect(lines).toEqual([]);
  });

  it.each([
    [{ tableIds: [] }, {}],
    [{ url: "https://receiver.example/" }, { url: "https://receiver.example" }],
    [{ url: "https://receiver.example/" }, { url: "https://Receiver.example:443" }],
  ])("takes %j for no change of %j", async (changes, state) => {
    const { result, lines } = await refresh(listOf(listed(changes)), state);

    expect(result.props).toMatchObject(state);
    expect(result.props).not.toHaveProperty("tableId");
    expect(lines).toEqual([]);
  });

  it.each([
    [{ url: "https://b.example/" }, { url: "https://b.example/" }, "url"],
    [{ events: ["z", "a"] }, { events: ["a", "z"] }, "events"],
    [{ tableIds: ["tbl_1"] }, { tableId: "tbl_1" }, "tableId"],
    [{ tableIds: ["tbl_1", "tbl_2"] }, { tableId: "tbl_1, tbl_2" }, "tableId"],
  ])("reports the drift %j", async (changes, drift, name) => {
    const { result, lines } = await refresh(listOf(listed(changes)));

    expect(result.props).toMatchObject({ ...drift, secret: secretEnvelope });
    expect(lines).toEqual([expect.stringContaining(name)]);
  });

  it("reports a table that is gone from the webhook", async () => {
    const { result } = await refresh(listOf(listed()), { tableId: "tbl_orders" });

    expect(result.props).not.toHaveProperty("tableId");
  });

  it("says that a webhook is switched off, and keeps its state", async () => {
    const { result, lines } = await refresh(listOf(listed({ active: false })));

    expect(result.props).toMatchObject({ url, secret: secretEnvelope });
    expect(lines).toEqual([
      "The service has switched off webhook 17 of database base_abc123: it sends no notifications.\n",
    ]);
  });

  it("never drops a webhook unless the list holds others only, whatever comes", async () => {
    const entry = fc.oneof(
      fc.constant(listed()),
      fc.record({ id: fc.oneof(fc.nat(30), fc.string()), url: fc.string() }),
      fc.record(
        {
          id: fc.nat(30),
          url: fc.string(),
          events: fc.array(fc.string()),
          tableIds: fc.option(fc.array(fc.string())),
          active: fc.boolean(),
        },
        { noNullPrototype: true },
      ),
    );
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ webhooks: fc.array(entry), next: fc.option(fc.string()) }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        const { result } = await refresh({ body: value as unknown });
        const ids = (value as { webhooks?: { id?: unknown }[] } | null)?.webhooks ?? [];
        const isThere = Array.isArray(ids) && ids.some((one) => String(one?.id) === "17");
        expect(isThere && result.id === "").toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the comparison after a refresh", () => {
  const drifted = listed({ url: "https://example.com/other" });

  it("says nothing further, even when adopt names the webhook", async () => {
    await using server = await startServer(listOf(drifted));
    await configureListing(server);
    const state = someState({ baseUrl: server.url });
    await captureLines(() => read("17", state));
    const news = someArgs({ adopt: { id: "17", secret } });

    const { result, lines } = await captureLines(() =>
      diff("17", { ...state, url: drifted.url }, news),
    );

    expect([result, lines]).toEqual([{ changes: true, replaces: ["url"] }, []]);
  });

  it("says what the update will do as soon as the program runs", async () => {
    await using server = await startServer(listOf(drifted));
    await configureListing(server);
    const state = someState({ baseUrl: server.url });
    await captureLines(() => read("17", state));
    await check(someArgs(), someArgs());

    const { lines } = await captureLines(() =>
      diff("17", { ...state, url: drifted.url }, someArgs()),
    );

    expect(lines).toEqual([expect.stringMatching(/\b17\b.*\burl\b/)]);
  });
});

describe("a creation in doubt, with listing", () => {
  const doubtful: Answer = { statusCode: 500 };
  const left = listed({ id: 7_000_099 });
  const lookFor = unmanagedAdvice("base_abc123", String(url));

  /** Creates against a service that answers so, in order, and returns error and requests. */
  async function createAgainst(...answers: Answer[]) {
    await using server = await startServer(...answers);
    await configureListing(server);
    const error = await errorOf(create(someArgs()));
    const methods = server.requests.map(({ method }) => method);
    return { error, message: error.message, methods };
  }

  it("names the webhook that it may have left, and deletes nothing", async () => {
    const { message, methods } = await createAgainst(doubtful, listOf(left));

    expect(methods).toEqual(["POST", "GET"]);
    expect(message).toContain(
      'A webhook may exist in database base_abc123 without a stored secret. The service lists webhooks with the same url, events and table that this run had not met by then: 7000099. A creation in flight may have made one of them. After this update compare them with "pulumi stack export" of each stack that uses the database, and delete those that no stack manages. Then run "pulumi up" again.',
    );
  });

  it("names several that are like it", async () => {
    const { message, methods } = await createAgainst(doubtful, listOf(left, listed({ id: 100 })));

    expect(methods).toEqual(["POST", "GET"]);
    expect(message).toContain(": 7000099, 100.");
  });

  it("names no more than a person reads", async () => {
    const { message } = await createAgainst(doubtful, listOf(...others(9)));

    expect(message).toMatch(/\b1000\b.*\b1004\b.*\b4\b/);
    expect(message).not.toContain("1005");
  });

  it("names what a list that is only a part shows", async () => {
    const { message } = await createAgainst(doubtful, {
      body: { webhooks: [left], nextCursor: "x" },
    });

    expect(message).toContain("7000099");
  });

  it.each<[string, Answer[], (state: Properties) => Promise<unknown>]>([
    ["the state holds", [], (state) => diff("7000099", someState(state), someArgs())],
    [
      "this run replaces",
      [],
      (state) => diff("7000099", someState({ ...state, tableId: "tbl_1" }), someArgs()),
    ],
    ["was adopted", [listOf(left)], () => create(someArgs({ adopt: { id: "7000099", secret } }))],
    [
      "was deleted",
      [{ body: { success: true } }],
      (state) => deleteWebhook("7000099", someState(state)),
    ],
  ])("does not name a webhook that %s", async (_case, answers, see) => {
    await using server = await startServer(...answers, doubtful, listOf(left));
    await configureListing(server);
    await captureLines(() => see({ baseUrl: server.url }));

    const error = await errorOf(create(someArgs()));

    expect(server.requests.at(-1)).toMatchObject({ method: "GET" });
    expect(outcomeOf(error)).toBe("in doubt");
    expect(error.message).not.toContain("7000099");
  });

  it.each<[string, Answer]>([
    ["has another url", listOf({ ...left, url: "https://b.example/" })],
    ["has other events", listOf({ ...left, events: ["record.created"] })],
    ["has a table", listOf({ ...left, tableIds: ["tbl_1"] })],
  ])("does not name a webhook that %s", async (_case, list) => {
    const { error, message } = await createAgainst(doubtful, list);

    expect(message).not.toContain("7000099");
    expect(outcomeOf(error)).toBe("in doubt");
  });

  it("says that what is not listed may still appear", async () => {
    const { message } = await createAgainst(doubtful, listOf());

    expect(message).toContain(
      `answered 500. The service lists no such webhook now, but it may still appear. ${lookFor}`,
    );
  });

  it.each<[string, Answer]>([
    ["is forbidden", { statusCode: 403 }],
    ["is only a part", { body: { webhooks: [], nextCursor: "x" } }],
    ["is something else", { body: "<html>" }],
  ])("says what to look for when the list %s", async (_case, list) => {
    const { message, methods } = await createAgainst(doubtful, list);

    expect(methods).toEqual(["POST", "GET"]);
    expect(message).toContain(`answered 500. ${lookFor}`);
  });

  it.each([
    ["before the list is asked for", 0],
    ["while the list is on its way", 1],
  ])("does not wait for the list when Pulumi stops %s", async (_case, requests) => {
    await using server = await startRawServer(() => undefined);
    const settings = someSettings({ baseUrl: server.url, listing: true });
    const stop = new AbortController();
    const account = { settings, transport: createTransport(settings, stop.signal) };
    const webhook = { databaseId: "base_abc123", url: "https://example.com/", events };
    if (requests === 0) {
      stop.abort();
    }

    const leftovers = lookForLeftovers(account, new Ledger(), someOperation(), webhook);
    await expect.poll(() => server.requests.length).toBe(requests);
    stop.abort();

    expect(await leftovers).toEqual({ ids: [], isWhole: false });
  });

  it("leaves nothing behind that waits for Pulumi to stop", async () => {
    const transport = await fakeTransport(() => response(200, undefined, { webhooks: [] }));
    const account = { settings: someSettings({ listing: true }), transport };
    const webhook = { databaseId: "base_abc123", url: "https://example.com/", events };

    await settled(lookForLeftovers(account, new Ledger(), someOperation(), webhook));

    expect(getEventListeners(transport.stopping, "abort")).toEqual([]);
  });

  it("does not name a webhook that the state holds from another address of the service", async () => {
    await using server = await startServer(doubtful, listOf(left));
    await configureListing(server);
    const state = someState({ baseUrl: "https://former.example.com" });
    await captureLines(() => diff("7000099", state, someArgs()));

    const { message } = await errorOf(create(someArgs()));

    expect(message).not.toContain("7000099");
  });

  it("is not looked up when there is no doubt", async () => {
    const { methods } = await createAgainst({ statusCode: 400 });

    expect(methods).toEqual(["POST"]);
  });
});
