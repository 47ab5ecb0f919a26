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

const replacementBecauseOf = (name: string) =>
  expect.stringMatching(`^warning: Replacing webhook 17 of .*\\b${name}\\b`);

/** Compares webhook 17 in a run of the program. */
async function compare(state: Properties, news: Properties, settings = {}) {
  const { check, diff, lines } = startProvider(settings);
  await check(someArgs(), someArgs());
  const differences = await diff("17", someState(state), someArgs(news));
  return { names: namesOf(differences), lines };
}

describe("A comparison", () => {
  it("finds a difference where another request would be sent, and nowhere else", async () => {
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
    const fieldsOf = ({ databaseId, url, events, tableId }: Properties): Properties => {
      const eventsText = [...new Set(events as string[])].sort().join();
      const { href } = new URL(String(url));
      return { databaseId, url: href, events: eventsText, tableId: tableId ?? undefined };
    };

    await fc.assert(
      fc.asyncProperty(args, args, async (before, after) => {
        const { inputs } = await startProvider().check({}, before);
        const old = fieldsOf(before);
        const next = fieldsOf(after);

        const state = someState({ tableId: undefined, ...inputs });
        const differences = compareWebhook(someComparison(state, after));

        expect(namesOf(differences)).toEqual(
          Object.keys(old).filter((name) => old[name] !== next[name]),
        );
      }),
    );
  });

  it.each<[string, Properties]>([
    ["events in another order", { events: ["record.updated", "record.created"] }],
    ["null as tableId", { tableId: null }],
    ["the url as a secret", { url: { ...secretMark, value: someState().url } }],
    ["a wrapped secret", { secret: { ...secretMark, value: "whsec_1" } }],
    ["a property of another version", { active: true }],
    ["another spelling of the base URL", { baseUrl: "HTTPS://TABLES.example.com:443//" }],
  ])("finds no difference, and says nothing, when the state holds %s", async (_case, state) => {
    expect(await compare(state, {})).toStrictEqual({ names: [], lines: [] });
  });

  it.each<[string, Properties]>([
    ["adopts the webhook", { adopt: { id: 17, secret } }],
    [
      "adopts it with a secret that is not known yet",
      { adopt: { id: "17", secret: unknownMarkers.string } },
    ],
  ])("finds no difference, and says nothing, when the program %s", async (_case, news) => {
    expect(await compare({}, news)).toStrictEqual({ names: [], lines: [] });
  });

  it("finds no difference, and says nothing, when settings are missing", async () => {
    const settings = { baseUrl: undefined, apiKey: undefined };

    expect(await compare({}, {}, settings)).toStrictEqual({ names: [], lines: [] });
  });

  it.each<[string, Properties]>([
    ["databaseId", { databaseId: unknownMarkers.string }],
    ["url", { url: "https://example.com/hooks/orders/" }],
    ["url", { url: unknownMarkers.string }],
    ["events", { events: [{ toString: 1 }, false] }],
    ["events", { events: ["record.created", unknownMarkers.string] }],
    ["tableId", { tableId: unknownMarkers.string }],
    ["adopt", { adopt: { id: "18", secret } }],
    ["adopt", { adopt: { id: unknownMarkers.number, secret } }],
    ["adopt", { adopt: unknownMarkers.string }],
  ])("finds a difference in %s, and warns, when the program declares %j", async (name, news) => {
    expect(await compare({}, news)).toEqual({ names: [name], lines: [replacementBecauseOf(name)] });
  });

  it.each<[string, Properties]>([
    ["events", { events: undefined }],
    ["events", { events: "record.created" }],
    ["baseUrl", { baseUrl: undefined }],
    ["baseUrl", { baseUrl: "not a URL" }],
    ["baseUrl", { baseUrl: 7 }],
    ["secret", { secret: undefined }],
    ["secret", { secret: null }],
    ["secret", { secret: "" }],
    ["secret", { secret: 7 }],
    ["secret", { secret: {} }],
  ])("finds a difference in %s, and warns, when the state holds %j", async (name, state) => {
    expect(await compare(state, {})).toEqual({
      names: [name],
      lines: [replacementBecauseOf(name)],
    });
  });

  it("returns a reason for each property that forces a replacement", () => {
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
    ["url and events", [], ["url", "events"]],
    ["events", ["url", "events[0]"], ["events"]],
    ["nothing", ["*"], []],
    ["nothing", ["[*]"], []],
    ["events", ['["url"]'], ["events"]],
    ["url and events", ['["events"][0]', "url.x", "urls", ""], ["url", "events"]],
  ])("finds a difference in %s with ignoreChanges %j", async (_names, ignored, expected) => {
    const state = someState({ url: "https://drifted.example", events: ["table.created"] });

    const differences = await startProvider().diff("17", state, someArgs(), { ignored });

    expect(namesOf(differences)).toEqual(expected);
  });
});

describe("A base URL other than the one at which a webhook was created", () => {
  const next = { baseUrl: "https://next.example.com" };
  const formerBaseUrls = `https://a.a,${someState().baseUrl}/`;

  it("is refused for the default provider, with both addresses and the three ways on", async () => {
    await expect(compare({}, {}, next)).rejects.toMatchObject({
      kind: "unchanged",
      message: expect.stringMatching(
        /https:\/\/tables\.example\.com.*https:\/\/next\.example\.com.*formerBaseUrls.*Provider.*state delete/,
      ),
    });
  });

  it.each([
    ["has another host", "https://next.example.com"],
    ["has another port", "https://tables.example.com:444"],
    ["has a path", "https://tables.example.com/eu"],
  ])(
    "replaces the webhook of an explicit provider, with a warning, when it %s",
    async (_case, baseUrl) => {
      const settings = { baseUrl, isExplicit: "true" };

      expect(await compare({}, {}, settings)).toEqual({
        names: ["baseUrl"],
        lines: [replacementBecauseOf("baseUrl")],
      });
    },
  );

  it("is no error in a refresh, which does not run the program", async () => {
    const { read, diff } = startProvider(next);
    await read("17", someState());

    const differences = await diff("17", someState(), someArgs());

    expect(namesOf(differences)).toEqual(["baseUrl"]);
  });

  it("is no difference when the webhook was created at a former base URL", async () => {
    const comparison = await compare({}, {}, { ...next, formerBaseUrls });

    expect(comparison).toStrictEqual({ names: [], lines: [] });
  });
});
