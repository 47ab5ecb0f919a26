import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { environmentVariables } from "../../src/common/setting-names.ts";
import { type ConfigSource, readConfig } from "../../src/core/config.ts";

type Texts = Record<string, string | undefined>;

const source = (config: Texts, environment: Texts, isExplicit = false): ConfigSource => ({
  get: (name) => config[`dbwebhooks:${name}`],
  isExplicit: () => isExplicit,
  environment,
});

const read = (stackConfig: Texts = {}, environment: Texts = {}) => {
  const all: Texts = {
    "dbwebhooks:baseUrl": "https://tables.example.com",
    "dbwebhooks:apiKey": "key",
    ...stackConfig,
  };
  return readConfig(source(all, environment));
};

describe("the settings", () => {
  it("have defaults for all but base URL and key", () => {
    const { settings } = read();

    expect(settings).toStrictEqual({
      baseUrl: "https://tables.example.com",
      apiKey: "key",
      timeoutSeconds: 30,
      retrySeconds: 120,
      maxConcurrentRequests: 16,
      listing: false,
      allowInsecureBaseUrl: false,
      formerBaseUrls: [],
      fromEnvironment: [],
    });
  });

  const values = {
    baseUrl: ["https://eu.example.com", "https://eu.example.com"],
    apiKey: ["other", "other"],
    timeoutSeconds: ["2.5", 2.5],
    retrySeconds: ["0", 0],
    maxConcurrentRequests: ["1", 1],
    requestsPerSecond: ["50", 50],
    listing: ["true", true],
    allowInsecureBaseUrl: ["true", true],
  } as const;
  const cases = Object.entries(values).map(([name, [text, value]]) => [name, text, value] as const);

  it.each(cases)("take %s from the stack", (name, text, value) => {
    const { settings } = read({ [`dbwebhooks:${name}`]: text });

    expect(settings).toHaveProperty(name, value);
  });

  it.each(cases)("take %s from the environment", (name, text, value) => {
    const variable = environmentVariables[name as keyof typeof values];

    const { settings } = read({}, { [variable]: text });

    expect(settings).toHaveProperty(name, value);
  });

  it("come from the environment rather than from the stack", () => {
    const { settings } = read(
      { "dbwebhooks:apiKey": "stack" },
      { DBWEBHOOKS_API_KEY: "environment" },
    );

    expect(settings?.apiKey).toBe("environment");
  });

  it("do not come from an empty variable", () => {
    const { settings } = read({ "dbwebhooks:apiKey": "stack" }, { DBWEBHOOKS_API_KEY: "" });

    expect(settings?.apiKey).toBe("stack");
  });

  it("have environment variables of the names that the documentation gives", () => {
    expect(environmentVariables).toEqual({
      baseUrl: "DBWEBHOOKS_BASE_URL",
      formerBaseUrls: "DBWEBHOOKS_FORMER_BASE_URLS",
      apiKey: "DBWEBHOOKS_API_KEY",
      timeoutSeconds: "DBWEBHOOKS_TIMEOUT_SECONDS",
      retrySeconds: "DBWEBHOOKS_RETRY_SECONDS",
      maxConcurrentRequests: "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS",
      requestsPerSecond: "DBWEBHOOKS_REQUESTS_PER_SECOND",
      listing: "DBWEBHOOKS_LISTING",
      allowInsecureBaseUrl: "DBWEBHOOKS_ALLOW_INSECURE_BASE_URL",
    });
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
    ["http://[::1]:1234", "http://[::1]:1234"],
  ])("has one spelling: %s", (baseUrl, expected) => {
    const { settings } = read({ "dbwebhooks:baseUrl": baseUrl });

    expect(settings?.baseUrl).toBe(expected);
  });

  it("has a spelling that is its own", () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["https"] }), (baseUrl) => {
        const once = read({ "dbwebhooks:baseUrl": baseUrl }).settings?.baseUrl;

        expect(read({ "dbwebhooks:baseUrl": once }).settings?.baseUrl).toBe(once);
        expect(once).not.toMatch(/\/$/);
      }),
    );
  });

  it.each([
    "tables.example.com",
    "https://",
    "https:///tables.example.com",
    "ftp://example.com",
    " ",
  ])("is not %j", (baseUrl) => {
    const { problems } = read({ "dbwebhooks:baseUrl": baseUrl });

    expect(problems).toEqual([
      'dbwebhooks:baseUrl: must be an absolute URL, such as "https://tables.example.com", without white space',
    ]);
  });

  it.each([
    "https://example.com/api/v1",
    "https://example.com/eu/API/v1//",
    "https://example.com/api/v1/.",
  ])("does not end in the path of the interface: %s", (baseUrl) => {
    const { problems } = read({ "dbwebhooks:baseUrl": baseUrl });

    expect(problems).toEqual([
      "dbwebhooks:baseUrl: must not end in /api/v1, which is added to it: leave it out",
    ]);
  });

  it.each([
    "https://user@example.com",
    "https://:password@example.com",
    "https://example.com?key=1",
    "https://example.com/?",
    "https://example.com/#",
  ])("holds nothing else: %s", (baseUrl) => {
    const { problems } = read({ "dbwebhooks:baseUrl": baseUrl });

    expect(problems).toEqual([
      "dbwebhooks:baseUrl: must hold no user name, password, query or fragment; the key goes into dbwebhooks:apiKey",
    ]);
  });

  it("is not insecure", () => {
    const { problems } = read({ "dbwebhooks:baseUrl": "http://example.com" });

    expect(problems).toEqual([
      "dbwebhooks:baseUrl: must begin with https:// (http:// only for a loopback host), because the API key travels with every request. To send it unencrypted all the same, set dbwebhooks:allowInsecureBaseUrl to true",
    ]);
  });

  it("may be insecure where that is allowed", () => {
    const { settings } = read({
      "dbwebhooks:baseUrl": "http://example.com",
      "dbwebhooks:allowInsecureBaseUrl": "true",
    });

    expect(settings?.baseUrl).toBe("http://example.com");
  });
});

describe("a problem with the settings", () => {
  it.each(["timeoutSeconds", "retrySeconds", "maxConcurrentRequests", "requestsPerSecond"])(
    "is a %s that is no number",
    (name) => {
      const texts = [
        "soon",
        "-1",
        "1e3",
        "0x10",
        "1,5",
        "NaN",
        "Infinity",
        "1.",
        ".5",
        "1 000",
        "99999999",
      ];

      const problems = texts.flatMap(
        (text) => read({ [`dbwebhooks:${name}`]: text }).problems ?? ["none"],
      );

      expect(problems).toHaveLength(texts.length);
      expect(new Set(problems).size).toBe(1);
      expect(problems[0]).toContain(`dbwebhooks:${name}: `);
    },
  );

  it.each([
    ["timeoutSeconds", "0", "0.001", "3600", "3600.1"],
    ["retrySeconds", undefined, "0", "86400", "86401"],
    ["maxConcurrentRequests", "0", "1", "1000", "1001"],
    ["requestsPerSecond", "0", "0.001", "10000", "10001"],
  ])("is a %s out of its limits", (name, below, least, most, above) => {
    const isFine = (text: string | undefined) =>
      text !== undefined && read({ [`dbwebhooks:${name}`]: text }).problems === undefined;

    expect([below, least, most, above].map(isFine)).toEqual([false, true, true, false]);
  });

  it.each([
    ["timeoutSeconds", "must be a number of seconds from 0.001 to 3600"],
    ["retrySeconds", "must be a number of seconds from 0 to 86400"],
    ["maxConcurrentRequests", "must be a whole number from 1 to 1000"],
    ["requestsPerSecond", "must be a number from 0.001 to 10000"],
  ])("is a %s such as 1.5.5, and says what it must be", (name, text) => {
    const { problems } = read({ [`dbwebhooks:${name}`]: "1.5.5" });

    expect(problems).toEqual([`dbwebhooks:${name}: ${text}`]);
  });

  it("is a part of a request", () => {
    const { problems } = read({ "dbwebhooks:maxConcurrentRequests": "1.5" });

    expect(problems).toHaveLength(1);
  });

  it.each(["listing", "allowInsecureBaseUrl"])("is a %s that is neither true nor false", (name) => {
    const texts = ["yes", "1", "TRUE", "True", " true"];

    const problems = texts.map((text) => read({ [`dbwebhooks:${name}`]: text }).problems);

    expect(problems).toEqual(texts.map(() => [`dbwebhooks:${name}: must be true or false`]));
  });

  it.each(["key\n", " key", "a b", "kéy", "key\u0000", "\u200bkey"])("is the key %j", (apiKey) => {
    const { problems } = read({ "dbwebhooks:apiKey": apiKey });

    expect(problems).toEqual([
      "dbwebhooks:apiKey: must be the key alone: visible ASCII characters, without white space or line breaks",
    ]);
  });

  it.each([
    [
      "baseUrl",
      'run "pulumi config set dbwebhooks:baseUrl https://tables.example.com" or set DBWEBHOOKS_BASE_URL',
    ],
    ["apiKey", 'run "pulumi config set --secret dbwebhooks:apiKey" or set DBWEBHOOKS_API_KEY'],
  ])("is a missing %s, with the command to set it", (name, advice) => {
    const problems = ["", undefined].map((text) => read({ [`dbwebhooks:${name}`]: text }).problems);

    const expected = [`dbwebhooks:${name}: is not set; ${advice}`];
    expect(problems).toEqual([expected, expected]);
  });

  it("names the variable that set a wrong value", () => {
    const { problems } = read({}, { DBWEBHOOKS_RETRY_SECONDS: "soon" });

    expect(problems).toEqual([
      "dbwebhooks:retrySeconds: must be a number of seconds from 0 to 86400; DBWEBHOOKS_RETRY_SECONDS sets this value",
    ]);
  });

  it("asks for the environment alone where the program does not run", () => {
    const result = read({ "dbwebhooks:apiKey": undefined });

    expect(result).toMatchObject({
      problemsOfCommand: ["dbwebhooks:apiKey: is not set; set DBWEBHOOKS_API_KEY"],
    });
  });

  it("comes with all others", () => {
    const { problems } = readConfig({
      get: (name) => (name === "baseUrl" ? undefined : "?"),
      isExplicit: () => false,
      environment: { DBWEBHOOKS_TIMEOUT_SECONDS: "soon" },
    });

    expect(problems?.map((problem) => problem.split(/: | \(/)[0])).toEqual([
      "dbwebhooks:baseUrl",
      "dbwebhooks:formerBaseUrls",
      "dbwebhooks:timeoutSeconds",
      "dbwebhooks:retrySeconds",
      "dbwebhooks:maxConcurrentRequests",
      "dbwebhooks:requestsPerSecond",
      "dbwebhooks:listing",
      "dbwebhooks:allowInsecureBaseUrl",
    ]);
  });
});

describe("former base URLs", () => {
  const former = (text: string) => read({ "dbwebhooks:formerBaseUrls": text });

  it.each([
    "https://old.example.com/, HTTP://older.example.com:80/x/",
    '["https://old.example.com","http://older.example.com/x"]',
  ])("are a list, in one spelling: %s", (text) => {
    expect(former(text).settings?.formerBaseUrls).toEqual([
      "https://old.example.com",
      "http://older.example.com/x",
    ]);
  });

  it.each(["old.example.com", "https://old.example.com,", "[]x", '{"a":1}', "[1]"])(
    "are base URLs, not %j",
    (text) => {
      expect(former(text).problems).toEqual([
        'dbwebhooks:formerBaseUrls: must be base URLs with commas between them, such as "https://old.example.com"',
      ]);
    },
  );

  it("do not hold the current one", () => {
    expect(former("https://tables.example.com/").problems).toEqual([
      "dbwebhooks:formerBaseUrls: must not hold dbwebhooks:baseUrl itself",
    ]);
  });
});

describe("settings of an explicit provider", () => {
  it("win over the environment, which fills gaps", () => {
    const environment = {
      DBWEBHOOKS_BASE_URL: "https://us.example.com",
      DBWEBHOOKS_API_KEY: "key-from-environment",
    };

    const { settings } = readConfig(
      source({ "dbwebhooks:baseUrl": "https://eu.example.com" }, environment, true),
    );

    expect(settings).toMatchObject({
      baseUrl: "https://eu.example.com",
      apiKey: "key-from-environment",
    });
  });

  it("are asked of the program where they are missing", () => {
    const { problems } = readConfig(
      source({ "dbwebhooks:baseUrl": "https://eu.example.com" }, {}, true),
    );

    expect(problems).toEqual([
      "dbwebhooks:apiKey: is not set; give apiKey to the Provider or set DBWEBHOOKS_API_KEY",
    ]);
  });
});
