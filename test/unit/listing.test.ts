import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { Engine } from "../../src/provider/engine.js";
import { apiKey, listed, listOf, secret, secretEnvelope, someArgs } from "../helpers/builders.js";
import { type Answer, startRawServer } from "../helpers/http-server.js";
import { startProvider, type TestProvider } from "../helpers/provider.js";
import { startWithService } from "../helpers/provider-with-service.js";

type Properties = Record<string, unknown>;

const others = (count: number) =>
  Array.from({ length: count }, (_, at) => listed({ id: 100 + at }));
const startListing = (answers: Answer | readonly Answer[], settings = {}) =>
  startWithService(answers, { listing: "true", ...settings });

/** Refreshes webhook 17 twice against a service that answers so. */
async function refresh(answer: Answer, changes: object = {}, settings = {}) {
  const run = await startListing(answer, settings);
  const state = { ...run.state, ...changes };
  const first = await run.read("17", state);
  expect(await run.read("17", state)).toEqual(first);
  return { ...run, state, properties: first?.properties };
}

describe("a refresh with listing", () => {
  it("asks once for all webhooks of a database, with the key", async () => {
    const { read, state, requests } = await startListing(listOf(listed(), listed({ id: 18 })));

    await Promise.all([read("17", state), read("18", state)]);
    await read("17", { ...state, databaseId: "base_other" });

    expect(requests).toMatchObject(
      ["base_abc123", "base_other"].map((databaseId) => ({
        method: "GET",
        path: `/eu/api/v1/bases/${databaseId}/webhooks`,
        headers: { authorization: `Bearer ${apiKey}` },
        body: "",
      })),
    );
  });

  const drift = (names: string) =>
    `Drift of webhook 17 of database base_abc123: the service has another ${names} than `;
  it.each<[listed: object, state: object, drift: object, line?: string]>([
    [{}, {}, {}],
    [{ tableIds: [] }, { tableId: null }, {}],
    [{ url: "https://a.example/" }, { url: "https://A.example:443" }, {}],
    [{ url: "none" }, { url: "none" }, {}],
    [{ url: "https://b.example/" }, {}, { url: "https://b.example/" }, drift("url")],
    [{ url: "none" }, {}, { url: "none" }, drift("url")],
    [{ events: ["z", "a", "z"] }, {}, { events: ["a", "z"] }, drift("events")],
    [{ tableIds: ["t1"] }, {}, { tableId: "t1" }, drift("tableId")],
    [{ tableIds: ["t1", "t2"] }, { tableId: "t1" }, { tableId: "t1, t2" }, drift("tableId")],
    [{}, { tableId: "t1" }, { tableId: undefined }, drift("tableId")],
    [{ url: "none", events: [] }, {}, { url: "none", events: [] }, drift("url, events")],
    [{ active: false }, {}, {}, ".*switched off webhook 17 "],
  ])("reports that the service has %j, where the state has %j", async (has, changes, ...row) => {
    const [differs, line] = row;
    // Where a webhook is listed, the rest of the list does not matter.
    for (const more of [{}, { next: 1 }]) {
      const webhooks = [...others(3), listed(has)];
      const result = await refresh({ body: { webhooks, ...more } }, changes);

      const { tableId, ...state }: Properties = { ...result.state, ...differs };
      const table = tableId ? { tableId } : {};
      expect(result.properties).toStrictEqual({ ...state, ...table, secret: secretEnvelope });
      const expected = line ? [expect.stringMatching(`^warning: ${line}`)] : [];
      expect(result.lines.slice(0, 1)).toEqual(expected);
    }
  });

  const part = "only a part";
  const listWith = (escaped: string): Answer => ({
    body: JSON.stringify(listOf(listed({ id: 1, url: "?" })).body).replace("?", escaped),
  });
  it.each<[string, Answer, string?]>([
    ["other webhooks, however many", listOf(...others(100))],
    ["success: true beside none", { body: { webhooks: [], success: true } }],
    ["fields that are new in an entry", listOf({ ...listed({ id: 1 }), createdAt: 1 })],
    ["a next page", { body: { webhooks: [], nextCursor: "x" } }, part],
    ["a further field that says nothing", { body: { webhooks: [], requestId: null } }, part],
    ["success: false", { body: { webhooks: [], success: false } }, part],
    ["status 206", { ...listOf(), statusCode: 206 }, part],
    ["a Link", { ...listOf(), headers: { link: '</x>; rel="next"' } }, part],
    ["403", { statusCode: 403, body: { error: { code: "FORBIDDEN" } } }, "403 FORBIDDEN"],
    ["404", { statusCode: 404, body: { error: { code: "NOT_FOUND" } } }, "404 NOT_FOUND"],
    ["HTML", { body: "<html>" }, "200"],
    ["no body", {}, "200"],
    ["no webhooks", { body: { items: [] } }, "200"],
    ["an entry without id", listOf({ ...listed(), id: undefined }), "200"],
    ["its entry in another shape", listOf({ id: 17 }), "200"],
    ["its id twice", listOf(listed(), listed({ id: "17", active: false })), "200"],
    ["a lone surrogate", listWith("\\ud800"), "200"],
    ["an escape character", listWith("\\u001b[2J"), "200"],
    ["a line break", listWith("\\n"), "200"],
    ["a control character of Latin-1", listWith("\\u009b"), "200"],
    ["a bidirectional override", listWith("\\u202e"), "200"],
    ["a bidirectional isolate in an event", listOf(listed({ id: 1, events: ["\u2066"] })), "200"],
    ["a bidirectional mark in a table", listOf(listed({ id: 1, tableIds: ["\u061c"] })), "200"],
    ["more than 1 MiB", { body: " ".repeat(1_100_000) }, "200"],
  ])("finds that a webhook is gone, or concludes nothing: %s", async (_case, answer, shown) => {
    const { properties, state, lines } = await refresh(answer);

    const gone = /^warning: The service no longer has webhook 17 of database base_abc123/;
    const line = shown === undefined ? gone : new RegExp(`^warning: .*base_abc123.*${shown}`);
    expect(properties).toEqual(shown && { ...state, secret: secretEnvelope });
    expect(lines).toEqual(Array(shown ? 1 : 2).fill(expect.stringMatching(line)));
  });

  // A former address may be without encryption: nothing is sent there.
  const place = "http://former.example.com/eu";
  it.each([
    ["at a former address", { formerBaseUrls: place }, 1, []],
    ["elsewhere", {}, 0, [expect.stringMatching(`^warning: .*${place}`)]],
  ])("asks today's service for what was created %s", async (_case, settings, count, expected) => {
    const answer = listOf(listed());
    const { properties, lines, requests } = await refresh(answer, { baseUrl: place }, settings);

    expect(properties).toMatchObject({ baseUrl: place });
    expect(requests).toHaveLength(count);
    expect(lines).toEqual(expected);
  });
});

describe("A refresh of a webhook whose drift was stored and then undone at the service", () => {
  const drifted = { url: "https://drifted.example/" };

  it("says that the webhook is again as declared, where Pulumi gives the declared arguments", async () => {
    const { read, state, lines } = await startListing(listOf(listed()));

    await read("17", { ...state, ...drifted }, { declared: someArgs() });

    expect(lines).toEqual([expect.stringMatching(/^warning: Drift of webhook 17 .* is undone/)]);
  });

  it("reports the difference from the state where Pulumi does not give them", async () => {
    const { read, state, lines } = await startListing(listOf(listed()));

    await read("17", { ...state, ...drifted });

    expect(lines).toEqual([
      expect.stringMatching(/^warning: Drift of webhook 17 .* another url than the state/),
    ]);
  });
});

describe("a creation in doubt, with listing", () => {
  const doubtful: Answer = { statusCode: 500 };
  const id = "7000099";
  const left = listed({ id });

  const none = /^(?!.*7000099).*lists no such webhook now/;
  const unclear = /^(?!.*(7000099|lists no such))/;
  it.each<[string, Answer, RegExp]>([
    ["there is one", listOf(left), /: 7000099\. /],
    ["there are many", listOf(...others(9)), /: 100, 101, 102, 103, 104 and 4 more\. /],
    ["there is one of a part", { body: { webhooks: [left], next: 1 } }, /: 7000099\. /],
    ["it has another url", listOf({ ...left, url: "https://b.example/" }), none],
    ["it has other events", listOf({ ...left, events: ["record.created"] }), none],
    ["it has a table", listOf({ ...left, tableIds: ["t"] }), none],
    ["the list is a part", { body: { webhooks: [], next: 1 } }, unclear],
    ["there is no list", { statusCode: 403 }, unclear],
  ])("names what may be its own, and deletes nothing: %s", async (_case, list, said) => {
    const { create, methods } = await startListing([doubtful, list]);

    const inDoubt = { kind: "inDoubt", message: expect.stringMatching(said) };
    await expect(create(someArgs())).rejects.toMatchObject(inDoubt);
    expect(methods()).toEqual(["POST", "GET"]);
  });

  it.each<[string, Answer[], (run: TestProvider, state: Properties) => Promise<unknown>]>([
    ["holds", [], ({ diff }, state) => diff(id, state, someArgs())],
    ["adopts", [listOf(left)], (run) => run.create(someArgs({ adopt: { id, secret } }))],
    ["deletes", [{}], (run, state) => run.delete(id, state)],
    ["creates", [{ body: { id, secret } }], ({ create }) => create(someArgs())],
  ])("does not name a webhook that this run %s", async (_case, answers, see) => {
    const run = await startListing([...answers, doubtful, listOf(left)]);
    await see(run, run.state);

    const inDoubt = { kind: "inDoubt", message: expect.stringMatching(none) };
    await expect(run.create(someArgs())).rejects.toMatchObject(inDoubt);
    expect(run.methods().at(-1)).toBe("GET");
  });

  it.each([1, 2])("waits for no list when Pulumi stops during request %d", async (stopsAt) => {
    const engine = new Engine(undefined, () => {});
    await using server = await startRawServer((socket) => {
      if (server.requests.length === stopsAt) {
        engine.cancel();
      }
      if (server.requests.length === 1) {
        socket.end("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
      }
    });

    const { create } = startProvider({ baseUrl: server.url, listing: "true" }, engine);
    await expect(create(someArgs())).rejects.toMatchObject({ kind: "inDoubt" });
    expect(server.requests).toHaveLength(stopsAt);
  });

  it("looks although its time is over, and leaves nothing behind that waits for a stop", async () => {
    const body = JSON.stringify(listOf(left).body);
    const engine = new Engine(undefined, () => {});
    await using server = await startRawServer((socket) => {
      if (server.requests.length === 2) {
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      }
    });

    const { create } = startProvider({ baseUrl: server.url, listing: "true" }, engine);
    const inDoubt = { kind: "inDoubt", message: expect.stringContaining(id) };
    await expect(create(someArgs(), { timeoutSeconds: 0.3 })).rejects.toMatchObject(inDoubt);
    expect(getEventListeners(engine.stopping, "abort")).toEqual([]);
  });
});
