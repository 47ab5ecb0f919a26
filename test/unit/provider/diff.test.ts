import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../../src/common/event-types.ts";
import { someArgs, someState, unknownMarkers } from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { startProvider, type Texts } from "../../helpers/provider.ts";

type Properties = Record<string, unknown>;
const { string: unknownValue } = unknownMarkers;

/**
 * Compares webhook 17 with the program. Returns the properties that differ, and the lines for the
 * user.
 */
async function compare({ state = {}, news = {}, settings = {} }) {
  const { diff, lines } = startProvider(settings);
  const { replaces = [] } = await diff("17", someState(state), someArgs(news));
  return { names: replaces, lines };
}

const warningOf = (name: string) => expect.stringMatching(`^warning: .*webhook 17 .*: ${name}`);

describe("A comparison", () => {
  it("finds exactly the arguments that would give the service another webhook", async () => {
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
    /** A simple model: what the service would get, as values that `===` can compare. */
    const webhookOf = ({ databaseId, url, events, tableId }: Properties): Properties => ({
      databaseId,
      url: new URL(String(url)).href,
      events: [...new Set(events as string[])].sort().join(),
      tableId: tableId ?? undefined,
    });

    await fc.assert(
      fc.asyncProperty(args, args, async (olds, news) => {
        const { check, diff } = startProvider();
        const { inputs } = await check(olds);
        const [old, next] = [webhookOf(olds), webhookOf(news)];
        const different = Object.keys(old).filter((name) => old[name] !== next[name]);

        // `news` is not checked first: a comparison does not rely on normalized arguments.
        const result = await diff("17", someState(inputs), news);

        expect(result).toEqual(
          different.length === 0 ? { changes: false } : { changes: true, replaces: different },
        );
      }),
    );
  });

  it.each<[string, Parameters<typeof compare>[0]]>([
    ["the state holds null as tableId", { state: { tableId: null } }],
    ["the base URLs mean the same", { state: { baseUrl: "HTTPS://TABLES.example.com:443//" } }],
    [
      "the service has stored the normalized url",
      {
        state: { url: "https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe" },
        news: { url: "https://bücher.example/größe" },
      },
    ],
    ["settings are missing", { settings: { baseUrl: undefined, apiKey: undefined } }],
  ])("finds no difference when %s", async (_case, comparison) => {
    expect(await compare(comparison)).toEqual({ names: [], lines: [] });
  });

  it("does not take two spellings of a URL for the same identifier", async () => {
    const { diff } = startProvider();
    const state = someState({ tableId: "https://A.b" });

    const { replaces } = await diff("17", state, someArgs({ tableId: "https://a.b/" }));

    expect(replaces).toEqual(["tableId"]);
  });

  it.each<[property: string, reason: string, state: Properties, news: Properties]>([
    ["url", "not known yet", {}, { url: unknownValue }],
    ["events", "not known yet in part", {}, { events: ["record.created", unknownValue] }],
    // Sorting this list would throw.
    ["events", "no list of strings", {}, { events: [{ toString: 1 }, false] }],
    ["events", "no list in the state", { events: "record.created" }, {}],
    ["secret", "missing in the state", { secret: undefined }, {}],
    ["secret", "empty in the state", { secret: "" }, {}],
  ])("warns of a replacement because of %s, which is %s", async (name, _reason, state, news) => {
    const lines = [warningOf(name)];

    expect(await compare({ state, news })).toEqual({ names: [name], lines });
  });

  it("warns once of the same differences, and again of others", async () => {
    // Pulumi compares before a replacement, in a refresh and in an import, some of them several
    // times.
    const { diff, lines } = startProvider();
    const [url, tableId] = ["https://b.example", "tbl_1"];

    for (const news of [{ url }, { url }, { url, tableId }, { url }]) {
      await diff("17", someState(), someArgs(news));
    }

    expect(lines).toEqual([warningOf("url\\."), warningOf("url, tableId\\.")]);
  });

  it("warns of each webhook, also of two with the same id in two databases", async () => {
    const { diff, lines } = startProvider();
    const url = "https://b.example";

    for (const databaseId of ["base_1", "base_2"]) {
      await diff("17", someState({ databaseId }), someArgs({ databaseId, url }));
    }

    expect(lines).toEqual(
      ["base_1", "base_2"].map((databaseId) => expect.stringContaining(` ${databaseId} `)),
    );
  });

  it.each<[string, id: string, state: Properties]>([
    ["id", "", {}],
    ["databaseId", "17", { databaseId: undefined }],
    ["baseUrl", "17", { baseUrl: "tables.example.com" }],
  ])("is refused before any warning when the state has no usable %s", async (_, id, state) => {
    const { diff, lines } = startProvider();

    const error = await errorOf(diff(id, someState(state), someArgs({ url: "https://b.example" })));

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(lines).toEqual([]);
  });
});

describe("ignoreChanges", () => {
  it.each<{ ignored: string[]; different: string[] }>([
    { ignored: ["url", "events"], different: [] },
    { ignored: ["*"], different: [] },
    { ignored: ["[*]"], different: [] },
    { ignored: ["url", "events[0]"], different: ["events"] },
    { ignored: ['["url"]'], different: ["events"] },
    { ignored: ['["events"][0]', "url.x", "urls", ""], different: ["url", "events"] },
  ])("of $ignored leaves, besides baseUrl and secret, the differences $different", async (row) => {
    const drift = { url: "https://drifted.example", events: ["table.created"] };
    const state = someState({ ...drift, baseUrl: "https://old.example.com", secret: undefined });
    // The default provider would refuse to compare a webhook of another base URL.
    const { diff } = startProvider({ isExplicit: "true" });

    const { replaces = [] } = await diff("17", state, someArgs(), { ignored: row.ignored });

    expect(replaces).toEqual([...row.different, "secret", "baseUrl"]);
  });
});

describe("A base URL other than the one at which a webhook was created", () => {
  const baseUrl = "https://tables.example.com/eu";
  const baseUrlVariable = { DBWEBHOOKS_BASE_URL: baseUrl };
  const apiKeyVariable = { DBWEBHOOKS_API_KEY: "key-of-the-environment" };

  it.each<[source: string, settings: Texts, environment: Texts]>([
    ["the stack's configuration", { baseUrl }, {}],
    ["the stack's configuration, with a key of the environment", { baseUrl }, apiKeyVariable],
    ["the environment", {}, baseUrlVariable],
  ])(
    "is refused for the default provider before any warning: from %s",
    async (_source, settings, environment) => {
      const { diff, lines } = startProvider(settings, { environment });

      const error = await errorOf(diff("17", someState(), someArgs({ url: "https://b.example" })));

      expect(error).toMatchObject({ kind: "unchanged" });
      expect(lines).toEqual([]);
    },
  );

  it("replaces the webhook of a Provider, which may come from another one", async () => {
    const { diff, lines } = startProvider({ isExplicit: "true", baseUrl });

    const { replaces = [] } = await diff("17", someState(), someArgs());

    expect(replaces).toEqual(["baseUrl"]);
    expect(lines).toEqual([warningOf("baseUrl")]);
  });
});
