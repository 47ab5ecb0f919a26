import { describe, expect, it } from "vitest";
import { webhookArguments } from "../../../src/provider/rules/arguments.ts";
import { someArgs, unknownMarkers } from "../../helpers/builders.ts";
import { startProvider } from "../../helpers/provider.ts";

type Args = Record<string, unknown>;

const check = (args: Args, settings = {}) => startProvider(settings).check(args);
/** Returns the beginning of each failure: the argument or the setting, such as `events[1]`. */
const failurePrefixes = async (args: Args, settings = {}) =>
  (await check(args, settings)).problems.map((line) => line.split(": ")[0]);
const accepted = (inputs: Args) => ({ inputs, problems: [] });

const argumentNames = Object.keys(webhookArguments);

it("A check sorts events and drops duplicates", async () => {
  const events = Object.freeze(["record.updated", "record.created", "record.updated"]);

  expect(await check(someArgs({ events }))).toStrictEqual(accepted(someArgs()));
});

it("A check returns the events of invalid arguments as they are", async () => {
  const events = ["record.updated", "record.created"];

  const { inputs } = await check(someArgs({ events, tableId: 7.5 }));

  expect(inputs.events).toEqual(events);
});

it.each([undefined, null])("A check drops every property that is %s", async (absent) => {
  const args = { tableId: absent, allowInsecureUrl: absent, other: absent };

  expect(await check(someArgs(args))).toStrictEqual(accepted(someArgs()));
});

it.each([
  { tableId: "t", allowInsecureUrl: true, allowUnknownEvents: false },
  { databaseId: "...", tableId: "a/b ä?#%" },
  { events: [unknownMarkers.string, "record.updated", "record.created"] },
  { url: "https://user:password@example.com:8443/a?b=c#d" },
  { url: "https://bücher.example/ä" },
  { url: `https://a.example/${"x".repeat(1_950)}\u2764\ufe0f` },
  { url: "http://localhost:3000/a" },
  { url: "http://127.9.1.2" },
  { url: "http://[::1]:1/" },
])("A check returns the arguments %j as they are", async (given) => {
  const args = Object.freeze(someArgs(given));

  expect(await check(args)).toStrictEqual(accepted(args));
});

it("A check accepts a url of 2,048 characters, and none of 2,049", async () => {
  const args = someArgs({ url: "https://a.example/".padEnd(2_048, "x") });

  expect(await check(args)).toStrictEqual(accepted(args));
  expect(await failurePrefixes({ ...args, url: `${args.url}x` })).toEqual(["url"]);
});

it.each([
  ["databaseId", (text: string) => ({ databaseId: text })],
  ["tableId", (text: string) => ({ tableId: text })],
  ["events[0]", (text: string) => ({ events: [text], allowUnknownEvents: true })],
])("A check accepts %s of 2,048 characters, and none of 2,049", async (path, argsWith) => {
  const longest = "x".repeat(2_048);

  expect(await failurePrefixes(someArgs(argsWith(longest)))).toEqual([]);
  expect(await failurePrefixes(someArgs(argsWith(`${longest}x`)))).toEqual([path]);
});

it.each(Object.entries(unknownMarkers))("Each argument may be an unknown %s", async (_, marker) => {
  const args = Object.fromEntries(argumentNames.map((name) => [name, marker]));

  expect(await check(args)).toStrictEqual(accepted(args));
});

it("An unknown value is accepted in events too, and hides no failure of another value", async () => {
  const events = [unknownMarkers.string, "no.event"];
  const args = { events, notAnArgument: unknownMarkers.string };

  expect(await failurePrefixes(someArgs(args))).toEqual(["notAnArgument", "events[1]"]);
});

it.each([
  ["true", true],
  ["not known yet", unknownMarkers.boolean],
])("allowInsecureUrl and allowUnknownEvents allow what they name if %s", async (_case, flag) => {
  const off = { allowInsecureUrl: false, allowUnknownEvents: false };
  const args = someArgs({ url: "http://example.com", events: ["no.event"], ...off });

  expect(await failurePrefixes({ ...args, allowInsecureUrl: flag })).toEqual(["events[0]"]);
  expect(await failurePrefixes({ ...args, allowUnknownEvents: flag })).toEqual(["url"]);
});

describe("A check of invalid arguments", () => {
  const withoutHost = ["https:", "https:/a.example", "https:///a.b", "https://"];
  const invalidHost = ["https://example.com:99999", "https://exa<mple.com"];
  const disguised = ["svc.localhost", "notlocalhost", "127.0.0.1.example.com", "localhost@a.b"];

  it.each<[name: string, problem: string, values: readonly unknown[]]>([
    ["databaseId", "absent or no string", [undefined, null, {}, 12345, 1.5]],
    ["databaseId", "no segment of a path", ["", ".", "..", "\ud800"]],
    ["databaseId", "badly copied", [" base_1", "base_1\n", "b\0", "b\ufffd"]],
    ["tableId", "no identifier", [{}, 0, "", "tbl_1 "]],
    ["url", "absent or no string", [undefined, 7]],
    ["url", "relative", ["a.example/hooks", "//a.example"]],
    ["url", "of another scheme", ["mailto:a@b.example", "ftp://a.example/x"]],
    ["url", "without a usable host", [...withoutHost, ...invalidHost]],
    ["url", "with backslashes", ["https:\\\\a.example", "https://a.example\\@b.example"]],
    ["url", "with white space", [" https://a.example", "https://a b.example", "https://a.b/c d"]],
    ["url", "with characters that cannot be sent", ["https://a.b/\0", "https://a.b/\ud800"]],
    ["url", "too long once it is percent-encoded", [`https://a.example/${"ä".repeat(400)}`]],
    [
      "url",
      "that are read as a command",
      ["https://a.b/##[x", "https://a.b/<{%x", "https://a.b/#\u200b#vso[x"],
    ],
    ["url", "damaged", ["https://a.b/\ufffd"]],
    ["tableId", "with a command of a CI system", ["##vso[x"]],
    ["url", "unencrypted", ["HTTP://example.com", "http://128.0.0.1"]],
    ["url", "unencrypted to an IPv4 address within IPv6", ["http://[::ffff:127.0.0.1]"]],
    ["url", "unencrypted to a host like localhost", disguised.map((host) => `http://${host}`)],
    ["events", "absent or no list", [undefined, null, "record.created", {}]],
    ["events", "an empty list", [[]]],
    ["allowUnknownEvents", "no boolean", ["true", 1]],
    ["allowInsecureUrl", "no boolean", ["true", 1]],
  ])("refuses values of %s (%s): %j", async (name, _problem, values) => {
    for (const value of values) {
      expect(await failurePrefixes(someArgs({ [name]: value })), String(value)).toEqual([name]);
    }
  });

  it.each([
    "http://undefined/hooks",
    "http://",
    "http://a b.example",
    "http://a.b/##[x",
    "ftp://a.example",
  ])("refuses the url %s despite allowInsecureUrl, which allows http: alone", async (url) => {
    expect(await failurePrefixes(someArgs({ url, allowInsecureUrl: true }))).toEqual(["url"]);
  });

  it.each(["uri", "secret", "baseUrl", "id"])("refuses %s, which is no argument", async (name) => {
    expect(await failurePrefixes(someArgs({ [name]: "x" }))).toEqual([name]);
  });

  it("refuses events that are no text, empty or malformed despite allowUnknownEvents", async () => {
    const args = someArgs({ events: [null, [], "", "\ud800", "x"], allowUnknownEvents: true });

    expect(await failurePrefixes(args)).toEqual([0, 1, 2, 3].map((at) => `events[${at}]`));
  });

  it("says where a text holds an Output, in place of other problems", async () => {
    const outputs = [
      "Calling [toString] on an [Output<T>] is not supported.\n\nTo get the value of an Output<T>…",
      "Calling __str__ on an Output[T] is not supported.",
    ];
    for (const output of outputs) {
      const url = `https://${output}/hooks`;
      const args = { databaseId: output, url, events: [output], tableId: output };

      const { problems } = await check(args);

      const places = ["databaseId", "url", "events[0]", "tableId"];
      expect(problems).toEqual(
        places.map((place) => expect.stringMatching(`^${place.replace("[0]", ".0.")}: .*Output`)),
      );
    }
  });

  it("reports all problems at once, those of the configuration first", async () => {
    const settings = { baseUrl: "", apiKey: undefined, listing: "maybe" };
    const args = { databaseId: "", tableId: true, events: ["nope", 7], other: [] };

    const invalidSettings = ["dbwebhooks:baseUrl", "dbwebhooks:apiKey", "dbwebhooks:listing"];
    const invalidArgs = ["other", "databaseId", "url", "events[0]", "events[1]", "tableId"];
    expect(await failurePrefixes(args, settings)).toEqual([...invalidSettings, ...invalidArgs]);
  });

  it("reports every problem", async () => {
    const { problems } = await check(someArgs({ events: Array(40).fill("no") }));

    expect(problems).toHaveLength(40);
  });

  const token = "T0K3N-value";
  const values = [`http://${token}@a.b`, `https://${token}@ x`, [token], { [token]: token }];
  it.for(values)("never repeats the token in %j", async (value) => {
    const args = Object.fromEntries([...argumentNames, "other"].map((name) => [name, value]));
    const account = { baseUrl: `${value}`, apiKey: `${token} ` };
    const settings = { ...account, retrySeconds: token, listing: token };

    const { problems } = await check(args, settings);

    // Of the 11 values, databaseId and tableId are valid when they are strings.
    expect(problems.length).toBeGreaterThanOrEqual(9);
    expect(problems.join("\n")).not.toContain(token);
  });
});
