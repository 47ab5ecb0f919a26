import { status } from "@grpc/grpc-js";
import {
  CheckRequest,
  ConfigureRequest,
  DiffRequest,
  DiffResponse,
  PropertyDiff,
} from "@pulumi/pulumi/proto/provider_pb.js";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  checkConfig,
  configSourceOf,
  diffConfig,
} from "../../src/adapters/plugin/configuration.js";
import type { EngineLog } from "../../src/adapters/plugin/engine-log.js";
import {
  diffResponse,
  grpcErrorOf,
  propertiesOf,
  RequestError,
  structOf,
} from "../../src/adapters/plugin/grpc-messages.js";
import { parsePulumiId, pulumiIdOf } from "../../src/adapters/plugin/pulumi-id.js";
import { importSecretVariable, serveApiKeysVariable } from "../../src/common/setting-names.js";
import { version } from "../../src/common/version.js";
import type { Properties } from "../../src/provider/values.js";
import {
  apiKey,
  secretEnvelope,
  someArgs,
  someState,
  unknownMarkers,
} from "../helpers/builders.js";

const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = DiffResponse.DiffChanges;

describe("The response to Diff", () => {
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const url = "https://b.example";
  const tableId = "t";

  /** Changes of some arguments: those of the last update, those in the state, and the new ones. */
  interface Changes {
    readonly oldInputs?: Properties;
    /** Default: those of the last update. */
    readonly olds?: Properties;
    readonly news?: Properties;
  }
  type Row = Changes & { change: string; property: string; kind: PropertyDiff.Kind };

  function responseTo(property: string, changes: Changes = {}) {
    const { oldInputs = {}, olds = oldInputs, news = {} } = changes;
    const states = [someArgs(oldInputs), someState(olds), someArgs(news)] as const;
    return diffResponse([{ property, label: property }], ...states).toObject();
  }

  it("says explicitly that nothing changes", () => {
    const response = diffResponse([], someArgs(), someState(), someArgs()).toObject();

    expect(response).toMatchObject({ changes: DIFF_NONE, hasdetaileddiff: true, replacesList: [] });
  });

  const drifted = { olds: { tableId: "other" }, news: { tableId } };
  const asNull = { oldInputs: { tableId }, news: { tableId: null } };
  it.each<Row>([
    { change: "another url", property: "url", kind: UPDATE_REPLACE, news: { url } },
    { change: "a new table", property: "tableId", kind: ADD_REPLACE, news: { tableId } },
    { change: "a table that drifted", property: "tableId", kind: ADD_REPLACE, ...drifted },
    { change: "no table", property: "tableId", kind: DELETE_REPLACE, oldInputs: { tableId } },
    { change: "null as table", property: "tableId", kind: DELETE_REPLACE, ...asNull },
  ])("shows $change in the program as a difference of inputs", ({ property, kind, ...changes }) => {
    expect(responseTo(property, changes)).toMatchObject({
      changes: DIFF_SOME,
      replacesList: [property],
      diffsList: [property],
      detaileddiffMap: [[property, { kind, inputdiff: true }]],
    });
  });

  const declared = { oldInputs: { tableId }, news: { tableId } };
  it.each<Row>([
    { change: "another url", property: "url", kind: UPDATE_REPLACE, olds: { url } },
    { change: "a table", property: "tableId", kind: DELETE_REPLACE, olds: { tableId } },
    { change: "no table", property: "tableId", kind: ADD_REPLACE, ...declared, olds: {} },
  ])("shows $change at the service as a difference of outputs", (row) => {
    const detaileddiffMap = [[row.property, { kind: row.kind, inputdiff: false }]];

    expect(responseTo(row.property, row)).toMatchObject({ detaileddiffMap });
  });

  it.each(["baseUrl", "secret"])("has no detail of %s, which is no argument", (property) => {
    expect(responseTo(property)).toMatchObject({ replacesList: [property], detaileddiffMap: [] });
  });
});

describe("An unexpected error", () => {
  it("reaches Pulumi without its message, which can contain a secret", () => {
    const { code, details } = grpcErrorOf(new Error(`cannot read ${apiKey}`));

    expect(code).toBe(status.UNKNOWN);
    expect(details).not.toContain(apiKey);
  });
});

describe("The Pulumi id of a webhook", () => {
  it("holds the database and the number, whatever the name of the database", () => {
    const databases = fc.string({ minLength: 1 }).filter((text) => text !== "." && text !== "..");

    fc.assert(
      fc.property(databases, fc.nat(), (databaseId, number) => {
        const webhookId = String(number);
        const id = pulumiIdOf(databaseId, webhookId);

        expect(parsePulumiId(id, "Read")).toEqual({ databaseId, webhookId });
      }),
    );
  });

  it.each(["42", "/42", "../42", "base/", "base/a", "base/042", "base/42/"])("is not %s", (id) => {
    expect(() => parsePulumiId(id, "Read")).toThrow(RequestError);
  });

  it("is suggested for a number alone, together with move-state", () => {
    expect(() => parsePulumiId("17", "Import")).toThrow(/base_abc123\/17\..*move-state/);
    expect(() => parsePulumiId("17/", "Import")).toThrow(/^(?!.*move-state)/);
  });
});

describe("The settings of a provider of the plugin", () => {
  const sourceOf = (name: string, args: Properties = {}) =>
    configSourceOf(new ConfigureRequest().setName(name).setArgs(structOf(args)));

  const defaultNames = ["", "default", "default_1_2_3_alpha", "default_https_/example.com"];
  it.each(defaultNames)("are those of a default provider with the name %j", (name) => {
    expect(sourceOf(name).isExplicit()).toBe(false);
  });

  it.each(["eu", "default-eu", "default_eu"])(
    "are those of an explicit provider with the name %j",
    (name) => {
      expect(sourceOf(name).isExplicit()).toBe(true);
    },
  );

  it("are strings, also where Pulumi passes a secret, a number or a boolean", () => {
    const args = { apiKey: secretEnvelope, timeoutSeconds: 2.5, listing: false, baseUrl: null };
    const { get } = sourceOf("eu", args);

    expect(get("apiKey")).toBe(secretEnvelope.value);
    expect(get("timeoutSeconds")).toBe("2.5");
    expect(get("listing")).toBe("false");
    expect(get("baseUrl")).toBeUndefined();
    expect(get("retrySeconds")).toBeUndefined();
  });
});

describe("The check of a provider of the plugin", () => {
  /** Checks a provider. Returns its inputs, its warnings, and the name at the start of each failure. */
  async function check(name: string, news: Properties, olds: Properties = {}) {
    const warnings: string[] = [];
    const write = (_urn: string, line: string) => void warnings.push(line);
    const log = { write, flush: async () => {} } as unknown as EngineLog;
    const request = new CheckRequest().setName(name).setOlds(structOf(olds));
    const response = await checkConfig(request.setNews(structOf(news)), log);
    const failures = response.getFailuresList().map((one) => one.getReason().split(": ")[0]);
    return { inputs: propertiesOf(response.getInputs()), warnings, failures };
  }
  const known = { baseUrl: "https://a.example", apiKey, version };
  const notYetKnown = { baseUrl: unknownMarkers.string, apiKey: unknownMarkers.string };

  it.each([
    ["known arguments", known],
    ["arguments that are not known yet", notYetKnown],
    ["arguments that Pulumi adds", { ...known, pluginDownloadURL: "x" }],
  ])("accepts %s of an explicit provider", async (_case, args) => {
    expect(await check("eu", args)).toMatchObject({ failures: [], warnings: [] });
  });

  it("refuses invalid, missing and unrecognized arguments of an explicit provider", async () => {
    const { failures } = await check("eu", { apiKey: "a b", timeout: "1" });

    expect(failures).toEqual(["timeout", "dbwebhooks:baseUrl", "dbwebhooks:apiKey"]);
  });

  it("warns of unrecognized settings of the default provider, and refuses none", async () => {
    const { failures, warnings } = await check("default_0_1_0", { timeout: "1" });

    expect(failures).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("dbwebhooks:timeout")]);
  });

  it("refuses a program that asks for another version of the plugin", async () => {
    const { failures } = await check("default", { version: "0.0.1-other" });

    expect(failures).toEqual([expect.stringContaining("0.0.1-other")]);
  });

  it.each(["default_0_1_0", "eu"])("of %s warns of unrecognized variables", async (name) => {
    vi.stubEnv("DBWEBHOOKS_LISTINGS", "value-token");
    for (const variable of [importSecretVariable, serveApiKeysVariable, "DBWEBHOOKS_PULUMI_CLI"]) {
      vi.stubEnv(variable, "value");
    }

    const { warnings } = await check(name, known);

    expect(warnings).toEqual([expect.stringContaining("DBWEBHOOKS_LISTINGS")]);
    expect(warnings.join()).not.toContain("value-token");
  });

  const wrapped = { ...known, apiKey: { ...secretEnvelope, value: apiKey } };
  it.each([
    { fact: "wraps a key as a secret", args: known, inputs: wrapped },
    { fact: "wraps no key that is not known yet", args: notYetKnown, inputs: notYetKnown },
    { fact: "accepts arguments without a key", args: {}, inputs: {} },
  ])("$fact", async ({ args, inputs }) => {
    expect((await check("default", args)).inputs).toEqual(inputs);
  });

  describe("with the key of the environment", () => {
    const olds = { baseUrl: "https://old.example" };
    const news = { baseUrl: "https://a.example" };

    beforeEach(() => {
      vi.stubEnv("DBWEBHOOKS_API_KEY", apiKey);
      // A provider without old arguments seems to have had this base URL.
      vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://environment.example");
    });

    it("refuses another base URL of an explicit provider", async () => {
      expect((await check("eu", news, olds)).failures).toEqual(["baseUrl"]);
    });

    it.each([
      { change: "another base URL of the default provider", name: "default", oldArgs: olds },
      { change: "the same base URL", name: "eu", oldArgs: news },
      { change: "a new provider", name: "eu", oldArgs: {} },
    ])("accepts $change", async ({ name, oldArgs }) => {
      expect((await check(name, news, oldArgs)).failures).toEqual([]);
    });
  });
});

describe("The diff of a provider of the plugin", () => {
  const us = "https://us.example.com/x";
  const eu = "https://eu.example.com";
  const account = { baseUrl: us, apiKey, version };
  const moved = { ...account, baseUrl: eu };
  const keyOfEnvironment = { DBWEBHOOKS_API_KEY: "key-of-the-environment" };
  const baseUrlOfEnvironment = { DBWEBHOOKS_BASE_URL: "https://environment.example.com" };

  function compare(name: string, olds: Properties, news: Properties, environment = {}) {
    for (const [variable, value] of Object.entries<string>(environment)) {
      vi.stubEnv(variable, value);
    }
    const request = new DiffRequest().setName(name).setOldInputs(structOf(olds));
    const { response, replacedWarning } = diffConfig(request.setNews(structOf(news)));
    const [changes, replaces] = [response.getChanges(), response.getReplacesList()];
    return { changes, replaces, isWarned: replacedWarning !== undefined };
  }
  const replaced = { changes: DIFF_SOME, replaces: ["baseUrl"], isWarned: true };
  const noReplacement = { changes: DIFF_UNKNOWN, replaces: [], isWarned: false };

  it.each(["default", "default_0_1_0", "eu"])(
    "replaces the provider %s for another base URL, and warns",
    (name) => {
      const wrapped = { ...account, apiKey: { ...secretEnvelope, value: apiKey } };

      expect(compare(name, wrapped, { ...moved, apiKey: "another-key" })).toEqual(replaced);
    },
  );

  it("replaces an explicit provider that has a key of its own, whatever the environment holds", () => {
    expect(compare("eu", account, moved, keyOfEnvironment)).toEqual(replaced);
  });

  it.each<[string, Properties]>([
    ["nothing", {}],
    ["the spelling of the base URL", { baseUrl: "HTTPS://US.example.com:443/x/" }],
    ["the address of the same service", { baseUrl: eu, formerBaseUrls: `["${us}"]` }],
    ["the key", { apiKey: "another-key" }],
    ["the base URL to one that is not known yet", { baseUrl: unknownMarkers.string }],
    ["the base URL to an invalid one", { baseUrl: "eu.example.com" }],
    ["the base URL to none", { baseUrl: undefined }],
  ])("replaces no provider for which the program changes %s", (_case, changes) => {
    expect(compare("eu", account, { ...account, ...changes })).toEqual(noReplacement);
  });

  it.each([
    { setting: "key", name: "default", olds: account, environment: keyOfEnvironment },
    { setting: "key", name: "eu", olds: { baseUrl: us }, environment: keyOfEnvironment },
    { setting: "base URL", name: "default", olds: account, environment: baseUrlOfEnvironment },
    { setting: "base URL", name: "eu", olds: { apiKey }, environment: baseUrlOfEnvironment },
  ])(
    "does not replace the provider $name whose old $setting came from the environment",
    ({ name, olds, environment }) => {
      expect(compare(name, olds, { ...olds, ...moved }, environment)).toEqual(noReplacement);
    },
  );
});
