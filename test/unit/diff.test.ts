import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { secret, secretMark, someArgs, someState, unknownMarkers } from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";

type Properties = Record<string, unknown>;
const { string: unknown } = unknownMarkers;

const namesOf = (differences: readonly { readonly property: string }[]) =>
  differences.map(({ property }) => property);

/** Compares webhook 17 in a run of the program. Returns what differs, and the lines for the user. */
async function compare(state: Properties, news: Properties, settings = {}) {
  const { check, diff, lines } = startProvider(settings);
  await check(someArgs(), someArgs());
  const differences = await diff("17", someState(state), someArgs(news));
  return { names: namesOf(differences), lines };
}

const same = { names: [], lines: [] };
const replacedFor = (name: string) => ({
  names: [name],
  lines: [expect.stringMatching(/^warning: .*webhook 17 /)],
});

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
    const requestOf = ({ databaseId, url, events, tableId }: Properties): Properties => ({
      databaseId,
      url: new URL(String(url)).href,
      events: [...new Set(events as string[])].sort().join(),
      tableId: tableId ?? undefined,
    });

    await fc.assert(
      fc.asyncProperty(args, args, async (before, after) => {
        const { check, diff } = startProvider();
        const { inputs } = await check({}, before);
        const [old, next] = [requestOf(before), requestOf(after)];

        const differences = await diff("17", someState({ tableId: undefined, ...inputs }), after);

        expect(namesOf(differences)).toEqual(
          Object.keys(old).filter((name) => old[name] !== next[name]),
        );
      }),
    );
  });

  it.each<[string, Properties]>([
    ["events in another order", { events: ["record.updated", "record.created"] }],
    ["null as tableId", { tableId: null }],
    ["the url wrapped as a secret", { url: { ...secretMark, value: someState().url } }],
    ["a wrapped secret", { secret: { ...secretMark, value: "whsec_1" } }],
    ["a property of another version", { active: true }],
    ["another spelling of the base URL", { baseUrl: "HTTPS://TABLES.example.com:443//" }],
  ])("finds no difference when the state holds %s", async (_case, state) => {
    expect(await compare(state, {})).toEqual(same);
  });

  it.each([
    ["its secret", secret],
    ["a secret that is not known yet", unknown],
  ])("finds no difference when the program adopts the webhook with %s", async (_case, value) => {
    expect(await compare({}, { adopt: { id: 17, secret: value } })).toEqual(same);
  });

  it("finds no difference when settings are missing", async () => {
    expect(await compare({}, {}, { baseUrl: undefined, apiKey: undefined })).toEqual(same);
  });

  it.each<[string, Properties, Properties]>([
    ["databaseId", {}, { databaseId: unknown }],
    ["url", {}, { url: unknown }],
    ["events", {}, { events: ["record.created", unknown] }],
    ["events", {}, { events: [{ toString: 1 }, false] }],
    ["events", { events: undefined }, {}],
    ["events", { events: "record.created" }, {}],
    ["tableId", {}, { tableId: unknown }],
    ["baseUrl", { baseUrl: undefined }, {}],
    ["baseUrl", { baseUrl: "not a URL" }, {}],
    ["adopt", {}, { adopt: { id: "18", secret } }],
    ["adopt", {}, { adopt: { id: unknownMarkers.number, secret } }],
    ["adopt", {}, { adopt: unknown }],
    ["secret", { secret: undefined }, {}],
    ["secret", { secret: "" }, {}],
    ["secret", { secret: {} }, {}],
  ])("warns of a replacement for %s: state %j, program %j", async (name, state, news) => {
    expect(await compare(state, news)).toEqual(replacedFor(name));
  });
});

describe("ignoreChanges", () => {
  it.each<[string, string[], string[]]>([
    ["no difference", ["url", "events"], []],
    ["no difference", ["*"], []],
    ["no difference", ["[*]"], []],
    ["a difference in events", ["url", "events[0]"], ["events"]],
    ["a difference in events", ['["url"]'], ["events"]],
    ["a difference in url and events", ['["events"][0]', "url.x", "urls", ""], ["url", "events"]],
  ])("leaves %s when it holds %j", async (_names, ignored, names) => {
    const state = someState({ url: "https://drifted.example", events: ["table.created"] });

    const differences = await startProvider().diff("17", state, someArgs(), { ignored });

    expect(namesOf(differences)).toEqual(names);
  });
});

describe("A base URL other than the one at which a webhook was created", () => {
  const next = { baseUrl: "https://next.example.com" };

  it("is refused for the default provider", async () => {
    await expect(compare({}, {}, next)).rejects.toMatchObject({ kind: "unchanged" });
  });

  it.each([
    ["host", "https://next.example.com"],
    ["port", "https://tables.example.com:444"],
    ["path", "https://tables.example.com/eu"],
  ])("replaces the webhook of an explicit provider: another %s", async (_part, baseUrl) => {
    expect(await compare({}, {}, { baseUrl, isExplicit: "true" })).toEqual(replacedFor("baseUrl"));
  });

  it("is refused for an explicit provider if the environment holds it", async () => {
    const settings = { baseUrl: undefined, isExplicit: "true" };
    const environment = { DBWEBHOOKS_BASE_URL: next.baseUrl };
    const { diff } = startProvider(settings, undefined, environment);

    const difference = diff("17", someState(), someArgs());

    await expect(difference).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("is no error in a refresh, which does not run the program", async () => {
    const { read, diff } = startProvider(next);
    await read("17", someState());

    const differences = await diff("17", someState(), someArgs());

    expect(namesOf(differences)).toEqual(["baseUrl"]);
  });

  it("is no difference when it is a former base URL of the same service", async () => {
    const formerBaseUrls = `https://a.a,${someState().baseUrl}/`;

    expect(await compare({}, {}, { ...next, formerBaseUrls })).toEqual(same);
  });
});
