import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { environmentVariables, type SettingName } from "../../src/common/setting-names.js";
import { nameOfSetting, readConfig } from "../../src/core/config.js";
import { someSettings } from "../helpers/builders.js";

type Texts = Record<string, string | undefined>;

const read = (config: Texts = {}, environment: Texts = {}, isExplicit = false) => {
  const all: Texts = { baseUrl: "https://tables.example.com", apiKey: "key", ...config };
  return readConfig({ get: (name) => all[name], isExplicit: () => isExplicit, environment });
};
/** What is wrong with each of these values of a setting. */
const problemsOfEach = (name: string, texts: readonly string[]) =>
  texts.map((text) => [text, read({ [name]: text }).problems]);
const expectProblem = (name: string, text: string, values: readonly string[]) =>
  expect(problemsOfEach(name, values)).toEqual(
    values.map((value) => [value, [`dbwebhooks:${name}: ${text}`]]),
  );

describe("settings", () => {
  it("have defaults for all but base URL and key, and no limit of their own on requests", () => {
    expect(read().settings).toStrictEqual({
      baseUrl: "https://tables.example.com",
      formerBaseUrls: [],
      otherBaseUrls: [],
      apiKey: "key",
      timeoutSeconds: 30,
      retrySeconds: 120,
      listing: false,
      allowInsecureBaseUrl: false,
      fromEnvironment: [],
    });
  });

  it.each<[SettingName, string, string, unknown]>([
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "https://eu.example.com", "https://eu.example.com"],
    ["formerBaseUrls", "DBWEBHOOKS_FORMER_BASE_URLS", "https://a.example", ["https://a.example"]],
    ["otherBaseUrls", "DBWEBHOOKS_OTHER_BASE_URLS", "https://a.example", ["https://a.example"]],
    ["apiKey", "DBWEBHOOKS_API_KEY", "other", "other"],
    ["timeoutSeconds", "DBWEBHOOKS_TIMEOUT_SECONDS", "2.5", 2.5],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", "0", 0],
    ["maxConcurrentRequests", "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS", "1", 1],
    ["requestsPerSecond", "DBWEBHOOKS_REQUESTS_PER_SECOND", " 50 ", 50],
    ["listing", "DBWEBHOOKS_LISTING", "true", true],
    ["allowInsecureBaseUrl", "DBWEBHOOKS_ALLOW_INSECURE_BASE_URL", "true", true],
  ])("take %s from the stack or from %s", (name, variable, text, value) => {
    expect(environmentVariables[name]).toBe(variable);
    expect(read({ [name]: text }).settings).toMatchObject({ [name]: value, fromEnvironment: [] });
    expect(read({}, { [variable]: text }).settings).toMatchObject({
      [name]: value,
      fromEnvironment: [name],
    });
  });

  it.each<[string, string | undefined, string, boolean, string, boolean]>([
    ["the environment wins", "stack", "variable", false, "variable", true],
    ["an empty variable is absent", "stack", "", false, "stack", false],
    ["both are the same", "same", "same", false, "same", false],
    ["an argument of a Provider wins", "argument", "variable", true, "argument", false],
    ["an empty argument is a gap", "", "variable", true, "variable", true],
  ])("have one source: %s", (_case, given, variable, isExplicit, expected, isFromEnvironment) => {
    const { settings } = read({ apiKey: given }, { DBWEBHOOKS_API_KEY: variable }, isExplicit);

    expect(settings).toMatchObject({
      apiKey: expected,
      fromEnvironment: isFromEnvironment ? ["apiKey"] : [],
    });
  });

  it("are called by their key, and by the variable that has set them", () => {
    const settings = someSettings({ fromEnvironment: ["apiKey"] });

    expect(nameOfSetting(settings, "baseUrl")).toBe("dbwebhooks:baseUrl");
    expect(nameOfSetting(settings, "apiKey")).toBe("dbwebhooks:apiKey (set by DBWEBHOOKS_API_KEY)");
  });
});

describe("a base URL", () => {
  it.each([
    ["https://tables.example.com/", "https://tables.example.com"],
    ["HTTPS://Tables.Example.COM:443", "https://tables.example.com"],
    ["https://example.com/a/b//", "https://example.com/a/b"],
    ["https://example.com/a/../b/.", "https://example.com/b"],
    ["http://localhost:8080/", "http://localhost:8080"],
    ["http://127.0.0.1", "http://127.0.0.1"],
    ["http://127.9.9.9", "http://127.9.9.9"],
    ["http://[::1]:1234", "http://[::1]:1234"],
  ])("has one spelling: %s", (baseUrl, expected) => {
    expect(read({ baseUrl }).settings?.baseUrl).toBe(expected);
  });

  it("has a spelling that is its own", () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["https"] }), (baseUrl) => {
        const once = read({ baseUrl }).settings?.baseUrl;

        expect(read({ baseUrl: once }).settings?.baseUrl).toBe(once);
        expect(once).not.toMatch(/\/$/);
      }),
    );
  });

  const absolute =
    'must be an absolute URL, such as "https://tables.example.com", without white space';
  const host =
    'must have a host name and a port that can exist, such as "https://tables.example.com"';
  const nothingElse =
    "must hold no user name, password, query or fragment; the key goes into dbwebhooks:apiKey";
  const path = "must not end in /api/v1, which is added to it: leave it out";
  const insecure =
    "must begin with https:// (http:// only for a loopback host), because the API key travels with every request. To send it unencrypted anyway, set dbwebhooks:allowInsecureBaseUrl to true";
  it.each([
    [absolute, ["tables.example.com", "https://", "https:///a.example", "ftp://a.example", " "]],
    [host, ["https://a.example:70000"]],
    [path, ["https://a.example/api/v1", "https://a.example/eu/API/v1//", "https://a/api/v1/."]],
    [nothingElse, ["https://user@a.example", "https://:pw@a.example", "https://a.example?key=1"]],
    [nothingElse, ["https://a.example/?", "https://a.example/#"]],
    [insecure, ["http://a.example", "http://svc.localhost", "http://128.0.0.1", "http://[::2]"]],
  ])("%s", (text, values) => {
    expectProblem("baseUrl", text, values);
  });

  it("may be insecure where that is allowed", () => {
    const settings = { baseUrl: "http://a.example", allowInsecureBaseUrl: "true" };

    expect(read(settings).settings?.baseUrl).toBe("http://a.example");
  });
});

describe("lists of base URLs", () => {
  const lists = ["formerBaseUrls", "otherBaseUrls"] as const;

  it.each(
    lists.flatMap((name) => [
      [name, "https://old.example.com/, HTTPS://older.example.com:443/x/"],
      [name, ' ["https://old.example.com"," https://older.example.com/x"]'],
    ]),
  )("are read in one spelling: %s %s", (name, text) => {
    expect(read({ [name]: text }).settings).toMatchObject({
      [name]: ["https://old.example.com", "https://older.example.com/x"],
    });
  });

  it.each([
    [lists[0], ""],
    [lists[1], " (http:// only for a loopback host)"],
  ])("hold base URLs and nothing else: %s", (name, more) => {
    expectProblem(
      name,
      `must be base URLs with commas between them, such as "https://old.example.com"${more}`,
      ["old.example.com", "https://a.example,", "[]x", '{"a":1}', "[1]", "https://a.example?b"],
    );
  });

  it.each<[string, Texts, number]>([
    ["to a former one nothing is sent", { formerBaseUrls: "http://a.example" }, 0],
    ["to another one the key is sent", { otherBaseUrls: "http://a.example" }, 1],
    ["not to a name below localhost", { otherBaseUrls: "http://svc.localhost" }, 1],
    ["to this machine", { otherBaseUrls: "http://localhost:1,http://127.1.1.1,http://[::1]" }, 0],
    ["where allowed", { otherBaseUrls: "http://a.example", allowInsecureBaseUrl: "true" }, 0],
  ])("are unencrypted only without harm: %s", (_case, config, problems) => {
    expect(read(config).problems ?? []).toHaveLength(problems);
  });
});

describe("a problem with the settings", () => {
  it.each([
    ["timeoutSeconds", "must be a number of seconds from 0.001 to 3600", "0.001", "3600", "3600.1"],
    ["retrySeconds", "must be a number of seconds from 0 to 86400", "0", "86400", "86401"],
    ["maxConcurrentRequests", "must be a whole number from 1 to 1000", "1", "1000", "1001"],
    ["requestsPerSecond", "must be a number from 0.001 to 10000", "0.001", "10000", "10001"],
  ])("is a %s that is no number within its limits", (name, text, least, most, above) => {
    const below = least === "0" ? "-1" : "0";
    const wrong = ["soon", "1e3", "0x10", "1,5", "NaN", "Infinity", "1.", ".5", "1 000", "1.5.5"];

    expectProblem(name, text, [...wrong, below, above]);
    expect(problemsOfEach(name, [least, most])).toEqual([
      [least, []],
      [most, []],
    ]);
  });

  it("is a part of a request", () => {
    expect(read({ maxConcurrentRequests: "1.5" }).problems).toHaveLength(1);
  });

  it.each(["listing", "allowInsecureBaseUrl"])("is a %s that is neither true nor false", (name) => {
    expectProblem(name, "must be true or false", ["yes", "1", "TRUE", "True", " true"]);
  });

  it("is a key that cannot be sent", () => {
    expectProblem(
      "apiKey",
      "must be the key alone: visible ASCII characters, without white space or line breaks",
      ["key\n", " key", "a b", "kéy", "key\u0000", "\u200bkey"],
    );
  });

  it("is a missing one, with what to do about it in each place", () => {
    const none = { baseUrl: "", apiKey: undefined };
    const { problems } = read(none);

    expect(problems).toEqual([
      'dbwebhooks:baseUrl: is not set; run "pulumi config set dbwebhooks:baseUrl https://tables.example.com" or set DBWEBHOOKS_BASE_URL',
      'dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY',
    ]);
    expect(read(none, {}, true).problems).toEqual([
      "dbwebhooks:baseUrl: is not set; give baseUrl to the Provider or set DBWEBHOOKS_BASE_URL",
      "dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY",
    ]);
  });

  it("comes with all others, and names the variable that set a wrong value", () => {
    const names = Object.keys(environmentVariables);
    const wrong = Object.fromEntries(names.map((name) => [name, "?"]));

    const { problems } = read({ ...wrong, apiKey: " " }, { DBWEBHOOKS_RETRY_SECONDS: "soon" });

    expect(problems.map((line) => line.split(": ")[0])).toEqual(
      names.map((name) => `dbwebhooks:${name}`),
    );
    expect(problems.filter((line) => line.includes("DBWEBHOOKS_"))).toEqual([
      "dbwebhooks:retrySeconds: must be a number of seconds from 0 to 86400; DBWEBHOOKS_RETRY_SECONDS sets this value",
    ]);
  });
});
