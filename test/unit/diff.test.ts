import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.ts";
import type { DiffOptions } from "../../src/provider/diff.ts";
import { secret, someArgs, someState, unknownMarkers, wrapped } from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import { startProvider, type Texts } from "../helpers/provider.ts";

type Properties = Record<string, unknown>;
const { string: unknownValue } = unknownMarkers;

const namesOf = (differences: readonly { readonly property: string }[]) =>
  differences.map(({ property }) => property);

/** Compares webhook 17 with the program. Returns the properties that differ, and the lines for the user. */
async function compare({ state = {}, news = {}, settings = {} }) {
  const { check, diff, lines } = startProvider(settings);
  // Pulumi checks arguments only when it runs the program, and not in a refresh.
  await check(someArgs(), someArgs(news));
  const differences = await diff("17", someState(state), someArgs(news));
  return { names: namesOf(differences), lines };
}

const replacementFor = (name: string) => ({
  names: [name],
  lines: [expect.stringMatching(`^warning: .*webhook 17 .*: ${name}`)],
});

describe("A comparison", () => {
  const formerBaseUrls = `https://a.a,${someState().baseUrl}/,https://b.b`;
  const movedService = { baseUrl: "https://a.b", formerBaseUrls };

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
        const differences = await diff("17", someState(inputs), news);

        expect(namesOf(differences)).toEqual(different);
      }),
    );
  });

  it.each<[string, Parameters<typeof compare>[0]]>([
    ["the state holds null as tableId", { state: { tableId: null } }],
    ["the state holds the url wrapped as a secret", { state: { url: wrapped(someState().url) } }],
    ["the state holds a wrapped secret", { state: { secret: wrapped("whsec_1") } }],
    ["the base URLs mean the same", { state: { baseUrl: "HTTPS://TABLES.example.com:443//" } }],
    ["the webhook was created at a former base URL", { settings: movedService }],
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

    const differences = await diff("17", state, someArgs(), { ignored: row.ignored });

    expect(namesOf(differences)).toEqual([...row.different, "baseUrl", "secret"]);
  });
});

describe("A base URL other than the one at which a webhook was created", () => {
  const otherService = { baseUrl: "https://tables.example.com/eu" };
  const explicit = { isExplicit: "true" };
  const plugin = { keepsOldSettings: true };
  const baseUrlVariable = { DBWEBHOOKS_BASE_URL: otherService.baseUrl };
  const apiKeyVariable = { DBWEBHOOKS_API_KEY: "key-of-the-environment" };

  it.each<[string, Texts, Texts, DiffOptions]>([
    ["the default provider of the dynamic adapter", otherService, {}, {}],
    [
      "the default provider of the plugin with a base URL of the environment",
      {},
      baseUrlVariable,
      plugin,
    ],
    [
      "the default provider of the plugin with a key of the environment",
      otherService,
      apiKeyVariable,
      plugin,
    ],
    [
      "a Provider that has it from a variable",
      { ...explicit, baseUrl: undefined },
      baseUrlVariable,
      {},
    ],
  ])("is refused for %s, before any warning", async (_case, settings, environment, options) => {
    const { check, diff, lines } = startProvider(settings, { environment });
    await check(someArgs(), someArgs());

    const error = await errorOf(diff("17", someState(), someArgs(), options));

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(error.message).toMatch(/its own key.*"Another base URL"/);
    expect(lines).toEqual([]);
  });

  it.each<[string, Texts, Texts, DiffOptions]>([
    ["the default provider of the plugin", otherService, {}, plugin],
    ["a Provider that has it as an argument", { ...explicit, ...otherService }, apiKeyVariable, {}],
  ])("replaces the webhook of %s, with one line", async (_case, settings, environment, options) => {
    const { check, diff, lines } = startProvider(settings, { environment });
    await check(someArgs(), someArgs());

    const differences = await diff("17", someState(), someArgs(), options);

    expect(namesOf(differences)).toEqual(["baseUrl"]);
    expect(lines).toEqual([expect.stringMatching(/^warning: .*old key.*formerBaseUrls/)]);
  });

  it("is a difference and no error in a refresh, even if `adopt` names the webhook", async () => {
    const { read, diff, lines } = startProvider(otherService);
    await read("17", someState());

    const differences = await diff("17", someState(), someArgs({ adopt: { id: 17, secret } }));

    expect(namesOf(differences)).toEqual(["baseUrl"]);
    expect(lines).toEqual([]);
  });
});
