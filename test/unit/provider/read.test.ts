import { describe, expect, it } from "vitest";
import {
  apiKey,
  errorBody,
  listed,
  listOf,
  nestedBody,
  secret,
  unknownMarkers,
  wrapped,
} from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import type { StubResponse } from "../../helpers/http-server.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";

const startListing = (responses: StubResponse | readonly StubResponse[], settings = {}) =>
  startWithService(responses, { listing: "true", ...settings });

const fieldNames = ["url", "events", "tableIds", "active"];

/** A list of one webhook, whose named fields are nested arrays. */
function listWithNested(changes: object, names: readonly string[]): StubResponse {
  const entry = { ...listed(changes), ...Object.fromEntries(names.map((name) => [name, "…"])) };
  const text = JSON.stringify({ webhooks: [entry] });
  return { body: text.replaceAll('"…"', nestedBody) };
}

/** The list of another webhook, with these headers. */
const withHeaders = (headers: Record<string, string>): StubResponse => ({
  ...listOf(listed({ id: 1 })),
  headers,
});

const inLatin1 = ({ body }: StubResponse): StubResponse => ({
  body: Buffer.from(JSON.stringify(body), "latin1"),
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
  ])("keeps the state and reports no drift when %s", async (_case, entry, stored) => {
    const { read, state, lines } = await startListing(listOf(listed(entry)));

    const refreshed = await read("17", { ...state, ...stored });

    expect(refreshed.props).toStrictEqual({ ...state, ...stored, secret: wrapped(secret) });
    expect(lines).toEqual([]);
  });

  it.each<[string, entry: object, stored: object, drift: object]>([
    ["another url", { url: "https://b.example/" }, {}, { url: "https://b.example/" }],
    ["other events", { events: ["z", "a", "z"] }, {}, { events: ["a", "z"] }],
    ["a table", { tableIds: ["t1"] }, {}, { tableId: "t1" }],
    ["several tables", { tableIds: ["t1", "t2"] }, { tableId: "t1" }, { tableId: "t1, t2" }],
    ["no table", {}, { tableId: "t1" }, {}],
    [
      "another url, and no field for tables",
      { url: "https://b.example/", tableIds: undefined },
      { tableId: "t1" },
      { url: "https://b.example/", tableId: "t1" },
    ],
    [
      "more tables than a state should hold",
      { tableIds: Array(500).fill("t".repeat(2_048)) },
      {},
      { tableId: "t".repeat(2_048) },
    ],
    [
      "tables that are cut inside a character",
      { tableIds: ["t".repeat(2_045), "\u{1f600}"] },
      {},
      { tableId: `${"t".repeat(2_045)}, \ufffd` },
    ],
  ])("stores what the service has, and warns: %s", async (_case, entry, stored, drift) => {
    const { read, state, lines } = await startListing(listOf(listed(entry)));

    const refreshed = await read("17", { ...state, ...stored });

    expect(refreshed.props).toStrictEqual({ ...state, ...drift, secret: wrapped(secret) });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it("keeps the state of a webhook that is switched off, and warns", async () => {
    const { read, state, lines } = await startListing(listOf(listed({ active: false })));

    const refreshed = await read("17", state);

    expect(refreshed.props).toStrictEqual({ ...state, secret: wrapped(secret) });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 .*active: false/)]);
  });

  it("warns of the drift and of the switch-off of one webhook", async () => {
    const entry = listed({ url: "https://b.example/", active: false });
    const { read, state, lines } = await startListing(listOf(entry));

    await read("17", state);

    const warnings = [/^warning: .*webhook 17 .*: url\./, /^warning: .*webhook 17 .*active: false/];
    expect(lines).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
  });

  it("finds a webhook in an incomplete list", async () => {
    const webhooks = [listed({ id: 16 }), listed({ url: "https://b.example/" })];
    const { read, state } = await startListing({ body: { webhooks, next: 1 } });

    const refreshed = await read("17", state);

    expect(refreshed.props).toMatchObject({ url: "https://b.example/" });
  });

  it("tells two ids apart that JavaScript has one number for", async () => {
    const entries = ["9007199254740992", "9007199254740993"].map((id) =>
      JSON.stringify(listed({ url: `https://${id}.example/` })).replace("17", id),
    );
    const body = `{"webhooks":[${entries}]}`;
    const { read, state } = await startListing({ body });

    const refreshed = [
      await read("9007199254740992", state),
      await read("9007199254740993", state),
    ];

    expect(refreshed).toMatchObject([
      { props: { url: "https://9007199254740992.example/" } },
      { props: { url: "https://9007199254740993.example/" } },
    ]);
  });

  it.each<[string, list: StubResponse]>([
    ["no webhooks, and success: true", { body: { webhooks: [], success: true } }],
    ["another webhook with a new field", listOf({ ...listed({ id: 1 }), createdAt: 1 })],
    ["another webhook with nested arrays in a new field", listWithNested({ id: 1 }, ["a"])],
    ["nothing, and the right total", { ...listOf(), headers: { "x-total-count": "0" } }],
    ["another webhook, and the right total", withHeaders({ "x-total-count": "1", age: "0" })],
  ])("removes a webhook that the list does not hold, and warns: %s", async (_, list) => {
    const { read, state, lines } = await startListing(list);

    expect(await read("17", state)).toEqual({ id: "", props: {} });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it.each<[string, list: StubResponse]>([
    ["has a further field, even without a value", { body: { webhooks: [], nextPage: null } }],
    ["has success: false", { body: { webhooks: [], success: false } }],
    ["has success: null", { body: { webhooks: [], success: null } }],
    ["has a Link header", withHeaders({ link: '</x>; rel="next"' })],
    ["is from a cache", withHeaders({ age: "59" })],
    ["is from a cache, and equals the state", { ...listOf(listed()), headers: { age: "55" } }],
    [
      "is from a cache, and shows drift",
      {
        ...listOf(listed({ url: "https://b.example/", active: false })),
        headers: { "cache-status": "Cdn; hit" },
      },
    ],
    ["has another total", withHeaders({ "x-total-count": "2" })],
    ["has an error", { body: { webhooks: [], error: { code: "FORBIDDEN" } } }],
    ["is not found", { statusCode: 404, body: errorBody("NOT_FOUND") }],
    ["has no field webhooks", { body: { items: [] } }],
    ["has a field __proto__ besides", { body: '{"webhooks":[],"__proto__":{"next":1}}' }],
    ["holds fields of nested arrays", listWithNested({ id: 17 }, fieldNames)],
    ["holds an entry without an id", listOf({ ...listed(), id: undefined })],
    ["holds an entry without active", listOf(listed({ id: 1, active: undefined }))],
    ["holds the id twice", listOf(listed(), listed({ id: "17", active: false }))],
    ["holds one of Pulumi's markers", listOf(listed({ id: 1, url: unknownMarkers.string }))],
    ["holds a marker as a table", listOf(listed({ id: 1, tableIds: [unknownMarkers.string] }))],
    ["holds 130,000 odd events", listOf(listed({ events: Array(130_000).fill(1) }))],
    ["is not UTF-8", inLatin1(listOf(listed({ id: 1, url: "https://b.example/ä" })))],
    ["holds a bidirectional isolate in an event", listOf(listed({ id: 1, events: ["\u2066"] }))],
  ])("keeps the state, and requests and warns once, when the list %s", async (_case, list) => {
    const { read, state, lines, methods } = await startListing(list);

    const first = await read("17", state);
    const second = await read("17", state);

    expect(first.props).toEqual({ ...state, secret: wrapped(secret) });
    expect(second).toEqual(first);
    expect(methods()).toEqual(["GET"]);
    expect(lines).toEqual([expect.stringMatching(/^warning: /)]);
  });

  const oddUrl = "https://h.example/a\u200db";
  const drifted = listed({ url: "https://b.example/" });
  it.each<[string, first: StubResponse]>([
    ["a url with an invisible character", listOf(drifted, listed({ id: 9, url: oddUrl }))],
    ["no object", listOf(drifted, null as never)],
    ["only its own entry, which is odd", listOf(listed({ url: oddUrl }))],
  ])("shows no drift, keeps the webhook and warns if the list has %s", async (_, list) => {
    const { read, state, lines } = await startListing(list);

    const refreshed = await read("17", state);

    expect(refreshed.props).toEqual({ ...state, secret: wrapped(secret) });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*unusable entry/)]);
    expect(lines[0]).not.toContain("h.example");
  });

  it("warns about each database that it cannot look up, and says what to do", async () => {
    const forbidden = { statusCode: 403, body: errorBody("FORBIDDEN") };
    const { read, state, lines } = await startListing(forbidden);

    await read("17", state);
    await read("17", { ...state, databaseId: "base_other" });

    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("DBWEBHOOKS_API_KEY");
  });

  it.each([
    ["with", "true"],
    ["without", "false"],
  ])(
    "%s listing fails and sends nothing for a webhook of another base URL",
    async (_with, listing) => {
      const provider = await startListing(listOf(listed()), { listing });
      // Another service on the same server, so that `methods` would show a request to it.
      const otherBaseUrl = `${provider.baseUrl}/other`;

      const error = await errorOf(
        provider.read("17", { ...provider.state, baseUrl: otherBaseUrl }),
      );

      expect(error).toMatchObject({ kind: "unchanged" });
      expect(error.message).toContain(otherBaseUrl);
      // Two databases can use one id.
      expect(error.message).toContain("webhook 17 of database base_abc123");
      expect(provider.methods()).toEqual([]);
    },
  );
});

it.each([{ listing: "true" }, { listing: "false" }])(
  "A refresh of an entry whose id is not that of a webhook sends nothing, keeps the state and warns, with %j",
  async (settings) => {
    const { read, state, lines, methods } = await startListing(listOf(), settings);

    const refreshed = await read("base_abc123/17", state);

    expect(refreshed).toEqual({
      id: "base_abc123/17",
      props: { ...state, secret: wrapped(secret) },
    });
    expect(lines[0]).toMatch(/^warning: .*webhook base_abc123\/17 /);
    // The comparison that follows says what to do.
    expect(lines[0]).not.toContain("pulumi state delete");
    expect(methods()).toEqual([]);
  },
);

it("A refresh warns of each entry that does not say where its webhook is, also of two with one id", async () => {
  const { read, state, lines } = await startListing(listOf());

  await read("17", { ...state, databaseId: undefined });
  await read("17", { ...state, databaseId: undefined });

  expect(lines).toEqual(Array(2).fill(expect.stringMatching(/^warning: .*webhook 17 /)));
});

it.each([{ apiKey: undefined }, { baseUrl: "https://b.example/api/v1" }, { listing: "1" }])(
  "A refresh with the invalid settings %j fails, because Pulumi may store its provider",
  async (settings) => {
    const { read, state, methods } = await startListing(listOf(), settings);

    const error = await errorOf(read("17", state));

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).toContain(`dbwebhooks:${Object.keys(settings)[0]}: `);
    expect(methods()).toEqual([]);
  },
);
