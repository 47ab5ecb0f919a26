import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { compareWebhook } from "../../src/provider/diff.js";
import {
  secret,
  secretMark,
  someArgs,
  someSettings,
  someState,
  unknownMarkers,
} from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";

type Properties = Record<string, unknown>;

/** Webhook 17 with this state, and what the program declares for it. */
const someComparison = (state: Properties, news: Properties, settings = someSettings()) => ({
  ...{ id: "17", state, news, settings },
  ...{ ignored: [], urn: undefined },
});

const namesOf = (differences: readonly { readonly property: string }[]) =>
  differences.map(({ property }) => property);
/** What a comparison of webhook 17 says in a run of the program. */
const compare = async (olds: Properties, news: Properties, settings = {}) => {
  const { check, diff, lines } = startProvider(settings);
  await check(someArgs(), someArgs());
  return { names: namesOf(await diff("17", someState(olds), someArgs(news))), lines };
};

describe("a difference", () => {
  it("is one of what would be sent, and no other", async () => {
    const optional = <Value>(value: fc.Arbitrary<Value>) =>
      fc.oneof(value, fc.constantFrom(undefined, null));
    const args = fc.record({
      databaseId: fc.constantFrom("a", "A"),
      url: fc.constantFrom("https://a.example", "https://A.example:443/", "https://a.example/x"),
      events: fc.array(fc.constantFrom(...eventTypes.slice(0, 3)), { minLength: 1, maxLength: 4 }),
      tableId: optional(fc.constantFrom("t", "u")),
      allowUnknownEvents: optional(fc.boolean()),
      allowInsecureUrl: optional(fc.constantFrom(true, unknownMarkers.boolean)),
    });
    const sent = ({ databaseId, url, events, tableId }: Properties): Properties => {
      const eventsText = [...new Set(events as string[])].sort().join();
      const { href } = new URL(String(url));
      return { databaseId, url: href, events: eventsText, tableId: tableId ?? undefined };
    };

    await fc.assert(
      fc.asyncProperty(args, args, async (before, after) => {
        const { inputs } = await startProvider().check({}, before);
        const [old, next] = [sent(before), sent(after)];

        const state = someState({ tableId: undefined, ...inputs });
        const differences = compareWebhook(someComparison(state, after));

        expect(namesOf(differences)).toEqual(
          Object.keys(old).filter((name) => old[name] !== next[name]),
        );
      }),
    );
  });

  const today = { baseUrl: "https://TABLES.example.com:443//" };
  const old = "https://old.example.com/eu";
  it.each<[string, Properties, Properties, Properties?]>([
    ["old events as they were once stored", { events: ["record.updated", "record.created"] }, {}],
    ["a tableId stored as null", { tableId: null }, {}],
    ["a url marked as a secret", { url: { ...secretMark, value: someState().url } }, {}],
    ["a secret marked as one", { secret: { ...secretMark, value: "whsec_1" } }, {}],
    ["a stored property of another version", { active: true }, {}],
    ["adopt that names the webhook", {}, { adopt: { id: 17, secret } }],
    ["an unknown secret in adopt", {}, { adopt: { id: "17", secret: unknownMarkers.string } }],
    ["another spelling of the base URL", { baseUrl: "https://tables.example.com/" }, {}, today],
    ["a former base URL", { baseUrl: `${old}/` }, {}, { formerBaseUrls: `https://a.a,${old}` }],
    ["settings that are missing", {}, {}, { baseUrl: undefined, apiKey: undefined }],
  ])("is not %s, and nothing is said", async (_case, olds, news, settings) => {
    expect(await compare(olds, news, settings)).toStrictEqual({ names: [], lines: [] });
  });

  type Row = [name: string, olds: Properties, news: Properties, settings?: Properties];
  it.each<Row>([
    ["databaseId", {}, { databaseId: unknownMarkers.string }],
    ["url", {}, { url: "https://example.com/hooks/orders/" }],
    ["url", {}, { url: unknownMarkers.string }],
    ["events", { events: undefined }, {}],
    ["events", { events: "record.created" }, { events: ["record.created"] }],
    ["events", {}, { events: [{ toString: 1 }, false] }],
    ["events", {}, { events: ["record.created", unknownMarkers.string] }],
    ["tableId", {}, { tableId: unknownMarkers.string }],
    ["adopt", {}, { adopt: { id: "18", secret } }],
    ["adopt", {}, { adopt: { id: unknownMarkers.number, secret } }],
    ["adopt", {}, { adopt: unknownMarkers.string }],
    ...[undefined, "not a URL", 7].map((baseUrl): Row => ["baseUrl", { baseUrl }, {}]),
    ["baseUrl", {}, {}, { baseUrl: "https://tables.example.com/eu", isExplicit: "true" }],
    ["baseUrl", {}, {}, { baseUrl: "https://tables.example.com:444", isExplicit: "true" }],
    ...[undefined, null, "", 7, {}].map((secret): Row => ["secret", { secret }, {}]),
  ])("is made by %s, in one warning: %j, %j, %j", async (name, olds, news, settings) => {
    expect(await compare(olds, news, settings)).toEqual({
      names: [name],
      lines: [expect.stringMatching(`^warning: Replacing webhook 17 of .*\\b${name}\\b`)],
    });
  });

  it("has its reason, one of each property that forces a replacement", () => {
    const settings = someSettings({ baseUrl: "https://eu.example.com" });
    const adopt = { id: unknownMarkers.number };
    const news = someArgs({ url: "https://b.example", tableId: unknownMarkers.string, adopt });

    const state = someState({ secret: undefined });

    expect(compareWebhook(someComparison(state, news, settings))).toEqual([
      { property: "url", reason: "url changes" },
      { property: "tableId", reason: "tableId is not known yet" },
      { property: "baseUrl", reason: expect.stringContaining("https://eu.example.com") },
      { property: "adopt", reason: "adopt.id is not known yet" },
      { property: "secret", reason: "its state holds no secret" },
    ]);
  });

  it.each<[string, string[], string[]]>([
    ["none", [], ["url", "events"]],
    ["one, but not the part of another", ["events[0]", "url"], ["events"]],
    ["all", ["*"], []],
    ["all, in brackets", ["[*]"], []],
    ["a quoted name", ['["url"]'], ["events"]],
    ["a part of a quoted name", ['["events"][0]'], ["url", "events"]],
    ["a part behind a dot", ["url.x"], ["url", "events"]],
    ["another name, and no path", ["urls", ""], ["url", "events"]],
  ])("is not what the program ignores: %s", async (_case, ignored, left) => {
    const state = someState({ url: "https://drifted.example", events: ["table.created"] });

    expect(namesOf(await startProvider().diff("17", state, someArgs(), { ignored }))).toEqual(left);
  });
});

describe("A base URL other than the one at which a webhook was created", () => {
  const next = { baseUrl: "https://next.example.com" };
  const compareAfter = async (
    settings: Record<string, string>,
    before: (run: ReturnType<typeof startProvider>) => Promise<unknown>,
  ) => {
    const run = startProvider(settings);
    await before(run);
    return run.diff("17", someState(), someArgs());
  };
  const check = (run: ReturnType<typeof startProvider>) => run.check(someArgs(), someArgs());

  it("is refused for the default provider, with both addresses and the three ways on", async () => {
    await expect(compareAfter(next, check)).rejects.toMatchObject({
      kind: "unchanged",
      message: expect.stringMatching(
        /https:\/\/tables\.example\.com.*https:\/\/next\.example\.com.*formerBaseUrls.*Provider.*state delete/,
      ),
    });
  });

  it("replaces the webhook of an explicit provider", async () => {
    const differences = await compareAfter({ ...next, isExplicit: "true" }, check);

    expect(namesOf(differences)).toEqual(["baseUrl"]);
  });

  it("is no error of a refresh, which does not run the program", async () => {
    const differences = await compareAfter(next, (run) => run.read("17", someState()));

    expect(namesOf(differences)).toEqual(["baseUrl"]);
  });

  it("is no difference when it is a former base URL of the same service", async () => {
    const settings = { ...next, formerBaseUrls: "https://tables.example.com" };

    expect(await compareAfter(settings, check)).toEqual([]);
  });
});
