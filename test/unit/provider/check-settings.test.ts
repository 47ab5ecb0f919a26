import { describe, expect, it } from "vitest";
import { settingsSourceOf } from "../../../src/adapters/plugin/settings-source.ts";
import { version } from "../../../src/common/version.ts";
import { checkSettings } from "../../../src/provider/rules/settings.ts";
import type { Properties } from "../../../src/provider/rules/values.ts";
import { apiKey, unknownMarkers, wrapped } from "../../helpers/builders.ts";
import type { Texts } from "../../helpers/provider.ts";
import { unusableAccounts } from "../../helpers/unusable-accounts.ts";

/** Checks a provider. Shortens each problem to its beginning, up to the first colon and space. */
function check(name: string, news: Properties, olds: Properties = {}, environment: Texts = {}) {
  const source = { ...settingsSourceOf(name, news), environment };
  const { problems, ...result } = checkSettings(olds, news, source);
  return { ...result, problems: problems.map((problem) => problem.split(": ")[0]) };
}

const known = { baseUrl: "https://a.example", apiKey: wrapped(apiKey), version };
const notYetKnown = { baseUrl: unknownMarkers.string, apiKey: unknownMarkers.string };
const defaultNames = ["default", "default_0_1_0", ""];

describe("The settings of a provider of the plugin", () => {
  it("are those of an explicit provider unless Pulumi has chosen the name", () => {
    const chosenByPulumi = ["default", "default_1_2_3_alpha", "default_https_/example.com"];
    const chosenByUsers = ["eu", "default-eu", "default_eu", "default_2"];
    const names = [...chosenByPulumi, ...chosenByUsers];

    const explicit = names.filter((name) => settingsSourceOf(name, {}).isExplicit());

    expect(explicit).toEqual(chosenByUsers);
  });

  it("are the values that Pulumi passes, unwrapped where it passes a secret", () => {
    const args = { apiKey: wrapped(apiKey), timeoutSeconds: 2.5, listing: false };
    const { get } = settingsSourceOf("eu", args);

    expect(get("apiKey")).toBe(apiKey);
    expect(get("timeoutSeconds")).toBe(2.5);
    expect(get("listing")).toBe(false);
    expect(get("retrySeconds")).toBeUndefined();
  });
});

describe("The check of a provider", () => {
  it.each([
    ["known arguments", known],
    ["arguments that are not known yet", notYetKnown],
    ["arguments that a version of Pulumi adds", { ...known, __internal: {}, addedLater: "x" }],
  ])("accepts %s of an explicit provider", (_case, args) => {
    expect(check("eu", args)).toMatchObject({ problems: [] });
  });

  it.each(unusableAccounts)("refuses %s of an explicit provider", (_case, news, name) => {
    const environment = { DBWEBHOOKS_API_KEY: apiKey, DBWEBHOOKS_BASE_URL: known.baseUrl };
    const source = { ...settingsSourceOf("eu", { ...news }), environment };

    const { problems } = checkSettings({}, { ...news }, source);

    expect(problems).toEqual([expect.stringMatching(`^${name}: (?!.*(1234567|-token))`)]);
  });

  it("refuses a key that is wrapped as a secret, if it is empty or a number", () => {
    const problemsOf = (key: unknown) => check("eu", { ...known, apiKey: wrapped(key) }).problems;

    expect([problemsOf(""), problemsOf(1234567)]).toEqual([["apiKey"], ["apiKey"]]);
  });

  it.each(defaultNames)("refuses no settings of the default provider %j", (name) => {
    expect(check(name, { timeout: "1" }).problems).toEqual([]);
  });

  it("returns the arguments with the key as a secret, unless it is missing or not known yet", () => {
    expect(check("default", { ...known, apiKey }).inputs).toEqual(known);
    expect(check("default", known).inputs).toEqual(known);
    expect(check("default", {}).inputs).toEqual({});
    expect(check("default", notYetKnown).inputs).toEqual(notYetKnown);
  });
});

describe("The address of an explicit provider", () => {
  const otherVariable = { DBWEBHOOKS_BASE_URL: "https://b.example" };

  it.each<[string, baseUrl: unknown]>([
    ["a text", "https://A.example//"],
    ["a secret", wrapped("https://a.example")],
  ])(
    "is stored normalized and in clear text, whatever the environment has: %s",
    (_case, baseUrl) => {
      expect(check("eu", { ...known, baseUrl }, {}, otherVariable).inputs).toEqual(known);
    },
  );

  it("cannot change: another one is refused, and the message names both", () => {
    const olds = { ...known, baseUrl: "https://old.example" };

    const { problems } = checkSettings(olds, known, settingsSourceOf("eu", known));

    expect(problems).toEqual([
      expect.stringMatching(/^baseUrl: .*https:\/\/a\.example, .* https:\/\/old\.example/),
    ]);
  });

  it("is refused for its own problem while another argument is not known yet", () => {
    const news = { baseUrl: "https://user:password@a.example", apiKey: unknownMarkers.string };

    expect(check("eu", news, {}).problems).toEqual(["baseUrl"]);
  });

  it("cannot change even while another argument is not known yet", () => {
    const news = { ...known, apiKey: unknownMarkers.string };

    const { problems } = check("eu", news, { baseUrl: "https://old.example" });

    expect(problems).toEqual(["baseUrl"]);
  });

  it("is stored as it is and compared later while it is not known yet", () => {
    const news = { ...known, baseUrl: unknownMarkers.string };

    const result = check("eu", news, { baseUrl: "https://old.example" });

    expect(result).toEqual({ inputs: news, problems: [] });
  });

  it.each<[string, olds: Properties]>([
    ["it is spelled in another way", { baseUrl: "https://A.example:443/" }],
    ["none was stored", { apiKey }],
    ["the stored one is not usable", { baseUrl: "a.example" }],
  ])("is accepted when %s", (_case, olds) => {
    expect(check("eu", known, olds).problems).toEqual([]);
  });

  it.each(defaultNames)("of the default provider %j may change, and is stored as it is", (name) => {
    // A refused update has already stored the new settings, so the comparison of each webhook
    // decides.
    const result = check(name, known, { baseUrl: "https://old.example" }, otherVariable);

    expect(result).toEqual({ inputs: known, problems: [] });
  });
});
