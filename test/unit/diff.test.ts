import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.ts";
import { secret, someArgs, someState, unknownMarkers } from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import { startProvider, type Texts } from "../helpers/provider.ts";

type Properties = Record<string, unknown>;
const { string: unknownValue } = unknownMarkers;

/** Compares webhook 17 with the program. Returns the properties that differ, and the lines for the user. */
async function compare({ state = {}, news = {}, settings = {} }) {
  const { check, diff, lines } = startProvider(settings);
  // Pulumi checks arguments only when it runs the program, and not in a refresh.
  await check(someArgs(), someArgs(news));
  const { replaces = [] } = await diff("17", someState(state), someArgs(news));
  return { names: replaces, lines };
}

const replacementFor = (name: string) => ({
  names: [name],
  lines: [expect.stringMatching(`^warning: .*webhook 17 .*: ${name}`)],
});

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
        const { inputs } = await check({}, olds);
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
    ["the program adopts the webhook with its secret", { news: { adopt: { id: 17, secret } } }],
    ["the secret to adopt is not known yet", { news: { adopt: { id: 17, secret: unknownValue } } }],
    ["settings are missing", { settings: { baseUrl: undefined, apiKey: undefined } }],
  ])("finds no difference when %s", async (_case, comparison) => {
    expect(await compare(comparison)).toEqual({ names: [], lines: [] });
  });

  it.each<[property: string, reason: string, state: Properties, news: Properties]>([
    ["url", "not known yet", {}, { url: unknownValue }],
    ["events", "not known yet in part", {}, { events: ["record.created", unknownValue] }],
    // Sorting this list would throw.
    ["events", "no list of strings", {}, { events: [{ toString: 1 }, false] }],
    ["events", "no list in the state", { events: "record.created" }, {}],
    ["baseUrl", "missing in the state", { baseUrl: undefined }, {}],
    ["adopt", "for another webhook", {}, { adopt: { id: "18", secret } }],
    ["adopt", "for an id not known yet", {}, { adopt: { id: unknownMarkers.number, secret } }],
    ["adopt", "not known yet", {}, { adopt: unknownValue }],
    ["secret", "missing in the state", { secret: undefined }, {}],
    ["secret", "empty in the state", { secret: "" }, {}],
  ])("warns of a replacement because of %s, which is %s", async (name, _reason, state, news) => {
    expect(await compare({ state, news })).toEqual(replacementFor(name));
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

    expect(replaces).toEqual([...row.different, "baseUrl", "secret"]);
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
      const { check, diff, lines } = startProvider(settings, { environment });
      await check(someArgs(), someArgs());

      const error = await errorOf(diff("17", someState(), someArgs({ url: "https://b.example" })));

      expect(error).toMatchObject({ kind: "unchanged" });
      expect(error.message).toMatch(
        /set baseUrl and apiKey back .* run "pulumi up"\. Then declare a Provider/,
      );
      expect(lines).toEqual([]);
    },
  );

  it.each<[source: string, settings: Texts, environment: Texts]>([
    ["its arguments", { baseUrl }, apiKeyVariable],
    ["the environment", { baseUrl: undefined }, baseUrlVariable],
  ])(
    "replaces the webhook of a Provider, which may come from another one: from %s",
    async (_source, settings, environment) => {
      const { check, diff, lines } = startProvider(
        { isExplicit: "true", ...settings },
        { environment },
      );
      await check(someArgs(), someArgs());

      const { replaces = [] } = await diff("17", someState(), someArgs());

      expect(replaces).toEqual(["baseUrl"]);
      expect(lines).toEqual([expect.stringMatching(/^warning: .*baseUrl \(from .* to .*\)/)]);
    },
  );
});

it("An adopted number of another service is no webhook of the state, so a Provider replaces", async () => {
  const { diff } = startProvider({ isExplicit: "true", baseUrl: "https://other.example.com" });

  const { replaces } = await diff("17", someState(), someArgs({ adopt: { id: "17", secret } }));

  expect(replaces).toEqual(["baseUrl"]);
});

describe("The comparison that Pulumi makes in a refresh", () => {
  const drifted = someState({ url: "https://drifted.example" });
  const adopting = someArgs({ adopt: { id: "17", secret } });

  it.each([
    ["with URNs, beside the checks of other resources", "urn:first", "urn:other"],
    ["without URNs, in a command that checks nothing", undefined, undefined],
  ])("finds drift, refuses nothing and announces nothing: %s", async (_case, urn, checkedUrn) => {
    const { check, read, diff, lines } = startProvider();
    if (checkedUrn !== undefined) await check({}, someArgs(), { urn: checkedUrn });
    await read("17", drifted, { urn });

    const { replaces = [] } = await diff("17", drifted, adopting, { urn });

    expect(replaces).toEqual(["url"]);
    expect(lines).toEqual([]);
  });

  it("is none if an argument is not known yet: then Pulumi may delete what it compares", async () => {
    const { read, diff, lines } = startProvider();
    await read("17", drifted, { urn: "urn:first" });

    await diff("17", drifted, someArgs({ tableId: unknownValue }), { urn: "urn:first" });

    expect(lines).toEqual([expect.stringMatching(/^warning: Replacing webhook 17 /)]);
  });

  it.each(["urn:first", undefined])(
    "is over for the resource %s once its arguments were checked",
    async (urn) => {
      const { check, read, diff, lines } = startProvider();
      await read("17", drifted, { urn });
      await check({}, someArgs(), { urn });

      await diff("17", drifted, someArgs(), { urn });

      expect(lines).toEqual([expect.stringMatching(/^warning: Replacing webhook 17 .*: url\./)]);
    },
  );
});
