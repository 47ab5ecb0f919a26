import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.ts";
import { compareWebhook } from "../../src/core/diff.ts";
import { check, diff } from "../../src/dynamic/provider.ts";
import { someArgs, someSettings, someState, unknownMarkers } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { captureLines, configure } from "../helpers/provider.ts";

beforeEach(() => configure());

const diffOf = async (olds: Record<string, unknown>, news: Record<string, unknown>) => {
  const { result, lines } = await captureLines(() => diff("17", olds, news));
  return { ...result, lines };
};

const marked = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

const unchanged = { changes: false, lines: [] };

describe("no difference", () => {
  it("is said as such, without a line", async () => {
    const result = await diffOf(someState(), someArgs());

    expect(result).toStrictEqual(unchanged);
  });

  it.each([
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
    ["the provider's text", { __provider: "old" }, { __provider: "new" }],
    ["a stored property of another version", { active: true }, {}],
  ])("is made by %s", async (_case, olds, news) => {
    const result = await diffOf(someState(olds), someArgs(news));

    expect(result).toStrictEqual(unchanged);
  });

  it.each([
    ["https://tables.example.com/", "HTTPS://tables.example.com:443"],
    ["https://TABLES.example.com", "https://tables.example.com//"],
  ])("is made by another spelling of the base URL: %s, %s", async (old, next) => {
    await configure({ baseUrl: next });

    const result = await diffOf(someState({ baseUrl: old }), someArgs());

    expect(result).toStrictEqual(unchanged);
  });

  it("is made by settings that are missing", async () => {
    await configure({ baseUrl: undefined, apiKey: undefined });

    const result = await diffOf(someState(), someArgs());

    expect(result).toStrictEqual(unchanged);
  });
});

describe("a replacement", () => {
  it.each([
    ["databaseId", {}, { databaseId: "base_xyz" }],
    ["databaseId", {}, { databaseId: "BASE_ABC123" }],
    ["url", {}, { url: "https://example.com/hooks/orders/" }],
    ["events", {}, { events: ["record.created"] }],
    ["events", {}, { events: ["record.created", "record.updated", "table.created"] }],
    ["events", { events: undefined }, {}],
    ["events", { events: "record.created" }, { events: ["record.created"] }],
    ["tableId", {}, { tableId: "tbl_1" }],
    ["tableId", { tableId: "tbl_1" }, {}],
    ["tableId", { tableId: "tbl_1" }, { tableId: null }],
    ["tableId", { tableId: "tbl_1" }, { tableId: "tbl_2" }],
  ])("comes with another %s: %j, %j", async (property, olds, news) => {
    const result = await diffOf(someState(olds), someArgs(news));

    expect(result).toStrictEqual({
      changes: true,
      replaces: [property],
      lines: [expect.stringContaining(property)],
    });
  });

  it.each(["databaseId", "url", "events", "tableId"])(
    "comes with an unknown %s",
    async (property) => {
      const result = await diffOf(someState(), someArgs({ [property]: unknownMarkers.string }));

      expect(result).toStrictEqual({
        changes: true,
        replaces: [property],
        lines: [expect.stringContaining(property)],
      });
    },
  );

  it("comes with an unknown event", async () => {
    const events = ["record.created", unknownMarkers.string];

    const { replaces } = await diffOf(someState(), someArgs({ events }));

    expect(replaces).toEqual(["events"]);
  });

  it.each([
    "https://eu.example.com",
    "https://tables.example.com/eu",
    "https://tables.example.com:444",
  ])("comes with another base URL: %s", async (baseUrl) => {
    await configure({ baseUrl });

    const result = await diffOf(someState(), someArgs());

    expect(result).toStrictEqual({
      changes: true,
      replaces: ["baseUrl"],
      lines: [expect.stringContaining("dbwebhooks:baseUrl")],
    });
  });

  it.each([undefined, "not a URL", 7])("comes with the stored base URL %j", async (baseUrl) => {
    const { replaces } = await diffOf(someState({ baseUrl }), someArgs());

    expect(replaces).toEqual(["baseUrl"]);
  });

  it.each([undefined, null, "", 7, {}])("comes with the stored secret %j", async (stored) => {
    const { replaces } = await diffOf(someState({ secret: stored }), someArgs());

    expect(replaces).toEqual(["secret"]);
  });

  it("comes with events that cannot be put in an order", async () => {
    const result = await diffOf(someState(), someArgs({ events: [{ toString: 1 }, false] }));

    expect(result).toMatchObject({ changes: true, replaces: ["events"] });
  });

  it("names all that forces it, and what it means, in one line", async () => {
    await configure({ baseUrl: "https://eu.example.com" });

    const { replaces, lines } = await diffOf(
      someState({ secret: undefined }),
      someArgs({ url: "https://example.com/else", tableId: unknownMarkers.string }),
    );

    expect(replaces).toEqual(["url", "tableId", "baseUrl", "secret"]);
    expect(lines).toEqual([
      "Replacing webhook 17 of database base_abc123: url changes, tableId is not known yet, dbwebhooks:baseUrl changes from https://tables.example.com to https://eu.example.com (if the same service has moved, set dbwebhooks:formerBaseUrls to the former address), its state holds no secret. Its secret will change. The old webhook and its secret keep working until the end of the update; with deleteBeforeReplace they are deleted first, with retainOnDelete they stay.\n",
    ]);
  });

  it("leaves the order of its steps to the engine", async () => {
    const result = await diffOf(someState(), someArgs({ databaseId: "base_xyz" }));

    expect(result).not.toHaveProperty("deleteBeforeReplace");
  });

  it("keeps its line complete, whatever the database is called", async () => {
    const databaseId = "x\n".repeat(10_000);

    const { lines } = await diffOf(someState({ databaseId }), someArgs({ databaseId: "y" }));

    const ofShortName = await diffOf(someState(), someArgs({ databaseId: "y" }));
    const endOf = ([line = ""]: readonly string[]) => line.split(": ").at(-1);
    expect(lines).toEqual([expect.stringContaining("x x x")]);
    expect(endOf(lines)).toBe(endOf(ofShortName.lines));
  });
});

describe("diff", () => {
  it("agrees with a comparison of what would be sent", async () => {
    const optional = <Value>(value: fc.Arbitrary<Value>) =>
      fc.oneof(value, fc.constantFrom(undefined, null));
    const args = fc.record({
      databaseId: fc.constantFrom("a", "b"),
      url: fc.constantFrom("https://a.example", "https://b.example"),
      events: fc.array(fc.constantFrom(...eventTypes.slice(0, 3)), { minLength: 1, maxLength: 4 }),
      tableId: optional(fc.constantFrom("t", "u")),
      allowUnknownEvents: optional(fc.boolean()),
    });
    const bodyOf = ({ databaseId, url, events, tableId }: Record<string, unknown>) =>
      JSON.stringify([databaseId, url, [...new Set(events as string[])].sort(), tableId ?? null]);

    await fc.assert(
      fc.asyncProperty(args, args, async (before, after) => {
        const { inputs } = await check({}, before);

        const { changes } = await diffOf(someState({ tableId: undefined, ...inputs }), after);

        expect(changes).toBe(bodyOf(before) !== bodyOf(after));
      }),
    );
  });

  it("presents an exception without its stack and without what is sensitive", async () => {
    const olds = someState({ url: "https://example.com/hooks/T0K3N-of-the-receiver" });
    const news = {
      get databaseId(): unknown {
        throw new Error("cannot read t0k3n-OF-the-receiver");
      },
    };

    const error = await errorOf(diff("17", olds, news));

    expect(error.message).toContain("cannot read [redacted]");
    expect(error.stack).toBe("");
  });
});

describe("ignored changes", () => {
  it("are no difference, as a whole or in part, and nothing is said of them", () => {
    const olds = someState({ url: "https://drifted.example", events: ["table.created"] });
    const compare = (...ignored: string[]) =>
      compareWebhook("17", olds, someArgs(), someSettings(), ignored).differences.map(
        ({ property }) => property,
      );

    expect(compare()).toEqual(["url", "events"]);
    expect(compare("url")).toEqual(["events"]);
    expect(compare("events[0]", "url")).toEqual([]);
  });

  it.each([
    ["*", []],
    ["[*]", []],
    ['["url"]', ["events"]],
    ['["events"][0]', ["url"]],
    ["events[*]", ["url"]],
    ["urls", ["url", "events"]],
  ])("reads a path as Pulumi does: %s", (path, left) => {
    const olds = someState({ url: "https://example.com/drifted", events: ["record.deleted"] });

    const { differences } = compareWebhook("17", olds, someArgs(), someSettings(), [path]);

    expect(differences.map(({ property }) => property)).toEqual(left);
  });
});
