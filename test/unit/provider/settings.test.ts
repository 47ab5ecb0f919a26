import { describe, expect, it } from "vitest";
import type { SettingName } from "../../../src/common/settings-table.ts";
import { readSettings, type SettingsSource } from "../../../src/provider/rules/settings.ts";
import type { Texts } from "../../helpers/provider.ts";

const explicit = { isExplicit: () => true };

/** Reads a valid configuration with these changes. */
function read(changes: Texts = {}, source: Partial<SettingsSource> = {}) {
  const config: Texts = { baseUrl: "https://tables.example.com", apiKey: "key", ...changes };
  const get = (name: SettingName) => config[name];
  const isExplicit = () => false;
  const { settings, apiKey, problems } = readSettings({
    get,
    isExplicit,
    environment: {},
    ...source,
  });
  const texts = problems.map(({ text }) => text);
  return { settings: settings && { ...settings, apiKey }, problems: texts };
}

describe("The settings of a provider", () => {
  it("have defaults, except for the base URL, the key and the limits of requests", () => {
    expect(read().settings).toStrictEqual({
      baseUrl: "https://tables.example.com",
      isExplicit: false,
      namesFromEnvironment: [],
      apiKey: "key",
      timeoutSeconds: 30,
      retrySeconds: 120,
      listing: undefined,
    });
  });

  it.each<[SettingName, variable: string, text: string, value: unknown]>([
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "HTTPS://A.a:443/a/..//", "https://a.a"],
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "http://[::1]:1234/eu/", "http://[::1]:1234/eu"],
    // A pattern that backtracks would need minutes.
    [
      "baseUrl",
      "DBWEBHOOKS_BASE_URL",
      `https://a.a/${"/".repeat(1_900)}b`,
      `https://a.a/${"/".repeat(1_900)}b`,
    ],
    // The host is "api". Only the path /api/v1 is refused.
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "https://api/v1", "https://api/v1"],
    ["apiKey", "DBWEBHOOKS_API_KEY", "other", "other"],
    // A quote inside a key is none around it.
    ["apiKey", "DBWEBHOOKS_API_KEY", '"other', '"other'],
    ["baseUrl", "DBWEBHOOKS_BASE_URL", "https://a.b/api/v10", "https://a.b/api/v10"],
    ["timeoutSeconds", "DBWEBHOOKS_TIMEOUT_SECONDS", "0.001", 0.001],
    ["timeoutSeconds", "DBWEBHOOKS_TIMEOUT_SECONDS", "3600", 3_600],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", "0.0", 0],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", "0.5", 0.5],
    ["retrySeconds", "DBWEBHOOKS_RETRY_SECONDS", "86400", 86_400],
    ["listing", "DBWEBHOOKS_LISTING", "true", true],
    ["listing", "DBWEBHOOKS_LISTING", "false", false],
  ])("take %s from the stack or from %s: %j means %j", (name, variable, text, value) => {
    const fromStack = read({ [name]: text }).settings;
    const fromVariable = read({}, { environment: { [variable]: text } }).settings;

    expect(fromStack).toMatchObject({ [name]: value, namesFromEnvironment: [] });
    expect(fromVariable).toMatchObject({ [name]: value, namesFromEnvironment: [name] });
  });

  const given = { apiKey: "given", namesFromEnvironment: [] };
  const fromVariable = { apiKey: "variable", namesFromEnvironment: ["apiKey"] };
  it.each<[origin: string, apiKey: string, variable: string, isExplicit: boolean, used: object]>([
    ["the environment before the stack", "given", "variable", false, fromVariable],
    ["the stack if the variable is empty", "given", "", false, given],
    // With another configuration the variable would still count.
    ["the environment if both are the same", "variable", "variable", false, fromVariable],
    ["a Provider before the environment", "given", "variable", true, given],
  ])("come from %s", (_origin, apiKey, variable, isExplicit, used) => {
    const environment = { DBWEBHOOKS_API_KEY: variable };

    const { settings } = read({ apiKey }, { environment, isExplicit: () => isExplicit });

    expect(settings).toMatchObject(used);
  });

  it("of a Provider come from the environment too, except the base URL and the key", () => {
    const environment = { DBWEBHOOKS_LISTING: "true", DBWEBHOOKS_API_KEY: "variable" };

    const { settings } = read({}, { environment, ...explicit });

    expect(settings).toMatchObject({ listing: true, apiKey: "key" });
    expect(settings?.namesFromEnvironment).toEqual(["listing"]);
  });
});

it.each([false, true])(
  "Settings that are no text, as in YAML, count, and null is absent, with an explicit provider: %s",
  (isExplicit) => {
    const config = { listing: false, retrySeconds: 0, timeoutSeconds: null };
    // For the default provider the environment comes first, so it has no variables here.
    const environment = isExplicit
      ? { DBWEBHOOKS_LISTING: "true", DBWEBHOOKS_RETRY_SECONDS: "7" }
      : {};

    const { settings } = read(config as never, { environment, isExplicit: () => isExplicit });

    expect(settings).toMatchObject({ listing: false, retrySeconds: 0, timeoutSeconds: 30 });
  },
);

describe("A problem with the settings", () => {
  it.each<[SettingName, problem: string, texts: readonly string[]]>([
    ["baseUrl", "no HTTP URL", ["tables.example.com", " ", "https:///a.example", "ftp://a.b"]],
    ["baseUrl", "too long", [`https://a.example${"/".repeat(80_000)}b`]],
    ["baseUrl", "too long once it is percent-encoded", [`https://a.example/${"ä".repeat(400)}`]],
    ["baseUrl", "the URL of the API", ["https://a.b/api/v1", "https://a/eu/API/v1//"]],
    [
      "baseUrl",
      "the URL of an operation",
      ["https://a.b/api/v1/bases", "https://a.b/eu/api/v1/bases/base_1/webhooks/"],
    ],
    ["baseUrl", "a URL with credentials", ["https://user@a.example", "https://:pw@a.example"]],
    ["baseUrl", "a URL with a query or fragment", ["https://a.example/?", "https://a.example/#"]],
    [
      "baseUrl",
      "unencrypted to another host than localhost",
      ["http://a.example", "http://svc.localhost"],
    ],
    ["apiKey", "no visible ASCII", ["key\n", " key", "a b", "kéy"]],
    ["apiKey", "in quotes", ['"sk_live_1"', "'sk_live_1'", "`sk_live_1`"]],
    ["timeoutSeconds", "no number", ["soon", "1e3", "0x10", "1,5", "1.", ".5"]],
    ["timeoutSeconds", "out of range", ["0", "3600.1"]],
    ["retrySeconds", "out of range", ["-1", "86400.1"]],
    ["listing", "neither true nor false", ["yes", "1", "TRUE"]],
  ])("is reported for a value of %s that is %s", (name, _problem, texts) => {
    const problem = expect.stringMatching(`^dbwebhooks:${name}: must `);

    for (const text of texts) {
      expect(read({ [name]: text }).problems, text).toEqual([problem]);
    }
  });

  it("is a base URL or a key that a Provider does not have, although the environment has one", () => {
    const environment = { DBWEBHOOKS_BASE_URL: "https://b.example", DBWEBHOOKS_API_KEY: "key" };

    const { problems } = read({ baseUrl: undefined, apiKey: "" }, { environment, ...explicit });

    expect(problems).toEqual(
      ["baseUrl", "apiKey"].map((name) => expect.stringMatching(`^${name}: `)),
    );
  });

  it("names the variable if the value comes from the environment", () => {
    const environment = { DBWEBHOOKS_LISTING: "?" };

    const { problems } = read({ timeoutSeconds: "?" }, { environment });

    expect(problems).toEqual([
      expect.not.stringContaining("DBWEBHOOKS_TIMEOUT_SECONDS"),
      expect.stringContaining("DBWEBHOOKS_LISTING"),
    ]);
  });
});
