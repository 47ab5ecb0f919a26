import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Engine } from "../../src/core/engine.js";
import {
  listed,
  listOf,
  secret,
  secretEnvelope,
  someArgs,
  someState,
} from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { type Answer, refusedUrl, startRawServer, startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider, type TestProvider } from "../helpers/provider.js";

const { url } = someArgs();
const others = (count: number) =>
  Array.from({ length: count }, (_, at) => listed({ id: 100 + at }));
const withListing = (baseUrl: string, engine?: Engine) => {
  const settings = { baseUrl, listing: "true", retrySeconds: "0", timeoutSeconds: "30" };
  return startProvider(settings, engine && { engine: () => engine });
};
/** An entry whose text is not well-formed. */
const malformed = JSON.stringify(listOf(listed({ id: 1, url: "?" })).body).replace("?", "\\ud800");

/** Refreshes webhook 17 against a service that answers so. */
async function refresh(answer: Answer, state: object = {}) {
  await using server = await startServer(answer);
  const { read, lines } = withListing(server.url);
  return { result: await read("17", someState({ baseUrl: server.url, ...state })), lines };
}

describe("a refresh with listing", () => {
  it("asks once for all webhooks of a database, with the key", async () => {
    await using server = await startServer(listOf(listed(), listed({ id: 18 })));
    const { read } = withListing(server.url);
    const state = someState({ baseUrl: server.url });

    await Promise.all([read("17", state), read("18", state)]);
    await read("17", state);
    await read("17", { ...state, databaseId: "base_other" });

    expect(server.requests).toMatchObject(
      ["base_abc123", "base_other"].map((databaseId) => ({
        method: "GET",
        path: `/api/v1/bases/${databaseId}/webhooks`,
        headers: { authorization: expect.stringMatching(/^Bearer ./) },
        body: "",
      })),
    );
  });

  it.each<[string, Answer, object]>([
    ["all is as it was", listOf(listed(), ...others(3)), { tableId: null }],
    ["an empty list of tables names none", listOf(listed({ tableIds: [] })), {}],
    ["it is in a list that may be a part", { body: { webhooks: [listed()], next: 1 } }, {}],
    [
      "a url has another spelling",
      listOf(listed({ url: "https://a.example/" })),
      { url: "https://A.example:443" },
    ],
    ["both have no URL", listOf(listed({ url: "none" })), { url: "none" }],
  ])("changes nothing and says nothing when %s", async (_case, answer, state) => {
    const { result, lines } = await refresh(answer, state);

    const expected: Record<string, unknown> = someState({ ...state, secret: secretEnvelope });
    delete expected.tableId;
    expect(result).toEqual({ id: "17", properties: { ...expected, baseUrl: expect.anything() } });
    expect(lines).toEqual([]);
  });

  it.each<[string, object, object, object]>([
    ["url", { url: "https://b.example/" }, {}, { url: "https://b.example/" }],
    ["url", { url: "none" }, {}, { url: "none" }],
    ["events", { events: ["z", "a", "z"] }, {}, { events: ["a", "z"] }],
    ["tableId", { tableIds: ["t1"] }, {}, { tableId: "t1" }],
    ["tableId", { tableIds: ["t1", "t2"] }, { tableId: "t1" }, { tableId: "t1, t2" }],
    ["tableId", {}, { tableId: "t1" }, { tableId: undefined }],
    ["url, events", { url: "https://b.example/", events: [] }, {}, { events: [] }],
  ])("reports drift of %s: %j", async (names, changes, state, drift) => {
    const { result, lines } = await refresh(listOf(listed(changes)), state);

    expect(result?.properties).toMatchObject({ secret: secretEnvelope });
    for (const [name, value] of Object.entries(drift)) {
      expect(result?.properties[name]).toEqual(value);
    }
    expect(lines).toEqual([
      expect.stringMatching(`^warning: Drift of webhook 17 of database base_abc123: ${names}\\. `),
    ]);
  });

  it("says that a webhook is switched off, and keeps its state", async () => {
    const { result, lines } = await refresh(listOf(listed({ active: false })));

    expect(result?.properties).toMatchObject({ url, secret: secretEnvelope });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*switched off webhook 17 /)]);
  });

  it.each<[string, Answer]>([
    ["an empty list", listOf()],
    ["other webhooks, however many", listOf(...others(100))],
    ["success: true beside them", { body: { webhooks: [], success: true } }],
    ["fields that are new in an entry", listOf({ ...listed({ id: 1 }), createdAt: 1 })],
  ])("finds that a webhook is gone by %s", async (_case, answer) => {
    const { result, lines } = await refresh(answer);

    expect(result).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(/^warning: .*\b17\b.*base_abc123/)]);
  });

  const part = "only a part";
  it.each<[string, Answer, string]>([
    ["a next page", { body: { webhooks: [], nextCursor: "x" } }, part],
    ["a further field that says nothing", { body: { webhooks: [], requestId: null } }, part],
    ["a total, even when it is right", { body: { webhooks: [], total: 0 } }, part],
    ["success: false", { body: { webhooks: [], success: false } }, part],
    ["status 206", { ...listOf(), statusCode: 206 }, part],
    ["a Link", { ...listOf(), headers: { link: '</x>; rel="next"' } }, part],
    ["403", { statusCode: 403, body: { error: { code: "FORBIDDEN" } } }, "403 FORBIDDEN"],
    ["404", { statusCode: 404, body: { error: { code: "NOT_FOUND" } } }, "404 NOT_FOUND"],
    ["500", { statusCode: 500 }, "500"],
    ["a redirect", { statusCode: 302, headers: { location: "/" } }, "302"],
    ["HTML", { body: "<html>" }, "200"],
    ["no body", {}, "200"],
    ["an array", { body: [] }, "200"],
    ["no webhooks", { body: { items: [] } }, "200"],
    ["an entry without id", listOf({ ...listed(), id: undefined }), "200"],
    ["an entry of another shape", listOf({ id: 1 }), "200"],
    ["an id twice", listOf(listed({ id: 1 }), listed({ id: 1 })), "200"],
    ["a text that is not well-formed", { body: malformed }, "200"],
    ["half of the JSON", { body: '{"webhooks":[' }, "200"],
    ["more than 1 MiB", { body: " ".repeat(1_100_000) }, "200"],
  ])("concludes nothing from %s, and says so once", async (_case, answer, shown) => {
    await using server = await startServer(answer);
    const { read, lines } = withListing(server.url);
    const state = someState({ baseUrl: server.url });
    const kept = { ...state, secret: secretEnvelope };

    for (const id of ["17", "18"]) {
      expect(await read(id, state)).toEqual({ id, properties: kept });
    }
    expect(lines).toEqual([expect.stringMatching(`^info: .*base_abc123.*${shown}`)]);
  });

  it("concludes nothing when nothing listens", async () => {
    const baseUrl = await refusedUrl();
    const { read, lines } = withListing(baseUrl);

    expect(await read("17", someState({ baseUrl }))).toMatchObject({ id: "17" });
    expect(lines).toEqual([expect.stringContaining("ECONNREFUSED")]);
  });

  it("sends nothing for a webhook that was created elsewhere", async () => {
    await using server = await startServer(listOf());
    const { read, lines } = withListing(server.url);

    expect(await read("17", someState())).toMatchObject({ id: "17" });
    expect(server.requests).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^info: .*https:\/\/tables\.example\.com/)]);
  });

  it("never drops a webhook that the answer names, whatever comes", async () => {
    const id = fc.oneof(fc.nat(30), fc.constantFrom(17, "17"), fc.string());
    const entry = fc.record(
      { id, url: fc.string(), events: fc.array(fc.string()), tableIds: fc.constant(null) },
      { noNullPrototype: true },
    );
    const body = fc.record(
      { webhooks: fc.array(entry), success: fc.boolean(), next: fc.jsonValue() },
      { requiredKeys: ["webhooks"], noNullPrototype: true },
    );

    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async ({ webhooks, ...rest }, active) => {
        const all = webhooks.map((one) => ({ ...one, active }));
        const { result } = await refresh({ body: { ...rest, webhooks: all } });

        const isNamed = webhooks.some((one) => String(one.id) === "17");
        expect(isNamed && result === undefined).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a creation in doubt, with listing", () => {
  const doubtful: Answer = { statusCode: 500 };
  const left = listed({ id: 7_000_099 });

  /** Creates against a service that answers so, in order. */
  async function createAgainst(...answers: Answer[]) {
    await using server = await startServer(...answers);
    const error = await errorOf(withListing(server.url).create(someArgs()));
    const methods = server.requests.map(({ method }) => method);
    return { kind: kindOf(error), message: error.message, methods };
  }

  it.each<[string, Answer, RegExp]>([
    ["one", listOf(left), /: 7000099\. /],
    ["several", listOf(left, listed({ id: 100 })), /: 7000099, 100\. /],
    ["many", listOf(...others(9)), /: 100, 101, 102, 103, 104 and 4 more\. /],
    ["one of a part", { body: { webhooks: [left], next: 1 } }, /: 7000099\. /],
  ])("names webhooks that may be its own, and deletes nothing: %s", async (_case, list, ids) => {
    const { kind, message, methods } = await createAgainst(doubtful, list);

    expect([kind, methods]).toEqual(["inDoubt", ["POST", "GET"]]);
    expect(message).toMatch(ids);
  });

  it.each<[string, Answer, boolean]>([
    ["has another url", listOf({ ...left, url: "https://b.example/" }), true],
    ["has other events", listOf({ ...left, events: ["record.created"] }), true],
    ["has a table", listOf({ ...left, tableIds: ["t"] }), true],
    ["may be elsewhere in the list", { body: { webhooks: [], next: 1 } }, false],
    ["cannot be looked up", { statusCode: 403 }, false],
  ])("names no webhook when it %s", async (_case, list, isWhole) => {
    const { kind, message } = await createAgainst(doubtful, list);

    expect([kind, message.includes("7000099")]).toEqual(["inDoubt", false]);
    expect(message.includes("lists no such webhook now")).toBe(isWhole);
  });

  const id = "7000099";
  const deleted: Answer = { body: { success: true } };
  const created: Answer = { body: { id, secret } };
  const adopting = someArgs({ adopt: { id, secret } });
  it.each<[string, Answer[], (run: TestProvider, state: object) => Promise<unknown>]>([
    ["holds", [], ({ diff }, state) => diff(id, { ...state }, someArgs())],
    ["holds from a former address", [], ({ diff }) => diff(id, someState(), someArgs())],
    ["adopts", [listOf(left)], ({ create }) => create(adopting)],
    ["deletes", [deleted], (run, state) => run.delete(id, { ...state })],
    ["creates", [created], ({ create }) => create(someArgs())],
  ])("does not name a webhook that this run %s", async (_case, answers, see) => {
    await using server = await startServer(...answers, doubtful, listOf(left));
    const run = withListing(server.url);
    await see(run, someState({ baseUrl: server.url }));

    const error = await errorOf(run.create(someArgs()));

    expect(server.requests.at(-1)).toMatchObject({ method: "GET" });
    expect([kindOf(error), error.message.includes(id)]).toEqual(["inDoubt", false]);
  });

  it.each([
    ["looks for nothing when Pulumi stops before it", true, 1],
    ["does not wait for the list when Pulumi stops", false, 2],
  ])("%s", async (_case, isStopped, requests) => {
    const engine = new Engine(undefined, () => {});
    await using server = await startRawServer((socket) => {
      if (isStopped) {
        engine.cancel();
      }
      if (server.requests.length === 1) {
        socket.end("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
      }
    });

    const failed = errorOf(withListing(server.url, engine).create(someArgs()));
    await expect.poll(() => server.requests.length).toBe(requests);
    engine.cancel();

    expect(kindOf(await failed)).toBe("inDoubt");
    expect(server.requests).toHaveLength(requests);
  });

  it("is looked up, too, when the time of the creation is over", async () => {
    const body = JSON.stringify(listOf(left).body);
    await using server = await startRawServer((socket) => {
      if (server.requests.length === 2) {
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      }
    });

    const { create } = withListing(server.url);
    const error = await errorOf(create(someArgs(), { timeoutSeconds: 0.3 }));

    expect([kindOf(error), error.message.includes("7000099")]).toEqual(["inDoubt", true]);
  });

  it("leaves nothing behind that waits for Pulumi to stop", async () => {
    await using server = await startServer(doubtful, listOf());
    const engine = new Engine(undefined, () => {});

    await errorOf(withListing(server.url, engine).create(someArgs()));

    expect(getEventListeners(engine.stopping, "abort")).toEqual([]);
  });

  it("is not looked up when there is no doubt", async () => {
    const { kind, methods } = await createAgainst({ statusCode: 400 });

    expect([kind, methods]).toEqual(["notCreated", ["POST"]]);
  });
});
