import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { secret, secretEnvelope, someArgs, unknownMarkers } from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";

type Args = Record<string, unknown>;

const check = (args: Args) => startProvider().check({}, args);
const failuresOf = async (args: Args) => (await check(args)).failures;
/** What each of these values fails with as one argument. */
const failuresOfEach = (name: string, values: readonly unknown[]) =>
  Promise.all(values.map(async (value) => [value, await failuresOf(someArgs({ [name]: value }))]));
const expectFine = async (name: string, values: readonly unknown[]) =>
  expect(await failuresOfEach(name, values)).toEqual(values.map((value) => [value, []]));

const markers = Object.values(unknownMarkers);
const names = ["databaseId", "url", "events", "tableId", "allowUnknownEvents", "allowInsecureUrl"];

describe("arguments that are all right", () => {
  it.each<[string, Args, Args]>([
    ["as they are", {}, {}],
    [
      "with all that is optional",
      { tableId: "t", allowInsecureUrl: true },
      { tableId: "t", allowInsecureUrl: true },
    ],
    [
      "without what is undefined",
      { tableId: undefined, allowInsecureUrl: undefined, adopt: undefined },
      {},
    ],
    ["without what is null", { tableId: null, allowUnknownEvents: null, adopt: null }, {}],
    ["without the empty places of outputs", { secret: undefined, baseUrl: null }, {}],
  ])("pass, %s", async (_case, given, expected) => {
    const args = Object.freeze(someArgs(given));

    expect(await check(args)).toStrictEqual({ inputs: someArgs(expected), failures: [] });
  });

  it("name any selection of the known events, sorted and without duplicates", async () => {
    const events = fc.array(fc.constantFrom(...eventTypes), { minLength: 1 });

    await fc.assert(
      fc.asyncProperty(events, async (given) => {
        const { inputs, failures } = await check(someArgs({ events: Object.freeze(given) }));

        const expected = eventTypes.filter((type) => given.includes(type)).toSorted();
        expect([inputs.events, failures]).toEqual([expected, []]);
      }),
    );
  });

  it("have an absolute URL, which is kept as it was written", async () => {
    const urls = [
      "https://example.com",
      "https://user:password@example.com:8443/a?b=c#d",
      "HTTPS://EXAMPLE.COM/",
      "https://bücher.example/ä",
      "https://[2001:db8::1]/hook",
    ];

    await expectFine("url", urls);
    for (const url of urls) {
      expect((await check(someArgs({ url }))).inputs.url).toBe(url);
    }
  });

  it("have a receiver without encryption on this machine, or where that is allowed", async () => {
    const loopback = ["localhost:3000/hook", "127.0.0.1:3000", "127.99.1.2", "[::1]:3000/hook"];

    await expectFine(
      "url",
      loopback.map((rest) => `http://${rest}`),
    );
    expect(
      await failuresOf(someArgs({ url: "http://example.com", allowInsecureUrl: true })),
    ).toEqual([]);
  });

  it("have an unknown event where that is allowed", async () => {
    const args = someArgs({ events: ["view.created"], allowUnknownEvents: true });

    expect(await failuresOf(args)).toEqual([]);
  });

  it.each(["databaseId", "tableId"])("have any identifier as %s", async (name) => {
    await expectFine(name, ["base_1", "6f0c", "a/b c", "ä?#%", "...", "0"]);
  });

  it.each([
    ["17", "17"],
    [17, "17"],
    [0, "0"],
    ["12345678901234567890", "12345678901234567890"],
  ])("have adopt with the id %j as text, and its secret marked", async (id, text) => {
    const { inputs, failures } = await check(someArgs({ adopt: { id, secret } }));

    expect(failures).toEqual([]);
    expect(inputs.adopt).toStrictEqual({ id: text, secret: secretEnvelope });
  });
});

describe("values that Pulumi does not know yet", () => {
  it.each([...names, "adopt"])("pass untouched as %s", async (name) => {
    for (const marker of markers) {
      const args = someArgs({ [name]: marker });

      expect(await check(args)).toStrictEqual({ inputs: args, failures: [] });
    }
  });

  it("pass untouched among the events, which then keep their order", async () => {
    for (const marker of markers) {
      const args = someArgs({ events: ["table.created", marker, "record.created"] });

      expect(await check(args)).toStrictEqual({ inputs: args, failures: [] });
    }
  });

  it("pass untouched within adopt", async () => {
    const { number, string } = unknownMarkers;

    for (const adopt of [
      { id: number, secret },
      { id: "17", secret: string },
    ]) {
      const { inputs, failures } = await check(someArgs({ adopt }));

      expect(failures).toEqual([]);
      expect(inputs).toMatchObject({ adopt: { id: adopt.id } });
    }
  });

  it("hide nothing that is wrong beside them, and are not echoed", async () => {
    const failures = await failuresOf({
      ...someArgs({ url: unknownMarkers.string, events: [unknownMarkers.string, "nope"] }),
      tabelId: unknownMarkers.string,
    });

    expect(failures).toEqual([
      expect.stringMatching(/^events\[1\]: /),
      expect.stringMatching(/^tabelId: /),
    ]);
    expect(failures.join()).not.toContain(unknownMarkers.string);
  });

  it("allow what they may turn out to allow, and nothing else", async () => {
    const wrong = someArgs({ url: "http://example.com", events: ["view.created"] });
    const pathsOf = async (allowance: Args) =>
      (await failuresOf({ ...wrong, ...allowance })).map((line) => line.split(":")[0]);

    expect(await pathsOf({})).toEqual(["url", "events[0]"]);
    expect(await pathsOf({ allowInsecureUrl: unknownMarkers.boolean })).toEqual(["events[0]"]);
    expect(await pathsOf({ allowUnknownEvents: unknownMarkers.string })).toEqual(["url"]);
  });
});

describe("a failure", () => {
  const database = 'must be the identifier of the database, such as "base_abc123"';
  const table = 'must be the identifier of one table, such as "tbl_orders"';
  const quotes = ", a string: put it in quotes";
  const ends = ", without white space at its ends";
  const absolute =
    'must be an absolute URL, such as "https://example.com/hooks", without white space';
  const insecure =
    "must begin with https:// (http:// only for a loopback host). To send notifications unencrypted anyway, set allowInsecureUrl: true";
  const adopted = "must be an object with the id and the secret of a webhook that exists";

  it.each<[string, string, readonly unknown[]]>([
    ["databaseId", `${database}, a string`, [undefined, null, {}, [], ["base_1"]]],
    ["databaseId", database + quotes, [12345, true]],
    [
      "databaseId",
      database + ends,
      ["", ".", "..", "\ud800", " base_1", "base_1\n", "base\u00001", "\u00a0"],
    ],
    ["tableId", `${table}, a string`, [{}, []]],
    ["tableId", table + quotes, [7, false]],
    ["tableId", table + ends, ["", "..", "\udc00", "tbl_1 ", "\t"]],
    [
      "url",
      'must be the URL of the receiver, such as "https://example.com/hooks"',
      [undefined, null, 7, {}, ["https://example.com"]],
    ],
    ["url", absolute, ["", "example.com/hooks", "//example.com/hooks", "/hooks"]],
    ["url", absolute, ["https:", "https://", "https:a.example", "https:/a.example"]],
    [
      "url",
      absolute,
      ["https:///a.example", "https:\\\\a.example", "https://a.example\\@b.example"],
    ],
    ["url", absolute, ["https://exa mple.com", " https://a.example", "https://a.example/a\nb"]],
    ["url", absolute, ["https://a.example/\u0000", "https://a.example/\ud800"]],
    ["url", absolute, ["ftp://a.example", "file:///etc/passwd", "javascript:alert(1)"]],
    [
      "url",
      'must have a host name and a port that can exist, such as "https://example.com/hooks"',
      ["https://example.com:99999", "https://exa<mple.com"],
    ],
    ["url", insecure, ["http://example.com", "HTTP://example.com", "http://10.0.0.1"]],
    ["url", insecure, ["http://svc.localhost", "http://notlocalhost", "http://128.0.0.1"]],
    ["url", insecure, ["http://localhost.example.com", "http://127.0.0.1.example.com"]],
    ["url", insecure, ["http://localhost@example.com", "http://[::ffff:127.0.0.1]"]],
    [
      "events",
      'must be a list of events, such as ["record.created"]',
      [undefined, null, "record.created", {}, 7],
    ],
    ["events", 'must name at least one event, such as ["record.created"]', [[]]],
    ["allowUnknownEvents", "must be true or false, without quotes", ["true", 1]],
    ["allowInsecureUrl", "must be true or false, without quotes", ["false", {}]],
    ["adopt", adopted, ["17", [], 17, true]],
  ])("of %s says that it %s: %j", async (name, text, values) => {
    expect(await failuresOfEach(name, values)).toEqual(
      values.map((value) => [value, [`${name}: ${text}`]]),
    );
  });

  it.each<[string, Args, readonly unknown[]]>([
    ['must be a string, such as "record.created"', {}, [null, 7, {}, ["record.created"]]],
    [
      'must be the name of an event, such as "record.created"',
      { allowUnknownEvents: true },
      ["", "\ud800"],
    ],
    [
      'is not a known event; the nearest is "record.created". To subscribe to it anyway, set allowUnknownEvents: true',
      {},
      ["record.create", "Record.Created"],
    ],
    [
      'is not a known event; the nearest is "table.updated". To subscribe to it anyway, set allowUnknownEvents: true',
      { allowUnknownEvents: false },
      ["tables.updated", "table_updated"],
    ],
  ])("of an event says that it %s", async (text, allowance, values) => {
    for (const value of values) {
      const args = someArgs({ events: ["record.created", value], ...allowance });

      expect(await failuresOf(args)).toEqual([`events[1]: ${text}`]);
    }
  });

  it.each<[string, string, readonly unknown[]]>([
    [
      "id",
      'must be the number of the webhook, such as 42 or "42"',
      [undefined, -1, 1.5, Number.NaN, "", "1a", "-1", " 1", "007", "1e3", {}, 2 ** 53],
    ],
    [
      "secret",
      "must be the webhook's secret, a non-empty string without control characters and without white space at its ends",
      [undefined, "", 5, "\ud800", null, "whsec_a\n", " whsec_a", "whsec_\0a"],
    ],
  ])("of adopt.%s says that it %s", async (name, text, values) => {
    for (const value of values) {
      const failures = await failuresOf(someArgs({ adopt: { id: "1", secret, [name]: value } }));

      expect(failures).toEqual([`adopt.${name}: ${text}`]);
    }
  });

  it.each([
    ["databaseID", "databaseId"],
    ["uri", "url"],
    ["event", "events"],
    ["table", "tableId"],
    ["allowUnknownEvent", "allowUnknownEvents"],
  ])("names the nearest argument of %s", async (name, nearest) => {
    expect(await failuresOf(someArgs({ [name]: "x" }))).toEqual([
      `${name}: is unknown; did you mean ${nearest}?`,
    ]);
  });

  it("names the nearest argument of adopt", async () => {
    expect(await failuresOf(someArgs({ adopt: { id: 1, secret, secrets: 1 } }))).toEqual([
      "adopt.secrets: is unknown; did you mean secret?",
    ]);
  });

  it("lists the arguments when none is near, and cuts a very long name", async () => {
    expect(await failuresOf(someArgs({ ["n".repeat(5_000)]: 1 }))).toEqual([
      `${"n".repeat(100)}: is unknown; expected one of databaseId, url, events, tableId, allowUnknownEvents, allowInsecureUrl, adopt`,
    ]);
  });

  it.each(["secret", "baseUrl", "id"])("refuses the output %s as an argument", async (name) => {
    expect(await failuresOf(someArgs({ [name]: "x" }))).toEqual([
      expect.stringMatching(`^${name}: `),
    ]);
  });

  it("comes for every problem at once, those of the configuration first", async () => {
    const { check } = startProvider({ baseUrl: undefined, apiKey: undefined, listing: "maybe" });
    const { url: _, ...args } = someArgs({
      databaseId: "",
      tableId: 7,
      events: ["nope", 7],
      evnts: [],
    });

    const { inputs, failures } = await check({}, args);

    expect(failures.map((line) => line.split(": ")[0])).toEqual([
      ...["dbwebhooks:baseUrl", "dbwebhooks:apiKey", "dbwebhooks:listing"],
      ...["databaseId", "url", "events[0]", "events[1]", "tableId", "evnts"],
    ]);
    expect(inputs).toStrictEqual(args);
  });

  it("comes in a number that can be read", async () => {
    const failures = await failuresOf(someArgs({ events: Array(5_000).fill("no") }));

    expect(failures).toHaveLength(21);
    expect(failures.at(-1)).toBe("more: there are 4980 further problems like these");
  });

  it("repeats no value, of an argument or of the configuration", async () => {
    const value = fc
      .string({ unit: fc.constantFrom(..."0123456789QXZ#~^"), minLength: 4, maxLength: 400 })
      .filter((text) => !"3600".includes(text));
    const valued = fc.constantFrom<(text: string) => unknown>(
      (text) => text,
      (text) => [text],
      (text) => ({ [text]: text }),
      (text) => `http://${text}`,
      (text) => `https://user:${text}@ x`,
      (text) => [[text], { text }],
    );
    const properties = fc.array(fc.tuple(fc.constantFrom(...names, "unknown"), valued));

    await fc.assert(
      fc.asyncProperty(value, properties, fc.boolean(), async (text, given, isConfig) => {
        const wrong = {
          baseUrl: text,
          apiKey: `${text} `,
          retrySeconds: text,
          otherBaseUrls: text,
        };
        const { check } = startProvider(isConfig ? wrong : {});
        const adopt = { id: `${text}x`, secret: `${text}\n` };
        const args = Object.fromEntries(given.map(([name, make]) => [name, make(text)]));

        const { failures } = await check({}, { ...args, adopt });

        expect(failures.join("\n")).not.toContain(text);
      }),
    );
  });
});

describe("a hint about the events of tables", () => {
  const args = someArgs({ tableId: "tbl_1", events: ["table.deleted", "table.created"] });
  const linesOf = async (olds: Args, news: Args) => {
    const { lines, check } = startProvider();
    await check(olds, news);
    return lines;
  };

  it("comes when a new webhook of one table selects no others", async () => {
    expect(await linesOf({}, args)).toEqual([
      "info: A webhook of table tbl_1 selects only table.created, table.deleted: it receives these events for this one table. Leave tableId out to receive them for all tables.",
    ]);
  });

  it.each<[string, Args, Args]>([
    ["the webhook exists", args, args],
    ["it selects others too", {}, { ...args, events: ["table.created", "record.created"] }],
    ["it is of all tables", {}, { ...args, tableId: undefined }],
    ["its table is not known yet", {}, { ...args, tableId: unknownMarkers.string }],
    ["its events are not known yet", {}, { ...args, events: unknownMarkers.array }],
    ["there are failures", {}, { ...args, url: "nowhere" }],
  ])("does not come when %s", async (_case, olds, news) => {
    expect(await linesOf(olds, news)).toEqual([]);
  });
});
