import { status } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  checkConfig,
  configSourceOf,
  diffConfig,
} from "../../src/adapters/plugin/configuration.ts";
import type { EngineLog } from "../../src/adapters/plugin/engine-log.ts";
import {
  diffResponse,
  grpcErrorOf,
  propertiesOf,
  RequestError,
  structOf,
} from "../../src/adapters/plugin/grpc-messages.ts";
import { parsePulumiId, pulumiIdOf } from "../../src/adapters/plugin/pulumi-id.ts";
import { version } from "../../src/common/version.ts";
import type { Properties } from "../../src/provider/values.ts";
import { apiKey, someArgs, someState, unknownMarkers, wrapped } from "../helpers/builders.ts";

const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = messages.DiffResponse.DiffChanges;

describe("The response to Diff", () => {
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = messages.PropertyDiff.Kind;
  const table = { tableId: "tbl_1" };
  const other = { tableId: "tbl_2" };

  function responseTo(property: string, lastUpdate = {}, state = {}, program = {}) {
    const differences = [{ property, label: property }];
    const [oldInputs, news] = [someArgs(lastUpdate), someArgs(program)];
    return diffResponse(differences, oldInputs, someState(state), news).toObject();
  }

  it("says explicitly that nothing changes", () => {
    const response = diffResponse([], someArgs(), someState(), someArgs()).toObject();

    expect(response).toMatchObject({ changes: DIFF_NONE, hasdetaileddiff: true, replacesList: [] });
  });

  it.each([
    { kind: UPDATE_REPLACE, lastUpdate: table, state: table, program: other },
    { kind: ADD_REPLACE, lastUpdate: {}, state: other, program: table },
    { kind: DELETE_REPLACE, lastUpdate: table, state: table, program: {} },
    { kind: DELETE_REPLACE, lastUpdate: table, state: {}, program: { tableId: null } },
  ])("shows a change from $lastUpdate to $program as one of inputs, with $state stored", (row) => {
    const { kind, lastUpdate, state, program } = row;

    expect(responseTo("tableId", lastUpdate, state, program)).toMatchObject({
      changes: DIFF_SOME,
      deletebeforereplace: false,
      replacesList: ["tableId"],
      diffsList: ["tableId"],
      detaileddiffMap: [["tableId", { kind, inputdiff: true }]],
    });
  });

  it.each([
    { kind: UPDATE_REPLACE, program: table, state: other },
    { kind: ADD_REPLACE, program: table, state: {} },
    { kind: DELETE_REPLACE, program: {}, state: table },
  ])("shows a drift from $program to $state as a difference of outputs", (row) => {
    const { kind, program, state } = row;

    const { detaileddiffMap } = responseTo("tableId", program, state, program);

    expect(detaileddiffMap).toMatchObject([["tableId", { kind, inputdiff: false }]]);
  });

  it.each(["baseUrl", "secret"])("has no detail of %s, which is no argument", (property) => {
    expect(responseTo(property)).toMatchObject({ replacesList: [property], detaileddiffMap: [] });
  });
});

it("An unexpected error reaches Pulumi without its message, which can contain a secret", () => {
  const { code, details } = grpcErrorOf(new Error(`cannot read ${apiKey}`));

  expect(code).toBe(status.UNKNOWN);
  expect(details).not.toContain(apiKey);
});

describe("The Pulumi id of a webhook", () => {
  it("holds the database and the number, whatever the name of the database", () => {
    const databases = fc.string({ minLength: 1 }).filter((text) => text !== "." && text !== "..");

    fc.assert(
      fc.property(databases, fc.nat().map(String), (databaseId, webhookId) => {
        const id = pulumiIdOf(databaseId, webhookId);

        expect(parsePulumiId(id, "Read")).toEqual({ databaseId, webhookId });
      }),
    );
  });

  it.each(["42", "/42", "../42", "base/", "base/a", "base/042", "base/42/"])("is not %s", (id) => {
    expect(() => parsePulumiId(id, "Read")).toThrow(RequestError);
  });

  it("is suggested for a number, with move-state only if the number stands alone", () => {
    expect(() => parsePulumiId("17", "Import")).toThrow(/base_abc123\/17\..*move-state/);
    expect(() => parsePulumiId("17/", "Import")).toThrow(/^(?!.*move-state)/);
  });
});

describe("The settings of a provider of the plugin", () => {
  const sourceOf = (name: string, args: Properties = {}) =>
    configSourceOf(new messages.ConfigureRequest().setName(name).setArgs(structOf(args)));

  it("are those of an explicit provider unless Pulumi has chosen the name", () => {
    const chosenByPulumi = ["default", "default_1_2_3_alpha", "default_https_/example.com"];
    const chosenByUsers = ["eu", "default-eu", "default_eu", "default_2"];
    const names = [...chosenByPulumi, ...chosenByUsers];

    expect(names.filter((name) => sourceOf(name).isExplicit())).toEqual(chosenByUsers);
  });

  it("are strings, also where Pulumi passes a secret, a number or a boolean", () => {
    const args = { apiKey: wrapped(apiKey), timeoutSeconds: 2.5, listing: false, baseUrl: null };
    const { get } = sourceOf("eu", args);

    expect(get("apiKey")).toBe(apiKey);
    expect(get("timeoutSeconds")).toBe("2.5");
    expect(get("listing")).toBe("false");
    expect(get("baseUrl")).toBeUndefined();
    expect(get("retrySeconds")).toBeUndefined();
  });
});

describe("The check of a provider of the plugin", () => {
  /** Checks a provider. Returns the inputs, the warnings and each failure up to its first colon and space. */
  async function check(name: string, news: Properties, olds: Properties = {}) {
    const warnings: string[] = [];
    const write = (_urn: string, line: string) => void warnings.push(line);
    const log = { write, flush: async () => {} } as unknown as EngineLog;
    const request = new messages.CheckRequest().setName(name).setOlds(structOf(olds));
    const response = await checkConfig(request.setNews(structOf(news)), log);
    const failures = response.getFailuresList().map((one) => one.getReason().split(": ")[0]);
    return { inputs: propertiesOf(response.getInputs()), warnings, failures };
  }
  const known = { baseUrl: "https://a.example", apiKey: wrapped(apiKey), version };
  const addedByPulumi = { pluginDownloadURL: "x", pluginChecksums: {}, __internal: {} };
  const notYetKnown = { baseUrl: unknownMarkers.string, apiKey: unknownMarkers.string };

  it.each([
    ["known arguments", known],
    ["arguments that are not known yet", notYetKnown],
    ["arguments that Pulumi adds", { ...known, ...addedByPulumi }],
  ])("accepts %s of an explicit provider", async (_case, args) => {
    expect(await check("eu", args)).toMatchObject({ failures: [], warnings: [] });
  });

  it("refuses invalid, missing and unrecognized arguments of an explicit provider", async () => {
    const { failures } = await check("eu", { apiKey: "a b", timeout: "1" });

    expect(failures).toEqual(["timeout", "dbwebhooks:baseUrl", "dbwebhooks:apiKey"]);
  });

  it("refuses a program that asks for another version of the plugin, and warns all the same", async () => {
    vi.stubEnv("DBWEBHOOKS_LISTINGS", "true");

    const { failures, warnings } = await check("default", { version: "0.0.1\u001b-other" });

    expect(failures).toEqual([expect.stringMatching(/ 0\.0\.1 ?-other /)]);
    expect(warnings).toEqual([expect.stringContaining("DBWEBHOOKS_LISTINGS")]);
  });

  it.each(["default_0_1_0", "eu"])("warns of unrecognized variables for %s", async (name) => {
    vi.stubEnv("DBWEBHOOKS_LISTINGS", "value-token");
    vi.stubEnv("DBWEBHOOKS_IMPORT_SECRET", "value");
    vi.stubEnv("DBWEBHOOKS_SERVE_API_KEYS", "value");

    const { warnings } = await check(name, known);

    expect(warnings).toEqual([expect.stringContaining("DBWEBHOOKS_LISTINGS")]);
    expect(warnings.join()).not.toContain("value-token");
  });

  it("does not warn of the key, because Pulumi passes a secret key in plain text too", async () => {
    const { warnings } = await check("default", { ...known, apiKey });

    expect(warnings).toEqual([]);
  });

  it("returns the arguments with the key as a secret, unless it is missing or not known yet", async () => {
    expect((await check("default", { ...known, apiKey })).inputs).toEqual(known);
    expect((await check("default", known)).inputs).toEqual(known);
    expect((await check("default", {})).inputs).toEqual({});
    expect((await check("default", notYetKnown)).inputs).toEqual(notYetKnown);
  });

  it("refuses another base URL of an explicit provider when the key of the old one is stored nowhere", async () => {
    const olds = { baseUrl: "https://old.example" };

    expect((await check("eu", known, olds)).failures).toEqual(["baseUrl"]);
    // Pulumi stores the settings of the default provider even if the update is refused.
    expect((await check("default", known, olds)).failures).toEqual([]);
  });

  describe("with the key of the environment", () => {
    const olds = { baseUrl: "https://old.example" };
    const news = { baseUrl: "https://a.example" };

    beforeEach(() => void vi.stubEnv("DBWEBHOOKS_API_KEY", apiKey));

    it("refuses another base URL of an explicit provider", async () => {
      expect((await check("eu", news, olds)).failures).toEqual(["baseUrl"]);
    });

    it("refuses another base URL where the environment set the old one", async () => {
      vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://environment.example");
      const olds = { apiKey: "own-key" };

      expect((await check("eu", { ...olds, ...news }, olds)).failures).toEqual(["baseUrl"]);
    });

    it.each([
      { change: "another base URL of the default provider", name: "default", oldArgs: olds },
      { change: "the same base URL", name: "eu", oldArgs: news },
    ])("accepts $change", async ({ name, oldArgs }) => {
      expect((await check(name, news, oldArgs)).failures).toEqual([]);
    });

    it("accepts a new provider, even if the environment has another base URL", async () => {
      vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://environment.example");

      expect((await check("eu", news)).failures).toEqual([]);
    });
  });
});

describe("The diff of a provider of the plugin", () => {
  const us = "https://us.example.com/x";
  const eu = "https://eu.example.com";
  const formerBaseUrls = `https://a.a,${us},https://b.b`;
  const account = { baseUrl: us, apiKey, version };
  const moved = { ...account, baseUrl: eu };
  const keyOfEnvironment = { DBWEBHOOKS_API_KEY: "key-of-the-environment" };
  const baseUrlOfEnvironment = { DBWEBHOOKS_BASE_URL: "https://environment.example.com" };

  function compare(name: string, olds: Properties, news: Properties, environment = {}) {
    for (const [variable, value] of Object.entries<string>(environment)) {
      vi.stubEnv(variable, value);
    }
    const request = new messages.DiffRequest().setName(name).setOldInputs(structOf(olds));
    const { response, warning } = diffConfig(request.setNews(structOf(news)));
    return { ...response.toObject(), warning };
  }
  const notReplaced = { changes: DIFF_UNKNOWN, replacesList: [], warning: undefined };

  it.each([
    { name: "default_0_1_0", fact: "which has its key from the stack", environment: {} },
    { name: "eu", fact: "whose own key overrides the environment", environment: keyOfEnvironment },
  ])("replaces $name, $fact, for another base URL, and warns", (row) => {
    const olds = { ...account, apiKey: wrapped(apiKey) };

    expect(compare(row.name, olds, moved, row.environment)).toMatchObject({
      changes: DIFF_SOME,
      replacesList: ["baseUrl"],
      diffsList: ["baseUrl"],
      warning: expect.stringMatching(`from ${us} to ${eu}.*formerBaseUrls to ${us}`),
    });
  });

  it.each<[string, Properties]>([
    ["nothing", {}],
    ["the spelling of the base URL", { baseUrl: "HTTPS://US.example.com:443/x/" }],
    ["the address of the same service", { baseUrl: eu, formerBaseUrls }],
    ["the key", { apiKey: "another-key" }],
    ["the base URL to one that is not known yet", { baseUrl: unknownMarkers.string }],
    ["the base URL to an invalid one", { baseUrl: "eu.example.com" }],
    ["the base URL to none", { baseUrl: undefined }],
  ])("replaces no provider for which the program changes %s", (_case, changes) => {
    expect(compare("eu", account, { ...account, ...changes })).toMatchObject(notReplaced);
  });

  // The environment takes precedence over the arguments of the default provider only.
  it.each([
    { setting: "key", name: "default", olds: account, environment: keyOfEnvironment },
    { setting: "key", name: "eu", olds: { baseUrl: us }, environment: keyOfEnvironment },
    { setting: "base URL", name: "eu", olds: { apiKey }, environment: baseUrlOfEnvironment },
  ])("does not replace $name, whose old $setting came from the environment", (row) => {
    const { name, olds, environment } = row;

    expect(compare(name, olds, { ...olds, ...moved }, environment)).toMatchObject(notReplaced);
  });

  it("does not replace the default provider if the environment overrides both base URLs", () => {
    expect(compare("default", account, moved, baseUrlOfEnvironment)).toMatchObject(notReplaced);
  });
});
