import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { compareWebhook } from "../../src/core/diff.js";
import { secret, someArgs, someSettings, someState, unknownMarkers } from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";

type Properties = Record<string, unknown>;

const marked = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});
const namesOf = (differences: readonly { readonly property: string }[]) =>
  differences.map(({ property }) => property);
/** What a comparison of webhook 17 says in a run of the program. */
const compare = async (olds: Properties, news: Properties, settings = {}) => {
  const { check, diff, lines } = startProvider(settings);
  await check(someArgs(), someArgs());
  return { names: namesOf(await diff("17", someState(olds), someArgs(news))), lines };
};
const unchanged = { names: [], lines: [] };

describe("no difference", () => {
  it.each<[string, Properties, Properties]>([
    ["nothing", {}, {}],
    ["the order of events", {}, { events: ["record.updated", "record.created"] }],
    ["a duplicate event", {}, { events: ["record.updated", "record.created", "record.created"] }],
    ["old events as they were once stored", { events: ["record.updated", "record.created"] }, {}],
    ["an undefined tableId", {}, { tableId: undefined }],
    ["a null tableId", {}, { tableId: null }],
    ["a tableId stored as null", { tableId: null }, {}],
    ["allowUnknownEvents", {}, { allowUnknownEvents: true }],
    ["allowInsecureUrl", { allowInsecureUrl: true }, { allowInsecureUrl: false }],
    ["an unknown allowInsecureUrl", {}, { allowInsecureUrl: unknownMarkers.string }],
    ["a stored url that is marked as a secret", { url: marked(someState().url) }, {}],
    ["a stored secret that is marked as one", { secret: marked("whsec_1") }, {}],
    ["a stored property of another version", { active: true }, {}],
    ["adopt that names the webhook", {}, { adopt: { id: "17", secret } }],
    ["adopt that names it as a number", {}, { adopt: { id: 17, secret } }],
    ["an unknown secret in adopt", {}, { adopt: { id: 17, secret: unknownMarkers.string } }],
  ])("is made by %s, and nothing is said", async (_case, olds, news) => {
    expect(await compare(olds, news)).toStrictEqual(unchanged);
  });

  const formerBaseUrls = "https://a.example,https://old.example.com/eu";
  it.each<[string, string, Properties]>([
    ["https://tables.example.com/", "HTTPS://tables.example.com:443", {}],
    ["https://TABLES.example.com", "https://tables.example.com//", {}],
    ["https://old.example.com/eu/", "https://tables.example.com", { formerBaseUrls }],
  ])("is made by the base URL %s where it is %s", async (baseUrl, today, settings) => {
    expect(await compare({ baseUrl }, {}, { baseUrl: today, ...settings })).toEqual(unchanged);
  });

  it("is made by settings that are missing", async () => {
    const { diff } = startProvider({ baseUrl: undefined, apiKey: undefined });

    expect(await diff("17", someState(), someArgs())).toEqual([]);
  });
});

describe("a difference", () => {
  type Row = [name: string, olds: Properties, news: Properties];
  const stored = (name: string, olds: Properties): Row => [name, olds, {}];
  it.each<Row>([
    ["databaseId", {}, { databaseId: "base_xyz" }],
    ["databaseId", {}, { databaseId: "BASE_ABC123" }],
    ["url", {}, { url: "https://example.com/hooks/orders/" }],
    ["events", {}, { events: ["record.created"] }],
    ["events", {}, { events: ["record.created", "record.updated", "table.created"] }],
    ["events", { events: undefined }, {}],
    ["events", { events: "record.created" }, { events: ["record.created"] }],
    ["events", {}, { events: [{ toString: 1 }, false] }],
    ["events", {}, { events: ["record.created", unknownMarkers.string] }],
    ["tableId", {}, { tableId: "tbl_1" }],
    ["tableId", { tableId: "tbl_1" }, {}],
    ["tableId", { tableId: "tbl_1" }, { tableId: null }],
    ["databaseId", {}, { databaseId: unknownMarkers.string }],
    ["url", {}, { url: unknownMarkers.string }],
    ["events", {}, { events: unknownMarkers.array }],
    ["tableId", {}, { tableId: unknownMarkers.string }],
    ["adopt", {}, { adopt: { id: "18", secret } }],
    ["adopt", {}, { adopt: { id: unknownMarkers.number, secret } }],
    ["adopt", {}, { adopt: unknownMarkers.string }],
    ...[undefined, "not a URL", 7].map((baseUrl) => stored("baseUrl", { baseUrl })),
    ...[undefined, null, "", 7, {}].map((secret) => stored("secret", { secret })),
  ])("is made by %s, in one warning: %j, %j", async (name, olds, news) => {
    expect(await compare(olds, news)).toEqual({
      names: [name],
      lines: [
        expect.stringMatching(new RegExp(`^warning: Replacing webhook 17 of .*\\b${name}\\b`)),
      ],
    });
  });

  it.each([
    "https://eu.example.com",
    "https://tables.example.com/eu",
    "https://tables.example.com:444",
  ])("is made by the base URL %s", async (baseUrl) => {
    expect((await compare({}, {}, { baseUrl })).names).toEqual(["baseUrl"]);
  });

  it("names all that forces a replacement, each with its reason", () => {
    const settings = someSettings({ baseUrl: "https://eu.example.com" });
    const adopt = { id: unknownMarkers.number };
    const news = someArgs({ url: "https://b.example", tableId: unknownMarkers.string, adopt });

    expect(compareWebhook("17", someState({ secret: undefined }), news, settings)).toEqual([
      { property: "url", reason: "url changes" },
      { property: "tableId", reason: "tableId is not known yet" },
      { property: "baseUrl", reason: expect.stringContaining("https://eu.example.com") },
      { property: "adopt", reason: "adopt.id is not known yet" },
      { property: "secret", reason: "its state holds no secret" },
    ]);
    expect(compareWebhook("16", someState(), someArgs({ adopt: { id: 17 } }), undefined)).toEqual([
      { property: "adopt", reason: "adopt.id names another webhook" },
    ]);
  });

  const old = "https://old.example.com";
  it.each([
    ["names where the key must be allowed to go", old, [], true],
    ["does not when it is allowed already", old, [old], false],
    ["does not when the state names no place", undefined, [], false],
  ])("of the base URL %s", (_case, baseUrl, otherBaseUrls, isNamed) => {
    const settings = someSettings({ otherBaseUrls });

    const [difference] = compareWebhook("17", someState({ baseUrl }), someArgs(), settings);

    expect(difference?.reason).toContain("dbwebhooks:formerBaseUrls");
    expect(difference?.reason.includes("dbwebhooks:otherBaseUrls")).toBe(isNamed);
  });

  it("is the same as a difference of what would be sent", async () => {
    const optional = <Value>(value: fc.Arbitrary<Value>) =>
      fc.oneof(value, fc.constantFrom(undefined, null));
    const args = fc.record({
      databaseId: fc.constantFrom("a", "b"),
      url: fc.constantFrom("https://a.example", "https://b.example"),
      events: fc.array(fc.constantFrom(...eventTypes.slice(0, 3)), { minLength: 1, maxLength: 4 }),
      tableId: optional(fc.constantFrom("t", "u")),
      allowUnknownEvents: optional(fc.boolean()),
    });
    const bodyOf = ({ databaseId, url, events, tableId }: Properties) =>
      JSON.stringify([databaseId, url, [...new Set(events as string[])].sort(), tableId ?? null]);

    await fc.assert(
      fc.asyncProperty(args, args, async (before, after) => {
        const { inputs } = await startProvider().check({}, before);
        const state = someState({ tableId: undefined, ...inputs });

        const differences = compareWebhook("17", state, after, someSettings());

        expect(differences.length > 0).toBe(bodyOf(before) !== bodyOf(after));
      }),
    );
  });

  it("has a line that is complete, whatever the database is called", async () => {
    const databaseId = "x\n".repeat(10_000);

    const { lines } = await compare({ databaseId }, {});

    expect(lines).toEqual([expect.stringMatching(/x x x…: databaseId changes\. Its secret will/)]);
  });
});

describe("ignored changes", () => {
  it.each<[string, string[], string[]]>([
    ["none", [], ["url", "events"]],
    ["one", ["url"], ["events"]],
    ["a part", ["events[0]", "url"], []],
    ["all", ["*"], []],
    ["all, in brackets", ["[*]"], []],
    ["a quoted name", ['["url"]'], ["events"]],
    ["a part of a quoted name", ['["events"][0]'], ["url"]],
    ["all parts", ["events[*]"], ["url"]],
    ["a part behind a dot", ["url.x"], ["events"]],
    ["another name", ["urls"], ["url", "events"]],
    ["nothing that is a path", [""], ["url", "events"]],
  ])("are no difference: %s", (_case, ignored, left) => {
    const olds = someState({ url: "https://drifted.example", events: ["table.created"] });

    const differences = compareWebhook("17", olds, someArgs(), someSettings(), ignored);

    expect(namesOf(differences)).toEqual(left);
  });

  it("are handed over by Pulumi", async () => {
    const { diff } = startProvider();
    const news = someArgs({ url: "https://example.com/other" });

    expect(await diff("17", someState(), news, { ignored: ["url"] })).toEqual([]);
  });
});
