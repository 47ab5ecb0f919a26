import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { secret, secretEnvelope, someArgs, unknownMarkers } from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";

type Args = Record<string, unknown>;

const check = (args: Args, settings = {}) => startProvider(settings).check({}, args);
const failuresOf = async (args: Args) => (await check(args)).failures;
const pathsOf = async (args: Args, settings = {}) =>
  (await check(args, settings)).failures.map((line) => line.split(": ")[0]);
/** Arguments that are all right but for one place: an argument, or a part of `events` or `adopt`. */
const argsWith = (path: string, value: unknown): Args => {
  const [, part] = path.split(".");
  return path === "events[1]"
    ? someArgs({ events: ["record.created", value] })
    : someArgs(part ? { adopt: { id: "1", secret, [part]: value } } : { [path]: value });
};

const markers = Object.values(unknownMarkers);
const names = ["databaseId", "url", "events", "tableId", "allowUnknownEvents", "allowInsecureUrl"];

describe("Valid arguments", () => {
  const twice = ["record.updated", "record.created", "record.updated"];
  const optional = { tableId: "t", allowInsecureUrl: true, allowUnknownEvents: false };

  it.each<[string, Args, Args]>([
    ["with every optional argument as they are", optional, optional],
    ["with their events sorted and without duplicates", { events: Object.freeze(twice) }, {}],
    ["without arguments that are undefined", { tableId: undefined, adopt: undefined }, {}],
    ["without arguments that are null", { tableId: null, allowInsecureUrl: null, adopt: null }, {}],
    ["without outputs that are absent", { secret: undefined, baseUrl: null }, {}],
  ])("are stored %s", async (_case, given, expected) => {
    const args = Object.freeze(someArgs(given));

    expect(await check(args)).toStrictEqual({ inputs: someArgs(expected), failures: [] });
  });

  const urls = [
    "https://user:password@example.com:8443/a?b=c#d",
    "HTTPS://EXAMPLE.COM/",
    "https://bücher.example/ä",
    "https://[2001:db8::1]/hook",
    "http://localhost:3000/a",
    "http://127.9.1.2",
    "http://[::1]:1/",
  ];
  it.each<[string, readonly unknown[]]>([
    ["databaseId", ["base_1", "a/b c", "ä?#%", "..."]],
    ["tableId", ["tbl_1", "0"]],
    ["url", urls],
    ["events", [["table.created", markers[0], "record.created"]]],
  ])("keep the spelling of %s: %j", async (path, values) => {
    for (const value of values) {
      const args = argsWith(path, value);

      expect(await check(args)).toStrictEqual({ inputs: args, failures: [] });
    }
  });

  it("hold the id to adopt as text, and its secret wrapped", async () => {
    for (const id of ["17", 17, 0, "12345678901234567890"]) {
      const { inputs } = await check(argsWith("adopt.id", id));

      expect(inputs).toEqual(someArgs({ adopt: { id: String(id), secret: secretEnvelope } }));
    }
  });
});

describe("A value that Pulumi does not know yet", () => {
  it.each([...names, "adopt", "events[1]"])("is kept as it is in %s", async (path) => {
    for (const marker of markers) {
      const args = argsWith(path, marker);

      expect(await check(args)).toStrictEqual({ inputs: args, failures: [] });
    }
  });

  it.each(["adopt.id", "adopt.secret"])("is no failure in %s", async (path) => {
    expect(await pathsOf(argsWith(path, markers[0]))).toEqual([]);
  });

  const wrong = someArgs({ url: "http://example.com", events: ["view.created"] });

  it("hides no failure of another argument", async () => {
    const args = { ...wrong, url: markers[0], unknownName: markers[0] };

    expect(await pathsOf(args)).toEqual(["unknownName", "events[0]"]);
  });

  it.each([true, unknownMarkers.boolean, unknownMarkers.string])(
    "allows in a flag what true allows: %j",
    async (flag) => {
      expect(await pathsOf({ ...wrong, allowInsecureUrl: flag })).toEqual(["events[0]"]);
      expect(await pathsOf({ ...wrong, allowUnknownEvents: flag })).toEqual(["url"]);
    },
  );
});

describe("A failure of an argument", () => {
  const ends = "without control characters or surrounding white space";
  const insecure = "must begin with https://.* set allowInsecureUrl: true";
  it.each<[path: string, says: string, values: readonly unknown[]]>([
    ["databaseId", "of the database, .* a string$", [undefined, null, {}, ["base_1"]]],
    ["databaseId", "a string: put it in quotes", [12345, true]],
    ["databaseId", ends, ["", ".", "..", "\ud800", " base_1", "base_1\n", "b\0", "\u00a0"]],
    ["tableId", "of one table, .* a string$", [{}]],
    ["tableId", ends, ["", "tbl_1 "]],
    ["url", "must be the URL of the receiver", [undefined, 7, ["https://example.com"]]],
    ["url", "begin with the scheme https://", ["", "example.com/hooks", "//a.example", "/hooks"]],
    ["url", "begin with the scheme https://", ["https:", "https:/a.example", "mailto:a@b.example"]],
    ["url", "begin with the scheme https://", ["ftp://a.example/x", "htps://a.example"]],
    ["url", "not contain white space", ["https:\\\\a.example", "https://a.example\\@b.example"]],
    [
      "url",
      "not contain white space",
      ["https://exa mple.com", " https://a.example", "ftp://a\nb"],
    ],
    ["url", "not contain white space", ["https://a.example/\0", "https://a.example/\ud800"]],
    ["url", "a host name and a port", ["https://example.com:99999", "https://exa<mple.com"]],
    ["url", "a host name and a port", ["https://", "https:///a.example"]],
    ["url", insecure, ["http://example.com", "HTTP://example.com", "http://[::ffff:127.0.0.1]"]],
    ["url", insecure, ["http://svc.localhost", "http://notlocalhost", "http://128.0.0.1"]],
    ["url", insecure, ["http://localhost.example.com", "http://127.0.0.1.example.com"]],
    ["url", insecure, ["http://localhost@example.com"]],
    ["events", "must be a list of events", [undefined, null, "record.created", {}]],
    ["events", "must name at least one event", [[]]],
    ["events[1]", "must be the name of an event", [null, 7, ["record.created"]]],
    ["events[1]", "must be the name of an event", ["", "\ud800"]],
    ["events[1]", "mean record.created\\? .* set allowUnknownEvents: true", ["record.create"]],
    ["events[1]", "did you mean table.updated", ["tables.updated", "table_updated"]],
    ["events[1]", `one of ${eventTypes.join(", ")} .*allowUnknownEvents`, ["ping", "*"]],
    ["allowUnknownEvents", "must be true or false, without quotes", ["true", 1]],
    ["allowInsecureUrl", "must be true or false, without quotes", ["false"]],
    ["adopt", "an object with the id and the secret", ["17", [], 17, true]],
    ["adopt.id", "must be the number of the webhook", [undefined, -1, 1.5, Number.NaN, 2 ** 53]],
    ["adopt.id", "must be the number of the webhook", ["", "1a", "-1", " 1", "007", "1e3"]],
    ["adopt.secret", ends, [undefined, 5, "", "\ud800", "whsec_a\n", " whsec_a", "a\0b"]],
    ["adopt.secrets", "is unknown; did you mean secret", ["x"]],
    ["uri", "is unknown; did you mean url", ["x", markers[0]]],
    ["allowUnknownEvent", "is unknown; did you mean allowUnknownEvents", [true]],
    ["n".repeat(100), "one of databaseId, url, events, .*, allowInsecureUrl, adopt$", ["x"]],
    ...["secret", "baseUrl", "id"].map((name): [string, string, string[]] => [name, "", ["x"]]),
  ])("names %s and says %j for each of %j", async (path, says, values) => {
    const line = new RegExp(`^${path.replace(/\W/g, "\\$&")}: .*${says}`);
    for (const value of values) {
      const failures = await failuresOf(argsWith(path, value));

      expect(failures, String(value)).toEqual([expect.stringMatching(line)]);
    }
  });

  it("is reported together with all others, after those of the configuration", async () => {
    const settings = { baseUrl: undefined, apiKey: undefined, listing: "maybe" };
    const long = "n".repeat(5_000);
    const args = { databaseId: "", tableId: 7, events: ["nope", 7], [long]: [] };

    expect(await pathsOf(args, settings)).toEqual([
      ...["dbwebhooks:baseUrl", "dbwebhooks:apiKey", "dbwebhooks:listing"],
      ...[long.slice(0, 100), "databaseId", "url", "events[0]", "events[1]", "tableId"],
    ]);
    expect((await check(args)).inputs).toStrictEqual(args);
  });

  it.each([
    [20, ["events[19]"]],
    [5_000, ["events[19]", "more"]],
  ])("is one of at most 20 and a summary: %d problems", async (count, last) => {
    const paths = await pathsOf(someArgs({ events: Array(count).fill("no") }));

    expect(paths.slice(19)).toEqual(last);
  });

  it("repeats no value of an argument or of a setting", async () => {
    const value = "T0K3N~^#";
    const urls = [`http://${value}`, `https://user:${value}@ x`];
    for (const wrong of [value, ...urls, [value], { [value]: value }, [[value], { value }]]) {
      const args = Object.fromEntries([...names, "unknown"].map((name) => [name, wrong]));
      const adopt = { id: value, secret: `${value}\n` };
      const settings = { apiKey: `${value} `, retrySeconds: value, formerBaseUrls: value };

      const { failures } = await check({ ...args, adopt }, { ...settings, baseUrl: `${wrong}` });

      expect(failures.length).toBeGreaterThan(9);
      expect(failures.join("\n")).not.toContain(value);
    }
  });
});
