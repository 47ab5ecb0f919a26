import { describe, expect, it } from "vitest";
import { secret, secretEnvelope, someArgs, unknownMarkers } from "../helpers/builders.js";
import { startProvider } from "../helpers/provider.js";

type Args = Record<string, unknown>;

const check = (args: Args, settings = {}) => startProvider(settings).check({}, args);
/** The arguments and settings that the failures name, such as `events[1]`. */
const refusedIn = async (args: Args, settings = {}) =>
  (await check(args, settings)).failures.map((line) => line.split(": ")[0]);
const accepted = (inputs: Args) => ({ inputs, failures: [] });

const names = ["databaseId", "url", "events", "tableId", "allowUnknownEvents", "allowInsecureUrl"];
const markers = Object.values(unknownMarkers);

describe("A check of valid arguments", () => {
  it("sorts events and drops duplicates", async () => {
    const events = Object.freeze(["record.updated", "record.created", "record.updated"]);

    expect(await check(someArgs({ events }))).toStrictEqual(accepted(someArgs()));
  });

  it.each([undefined, null])("drops what is %s", async (absent) => {
    const optional = { tableId: absent, allowInsecureUrl: absent, adopt: absent };
    const outputs = { secret: absent, baseUrl: absent };

    expect(await check(someArgs({ ...optional, ...outputs }))).toStrictEqual(accepted(someArgs()));
  });

  it.each([
    { tableId: "t", allowInsecureUrl: true, allowUnknownEvents: false },
    { databaseId: "0", tableId: "0" },
    { databaseId: "a/b c", tableId: "ä?#%" },
    { databaseId: "..." },
    { url: "https://user:password@example.com:8443/a?b=c#d" },
    { url: "HTTPS://EXAMPLE.COM/" },
    { url: "https://bücher.example/ä" },
    { url: "https://[2001:db8::1]/hook" },
    { url: "http://localhost:3000/a" },
    { url: "http://127.9.1.2" },
    { url: "http://[::1]:1/" },
  ])("returns %j as they are", async (given) => {
    const args = Object.freeze(someArgs(given));

    expect(await check(args)).toStrictEqual(accepted(args));
  });

  it.each(["17", 0, "12345678901234567890"])(
    "returns the id %j to adopt as text, and the secret wrapped",
    async (id) => {
      const { inputs } = await check(someArgs({ adopt: { id, secret } }));

      expect(inputs).toEqual(someArgs({ adopt: { id: String(id), secret: secretEnvelope } }));
    },
  );
});

describe("A value that Pulumi does not know yet", () => {
  it.each(markers)("is kept in place of every argument: %s", async (marker) => {
    const args = Object.fromEntries([...names, "adopt"].map((name) => [name, marker]));

    expect(await check(args)).toStrictEqual(accepted(args));
  });

  it("is no failure as the id or the secret to adopt", async () => {
    const adopt = { id: unknownMarkers.number, secret: unknownMarkers.string };

    expect(await refusedIn(someArgs({ adopt }))).toEqual([]);
  });

  it("hides no failure of another argument", async () => {
    const args = { url: unknownMarkers.string, unknownName: unknownMarkers.string };

    expect(await refusedIn(someArgs({ ...args, events: ["view.created"] }))).toEqual([
      "unknownName",
      "events[0]",
    ]);
  });
});

describe("A flag", () => {
  const args = someArgs({ url: "http://example.com", events: ["view.created"] });

  it.each([true, unknownMarkers.boolean, unknownMarkers.string])(
    "allows what it names when it is true or unknown: %j",
    async (flag) => {
      expect(await refusedIn({ ...args, allowInsecureUrl: flag })).toEqual(["events[0]"]);
      expect(await refusedIn({ ...args, allowUnknownEvents: flag })).toEqual(["url"]);
    },
  );
});

describe("A check of invalid arguments", () => {
  const noText = [null, {}, ["base_1"], 12345, true];
  const noIdentifiers = ["", ".", "..", "\ud800", " base_1", "base_1\n", "b\0", "\u00a0"];
  const noUrls = [undefined, 7, ["https://a.example"], "", "a.example/hooks", "//a.example"];
  const noHttpUrls = ["https:", "https:/a.example", "mailto:a@b.example", "ftp://a.example/x"];
  const noHosts = ["https://example.com:99999", "https://exa<mple.com", "https://", "https:///a.b"];
  const separators = [
    "https:\\\\a.example",
    "https://a.example\\@b.example",
    "https://a b.example",
  ];
  const invisible = [" https://a.example", "https://a.example/\0", "https://a.example/\ud800"];
  const insecure = ["HTTP://example.com", "http://[::ffff:127.0.0.1]", "http://128.0.0.1"];
  const notLoopback = ["svc.localhost", "notlocalhost", "127.0.0.1.example.com", "localhost@a.b"];

  it.each<[string, readonly unknown[]]>([
    ["databaseId", [undefined, ...noText, ...noIdentifiers]],
    ["tableId", [{}, "", "tbl_1 "]],
    ["url", [...noUrls, ...noHttpUrls, ...noHosts, ...separators, ...invisible]],
    ["url", [...insecure, ...notLoopback.map((host) => `http://${host}`)]],
    ["events", [undefined, null, "record.created", {}, []]],
    ["allowUnknownEvents", ["true", 1]],
    ["allowInsecureUrl", ["true", 1]],
    ["adopt", ["17", [], 17, true]],
    ...["uri", "secret", "baseUrl", "id"].map((name): [string, string[]] => [name, ["x"]]),
  ])("refuses as %s each of %j", async (name, values) => {
    for (const value of values) {
      expect(await refusedIn(someArgs({ [name]: value })), String(value)).toEqual([name]);
    }
  });

  it.for([null, 7, ["record.created"], "", "\ud800", "record.create", "ping", "*"])(
    "refuses as an event %j",
    async (event) => {
      const args = someArgs({ events: ["record.created", event] });

      expect(await refusedIn(args)).toEqual(["events[1]"]);
    },
  );

  const noIds = [undefined, -1, 1.5, Number.NaN, 2 ** 53, "", "1a", "-1", " 1", "007", "1e3"];
  const noSecrets = [undefined, 5, "", "\ud800", "whsec_a\n", " whsec_a", "a\0b"];
  it.each<[string, readonly unknown[]]>([
    ["id", noIds],
    ["secret", noSecrets],
    ["secrets", ["x"]],
  ])("refuses as %s to adopt each of %j", async (name, values) => {
    for (const value of values) {
      const adopt = { id: "1", secret, [name]: value };

      expect(await refusedIn(someArgs({ adopt })), String(value)).toEqual([`adopt.${name}`]);
    }
  });

  it("reports all problems at once, those of the configuration first", async () => {
    const settings = { baseUrl: undefined, apiKey: undefined, listing: "maybe" };
    const long = "n".repeat(5_000);
    const args = { databaseId: "", tableId: 7, events: ["nope", 7], [long]: [] };

    expect(await refusedIn(args, settings)).toEqual([
      ...["dbwebhooks:baseUrl", "dbwebhooks:apiKey", "dbwebhooks:listing"],
      ...[long.slice(0, 100), "databaseId", "url", "events[0]", "events[1]", "tableId"],
    ]);
  });

  it("returns the arguments as they are", async () => {
    const args = someArgs({ databaseId: "", events: ["table.created", "record.created"] });

    expect((await check(args)).inputs).toStrictEqual(args);
  });

  it.each([
    [20, ["events[19]"]],
    [21, ["events[19]", "more"]],
  ])("reports of %d problems at most 20 and a summary", async (count, last) => {
    const reported = await refusedIn(someArgs({ events: Array(count).fill("no") }));

    expect(reported.slice(19)).toEqual(last);
  });

  const value = "T0K3N~^#";
  const values = [
    value,
    `http://${value}`,
    `https://user:${value}@ x`,
    [value],
    { [value]: value },
  ];
  it.for([...values, [[value], { value }]])("repeats no part of %j", async (wrong) => {
    const args = Object.fromEntries([...names, "unknown"].map((name) => [name, wrong]));
    const adopt = { id: value, secret: `${value}\n` };
    const settings = { apiKey: `${value} `, retrySeconds: value, formerBaseUrls: value };

    const { failures } = await check({ ...args, adopt }, { ...settings, baseUrl: `${wrong}` });

    expect(failures.length).toBeGreaterThan(9);
    expect(failures.join("\n")).not.toContain(value);
  });
});
