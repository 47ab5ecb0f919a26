import { describe, expect, it } from "vitest";
import type { SettingName } from "../../src/common/setting-names.js";
import { readConfig } from "../../src/provider/config.js";

type Texts = Record<string, string | undefined>;

/** Reads settings that are valid but for those in `config` and `environment`. */
function read(config: Texts = {}, environment: Texts = {}, isExplicit = false) {
  const all: Texts = { baseUrl: "https://tables.example.com", apiKey: "key", ...config };
  return readConfig({ get: (name) => all[name], isExplicit: () => isExplicit, environment });
}

describe("The settings of a provider", () => {
  it("have defaults, except for the base URL and the key", () => {
    expect(read().settings).toStrictEqual({
      baseUrl: "https://tables.example.com",
      formerBaseUrls: [],
      isExplicit: false,
      namesFromEnvironment: [],
      apiKey: "key",
      timeoutSeconds: 30,
      retrySeconds: 120,
      listing: false,
      allowInsecureBaseUrl: false,
    });
  });

  const formerUrls = ["https://old.example.com", "https://a.a/x"];
  it.each<[SettingName, string, string, unknown]>([
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "HTTPS://A.a:443/a/..//", "https://a.a"],
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "http://[::1]:1234/eu/", "http://[::1]:1234/eu"],
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "https://api/v1", "https://api/v1"],
    ["formerBaseUrls", "DBWEBHOOKS_FORMER_BASE_URLS", `${formerUrls.join("/, ")}/`, formerUrls],
    ["formerBaseUrls", "DBWEBHOOKS_FORMER_BASE_URLS", ` ${JSON.stringify(formerUrls)}`, formerUrls],
    ["apiKey", "DBWEBHOOKS_API_KEY", "other", "other"],
    ["timeoutSeconds", "DBWEBHOOKS_TIMEOUT_SECONDS", "0.001", 0.001],
    ["timeoutSeconds", "DBWEBHOOKS_TIMEOUT_SECONDS", "3600", 3_600],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", "0.0", 0],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", "86400", 86_400],
    ["maxConcurrentRequests", "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS", "1", 1],
    ["maxConcurrentRequests", "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS", "1000", 1_000],
    ["requestsPerSecond", "DBWEBHOOKS_REQUESTS_PER_SECOND", " 50 ", 50],
    ["listing", "DBWEBHOOKS_LISTING", "true", true],
    ["allowInsecureBaseUrl", "DBWEBHOOKS_ALLOW_INSECURE_BASE_URL", "true", true],
  ])("take %s from the stack or from %s: %j means %j", (name, variable, text, value) => {
    const fromStack = read({ [name]: text }).settings;
    const fromVariable = read({}, { [variable]: text }).settings;

    expect(fromStack).toMatchObject({ [name]: value, namesFromEnvironment: [] });
    expect(fromVariable).toMatchObject({ [name]: value, namesFromEnvironment: [name] });
  });

  it.each([
    ["of the stack", "stack", false],
    ["that a Provider lacks", "", true],
  ])("come from the environment in place of one %s", (_case, apiKey, isExplicit) => {
    const { settings } = read({ apiKey }, { DBWEBHOOKS_API_KEY: "variable" }, isExplicit);

    expect(settings).toMatchObject({ apiKey: "variable", namesFromEnvironment: ["apiKey"] });
  });

  it.each([
    ["the stack when the variable is empty", "", false],
    ["the stack when the variable holds the same value", "given", false],
    ["a Provider when it has the argument", "variable", true],
  ])("come from %s", (_case, variable, isExplicit) => {
    const { settings } = read({ apiKey: "given" }, { DBWEBHOOKS_API_KEY: variable }, isExplicit);

    expect(settings).toMatchObject({ apiKey: "given", namesFromEnvironment: [] });
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
  const refusedIn = (config: Texts) => read(config).problems.map((line) => line.split(": ")[0]);

  const noUrls = ["tables.example.com", " ", "https:///a.example", "ftp://a.example"];
  const noPorts = ["https://a.example:70000"];
  const paths = ["https://a.example/api/v1", "https://a/eu/API/v1//", "https://a/api/v1/."];
  const credentials = ["https://user@a.example", "https://:pw@a.example"];
  const queries = ["https://a.example?a=1", "https://a.example/?", "https://a.example/#"];
  const insecure = ["http://a.example", "http://svc.localhost"];
  const noLists = ["old.example.com", "https://a.example,", "[]x", '{"a":1}', "[1]", "https://a?b"];
  const noNumbers = ["soon", "1e3", "0x10", "1,5", "NaN", "Infinity", "1.", ".5", "1 000"];
  it.each<[SettingName, readonly string[]]>([
    ["baseUrl", [...noUrls, ...noPorts, ...paths, ...credentials, ...queries, ...insecure]],
    ["formerBaseUrls", noLists],
    ["apiKey", ["key\n", " key", "a b", "kéy", "key\0", "\u200bkey"]],
    ["timeoutSeconds", [...noNumbers, "0", "3600.1"]],
    ["retrySeconds", ["-1", "86400.1"]],
    ["maxConcurrentRequests", ["0", "1001", "1.5"]],
    ["requestsPerSecond", ["1.5.5", "0", "10000.1"]],
    ["listing", ["yes", "1", "TRUE", " true"]],
    ["allowInsecureBaseUrl", ["yes"]],
  ])("is reported for %s for each of %j", (name, texts) => {
    for (const text of texts) {
      expect(refusedIn({ [name]: text }), text).toEqual([`dbwebhooks:${name}`]);
    }
  });

  it("is reported together with all others", () => {
    const config = { baseUrl: "", apiKey: undefined, timeoutSeconds: "?" };

    expect(refusedIn(config)).toEqual([
      "dbwebhooks:baseUrl",
      "dbwebhooks:apiKey",
      "dbwebhooks:timeoutSeconds",
    ]);
  });

  it("names the variable that has set the value", () => {
    const { problems } = read({ timeoutSeconds: "?" }, { DBWEBHOOKS_LISTING: "?" });

    expect(problems).toEqual([
      expect.not.stringContaining("DBWEBHOOKS_TIMEOUT_SECONDS"),
      expect.stringContaining("DBWEBHOOKS_LISTING"),
    ]);
  });
});
