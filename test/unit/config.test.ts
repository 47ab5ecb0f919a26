import { describe, expect, it } from "vitest";
import type { SettingName } from "../../src/common/setting-names.js";
import { readConfig } from "../../src/provider/config.js";

type Texts = Record<string, string | undefined>;

const read = (config: Texts = {}, environment: Texts = {}, isExplicit = false) => {
  const all: Texts = { baseUrl: "https://tables.example.com", apiKey: "key", ...config };
  return readConfig({ get: (name) => all[name], isExplicit: () => isExplicit, environment });
};

describe("The settings of a provider", () => {
  it("have defaults, except for the base URL and the key", () => {
    expect(read().settings).toStrictEqual({
      baseUrl: "https://tables.example.com",
      formerBaseUrls: [],
      isExplicit: false,
      fromEnvironment: [],
      apiKey: "key",
      timeoutSeconds: 30,
      retrySeconds: 120,
      listing: false,
      allowInsecureBaseUrl: false,
    });
  });

  const old = "https://old.example.com";
  const lists = [`${old}/, HTTPS://A.a:443/x/`, ` ["${old}"," https://a.a/x"]`];
  it.each<[SettingName, string, readonly string[], unknown]>([
    ["baseUrl", "DBWEBHOOKS_BASE_URL", ["https://a.a/a/..//", "HTTPS://A.a:443"], "https://a.a"],
    ["baseUrl", "DBWEBHOOKS_BASE_URL", ["http://[::1]:1234/eu/"], "http://[::1]:1234/eu"],
    ["formerBaseUrls", "DBWEBHOOKS_FORMER_BASE_URLS", lists, [old, "https://a.a/x"]],
    ["apiKey", "DBWEBHOOKS_API_KEY", ["other"], "other"],
    ["timeoutSeconds", "DBWEBHOOKS_TIMEOUT_SECONDS", ["0.001"], 0.001],
    ["timeoutSeconds", "DBWEBHOOKS_TIMEOUT_SECONDS", ["3600"], 3_600],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", ["0", "0.0"], 0],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", ["86400"], 86_400],
    ["maxConcurrentRequests", "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS", ["1"], 1],
    ["maxConcurrentRequests", "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS", ["1000"], 1_000],
    ["requestsPerSecond", "DBWEBHOOKS_REQUESTS_PER_SECOND", [" 50 "], 50],
    ["listing", "DBWEBHOOKS_LISTING", ["true"], true],
    ["allowInsecureBaseUrl", "DBWEBHOOKS_ALLOW_INSECURE_BASE_URL", ["true"], true],
  ])("take %s from the stack or from the variable %s: %j", (name, variable, texts, value) => {
    for (const text of texts) {
      expect(read({ [name]: text })).toMatchObject({
        settings: { [name]: value, fromEnvironment: [] },
        problems: [],
      });
      expect(read({}, { [variable]: text }).settings).toMatchObject({
        [name]: value,
        fromEnvironment: [name],
      });
    }
  });

  it.each([
    ["the environment in place of the stack", { apiKey: "stack" }, false],
    ["the environment where a Provider has no argument", { apiKey: "" }, true],
  ])("come from %s", (_case, config, isExplicit) => {
    const { settings } = read(config, { DBWEBHOOKS_API_KEY: "variable" }, isExplicit);

    expect(settings).toMatchObject({ apiKey: "variable", fromEnvironment: ["apiKey"] });
  });

  it.each([
    ["the stack if the variable is empty", "", false],
    ["the stack if the variable holds the same value", "given", false],
    ["the argument of a Provider in place of the environment", "variable", true],
  ])("come from %s", (_case, variable, isExplicit) => {
    const { settings } = read({ apiKey: "given" }, { DBWEBHOOKS_API_KEY: variable }, isExplicit);

    expect(settings).toMatchObject({ apiKey: "given", fromEnvironment: [] });
  });

  const insecure = "http://a.example";
  it.each([
    ["with allowInsecureBaseUrl", { allowInsecureBaseUrl: "true", baseUrl: insecure }],
    ["as a former base URL, to which nothing is sent", { formerBaseUrls: insecure }],
    ["on loopback", { baseUrl: "http://127.1.1.1" }],
  ])("may hold a base URL without encryption %s", (_case, config) => {
    expect(read(config).problems).toEqual([]);
  });
});

describe("A problem with the settings", () => {
  const noNumbers = ["soon", "1e3", "0x10", "1,5", "NaN", "Infinity", "1.", ".5", "1 000"];
  const insecure = ["http://a.example", "http://svc.localhost"];
  const path = "must not end in /api/v1";
  const more = "no user name, password, query or fragment; the key goes into dbwebhooks:apiKey";
  const noUrls = ["old.example.com", "https://a.example,", "[]x", '{"a":1}', "[1]", "https://a?b"];
  it.each<[SettingName, says: string, readonly string[]]>([
    ["baseUrl", "must begin with the scheme https://", ["tables.example.com"]],
    ["baseUrl", "must not contain white space", [" "]],
    ["baseUrl", "must have a host name", ["https:///a.example"]],
    ["baseUrl", "the scheme", ["ftp://tables.example.com"]],
    ["baseUrl", "a host name and a port", ["https://a.example:70000"]],
    ["baseUrl", path, ["https://a.example/api/v1", "https://a/eu/API/v1//", "https://a/api/v1/."]],
    ["baseUrl", more, ["https://user@a.example", "https://:pw@a.example", "https://a.example?a=1"]],
    ["baseUrl", more, ["https://a.example/?", "https://a.example/#"]],
    ["baseUrl", "https://.* set dbwebhooks:allowInsecureBaseUrl to true", insecure],
    ["formerBaseUrls", 'base URLs separated by commas.*"https://old.example.com"$', noUrls],
    ["apiKey", "must be the key alone", ["key\n", " key", "a b", "kéy", "key\0", "\u200bkey"]],
    ["timeoutSeconds", "seconds from 0.001 to 3600$", [...noNumbers, "0", "3600.1"]],
    ["retrySeconds", "seconds from 0 to 86400$", ["soon", "-1", "86401"]],
    ["maxConcurrentRequests", "whole number from 1 to 1000$", ["soon", "0", "1001", "1.5"]],
    ["requestsPerSecond", "must be a number from 0.001 to 10000$", ["1.5.5", "0", "10001"]],
    ["listing", "must be true or false$", ["yes", "1", "TRUE", " true"]],
    ["allowInsecureBaseUrl", "must be true or false$", ["yes"]],
  ])("is reported for %s, with %j, for each of %j", (name, says, values) => {
    const line = expect.stringMatching(new RegExp(`^dbwebhooks:${name}: .*${says}`));
    for (const value of values) {
      expect(read({ [name]: value }).problems, value).toEqual([line]);
    }
  });

  it("says how to set what is missing, in the stack or in a Provider", () => {
    const none = { baseUrl: "", apiKey: undefined };

    expect(read(none).problems.join("\n")).toMatch(
      /baseUrl: is not set; run "pulumi config set .*_BASE_URL\n.*apiKey: .* --secret .*_API_KEY$/,
    );
    expect(read(none, {}, true).problems.join("\n")).toMatch(
      /; give baseUrl to the Provider or set .*_BASE_URL\n.*; give apiKey to the .*_API_KEY$/,
    );
  });

  it("is reported together with all others, with the variable that set the value", () => {
    const { problems } = read({ baseUrl: "?", timeoutSeconds: "?" }, { DBWEBHOOKS_LISTING: "?" });

    expect(problems).toEqual([
      expect.stringMatching(/^dbwebhooks:baseUrl: (?!.*BASE_URL)/),
      expect.stringMatching(/^dbwebhooks:timeoutSeconds: (?!.*SECONDS)/),
      expect.stringMatching(/^dbwebhooks:listing: .*; DBWEBHOOKS_LISTING sets this value$/),
    ]);
  });
});
