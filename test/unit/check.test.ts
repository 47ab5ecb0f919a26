import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { secret, secretEnvelope, someArgs, unknownMarkers } from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";

type Args = Record<string, unknown>;

const check = (args: Args) => startProvider().check({}, args);
const failuresOf = async (args: Args) => (await check(args)).failures;
const pathsOf = async (args: Args) => (await failuresOf(args)).map((line) => line.split(": ")[0]);
/** Arguments that are all right but for one place: an argument, or a part of `events` or `adopt`. */
const argsWith = (path: string, value: unknown): Args => {
  const [, part] = path.split(".");
  return path === "events[1]"
    ? someArgs({ events: ["record.created", value] })
    : someArgs(part ? { adopt: { id: "1", secret, [part]: value } } : { [path]: value });
};
/** Each of these values with what it fails with in one place. */
const failuresOfEach = (path: string, values: readonly unknown[]) =>
  Promise.all(values.map(async (value) => [value, await failuresOf(argsWith(path, value))]));

const markers = Object.values(unknownMarkers);
const names = ["databaseId", "url", "events", "tableId", "allowUnknownEvents", "allowInsecureUrl"];

describe("arguments that are all right", () => {
  const optional = { tableId: "t", allowInsecureUrl: true, allowUnknownEvents: false };
  const absent = (value: unknown) => ({ tableId: value, allowInsecureUrl: value, adopt: value });
  it.each<[string, Args, Args]>([
    ["with all that is optional", optional, optional],
    ["without what is undefined", absent(undefined), {}],
    ["without what is null", absent(null), {}],
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

  it.each<[string, readonly unknown[]]>([
    ["databaseId", ["base_1", "6f0c", "a/b c", "ä?#%", "...", "0"]],
    ["tableId", ["tbl_1", "a/b c", "...", "0"]],
    ["url", ["https://user:password@example.com:8443/a?b=c#d", "HTTPS://EXAMPLE.COM/"]],
    ["url", ["https://bücher.example/ä", "https://[2001:db8::1]/hook"]],
    ["url", ["http://localhost:3000/a", "http://127.0.0.1", "http://127.9.1.2", "http://[::1]:1/"]],
  ])("keep %s as it was written: %j", async (name, values) => {
    for (const value of values) {
      const args = argsWith(name, value);

      expect(await check(args)).toStrictEqual({ inputs: args, failures: [] });
    }
  });

  it.each<Args>([
    { url: "http://example.com", allowInsecureUrl: true },
    { events: ["view.created"], allowUnknownEvents: true },
  ])("may be what another one allows: %j", async (args) => {
    expect(await failuresOf(someArgs(args))).toEqual([]);
  });

  const big = "12345678901234567890";
  it.each(["17", 17, 0, big])("adopt the id %j as text, with the secret marked", async (id) => {
    const { inputs, failures } = await check(argsWith("adopt.id", id));

    expect(failures).toEqual([]);
    expect(inputs.adopt).toStrictEqual({ id: String(id), secret: secretEnvelope });
  });
});

describe("values that Pulumi does not know yet", () => {
  it.each([...names, "adopt", "events[1]"])("pass untouched as %s", async (path) => {
    for (const marker of markers) {
      const args = argsWith(path, marker);

      expect(await check(args)).toStrictEqual({ inputs: args, failures: [] });
    }
  });

  it("leave the order of the events beside them, and a part of adopt", async () => {
    const events = ["table.created", unknownMarkers.string, "record.created"];

    const { inputs, failures } = await check({ ...argsWith("adopt.id", markers[0]), events });

    expect(failures).toEqual([]);
    expect(inputs).toMatchObject({ events, adopt: { id: markers[0] } });
    expect(await failuresOf(argsWith("adopt.secret", markers[0]))).toEqual([]);
  });

  it("hide nothing that is wrong beside them, and are not echoed", async () => {
    const [marker] = markers;

    const failures = await failuresOf(
      someArgs({ url: marker, events: [marker, "no"], uri: marker }),
    );

    expect(failures.map((line) => line.split(":")[0])).toEqual(["events[1]", "uri"]);
    expect(failures.join()).not.toContain(marker);
  });

  it("allow what they may turn out to allow, and nothing else", async () => {
    const wrong = someArgs({ url: "http://example.com", events: ["view.created"] });

    expect(await pathsOf(wrong)).toEqual(["url", "events[0]"]);
    expect(await pathsOf({ ...wrong, allowInsecureUrl: markers[1] })).toEqual(["events[0]"]);
    expect(await pathsOf({ ...wrong, allowUnknownEvents: markers[0] })).toEqual(["url"]);
  });
});

describe("a failure", () => {
  const database = 'must be the identifier of the database, such as "base_abc123", ';
  const table = 'must be the identifier of one table, such as "tbl_orders", ';
  const quotes = "a string: put it in quotes";
  const ends = "without white space at its ends";
  const receiver = 'must be the URL of the receiver, such as "https://example.com/hooks"';
  const absolute =
    'must be an absolute URL, such as "https://example.com/hooks", without white space';
  const host =
    'must have a host name and a port that can exist, such as "https://example.com/hooks"';
  const insecure =
    "must begin with https:// (http:// only for a loopback host). To send notifications unencrypted anyway, set allowInsecureUrl: true";
  const list = 'must be a list of events, such as ["record.created"]';
  const event = 'must be the name of an event, such as "record.created"';
  const nearest = (name: string) =>
    `is not a known event; the nearest is "${name}". To subscribe to it anyway, set allowUnknownEvents: true`;
  const flag = "must be true or false, without quotes";
  const adopted = "must be an object with the id and the secret of a webhook that exists";
  const id = 'must be the number of the webhook, such as 42 or "42"';
  const given =
    "must be the webhook's secret, a non-empty string without control characters and without white space at its ends";

  it.each<[string, string, readonly unknown[]]>([
    ["databaseId", `${database}a string`, [undefined, null, {}, [], ["base_1"]]],
    ["databaseId", database + quotes, [12345, true]],
    [
      "databaseId",
      database + ends,
      ["", ".", "..", "\ud800", " base_1", "base_1\n", "b\0", "\u00a0"],
    ],
    ["tableId", `${table}a string`, [{}, []]],
    ["tableId", table + quotes, [7, false]],
    ["tableId", table + ends, ["", "..", "\udc00", "tbl_1 ", "\t"]],
    ["url", receiver, [undefined, null, 7, {}, ["https://example.com"]]],
    ["url", absolute, ["", "example.com/hooks", "//example.com/hooks", "/hooks"]],
    ["url", absolute, ["https:", "https://", "https:a.example", "https:/a.example"]],
    [
      "url",
      absolute,
      ["https:///a.example", "https:\\\\a.example", "https://a.example\\@b.example"],
    ],
    ["url", absolute, ["https://exa mple.com", " https://a.example", "https://a.example/a\nb"]],
    ["url", absolute, ["https://a.example/\0", "https://a.example/\ud800", "ftp://a.example"]],
    ["url", host, ["https://example.com:99999", "https://exa<mple.com"]],
    ["url", insecure, ["http://example.com", "HTTP://example.com", "http://10.0.0.1"]],
    ["url", insecure, ["http://svc.localhost", "http://notlocalhost", "http://128.0.0.1"]],
    ["url", insecure, ["http://localhost.example.com", "http://127.0.0.1.example.com"]],
    ["url", insecure, ["http://localhost@example.com", "http://[::ffff:127.0.0.1]"]],
    ["events", list, [undefined, null, "record.created", {}, 7]],
    ["events", 'must name at least one event, such as ["record.created"]', [[]]],
    ["events[1]", 'must be a string, such as "record.created"', [null, 7, {}, ["record.created"]]],
    ["events[1]", event, ["", "\ud800"]],
    ["events[1]", nearest("record.created"), ["record.create", "Record.Created"]],
    ["events[1]", nearest("table.updated"), ["tables.updated", "table_updated"]],
    ["allowUnknownEvents", flag, ["true", 1]],
    ["allowInsecureUrl", flag, ["false", {}]],
    ["adopt", adopted, ["17", [], 17, true]],
    ["adopt.id", id, [undefined, -1, 1.5, Number.NaN, "", "1a", "-1", " 1", "007", "1e3", 2 ** 53]],
    ["adopt.secret", given, [undefined, null, 5, "", "\ud800", "whsec_a\n", " whsec_a", "a\0b"]],
    ["adopt.secrets", "is unknown; did you mean secret?", ["x"]],
    ["databaseID", "is unknown; did you mean databaseId?", ["x"]],
    ["uri", "is unknown; did you mean url?", [markers[0]]],
    ["allowUnknownEvent", "is unknown; did you mean allowUnknownEvents?", [true]],
  ])("of %s says that it %s: %j", async (path, text, values) => {
    expect(await failuresOfEach(path, values)).toEqual(
      values.map((value) => [value, [`${path}: ${text}`]]),
    );
  });

  it("of an event is about its name even where unknown ones are allowed", async () => {
    expect(await failuresOf(someArgs({ events: [""], allowUnknownEvents: true }))).toEqual([
      `events[0]: ${event}`,
    ]);
  });

  it.each(["secret", "baseUrl", "id"])("refuses the output %s as an argument", async (name) => {
    expect(await pathsOf(someArgs({ [name]: "x" }))).toEqual([name]);
  });

  it("lists the arguments when none is near, and cuts a very long name", async () => {
    expect(await failuresOf(someArgs({ ["n".repeat(5_000)]: 1 }))).toEqual([
      `${"n".repeat(100)}: is unknown; expected one of databaseId, url, events, tableId, allowUnknownEvents, allowInsecureUrl, adopt`,
    ]);
  });

  it("comes for every problem at once, those of the configuration first", async () => {
    const { check } = startProvider({ baseUrl: undefined, apiKey: undefined, listing: "maybe" });
    const args = { databaseId: "", tableId: 7, events: ["nope", 7], evnts: [] };

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
