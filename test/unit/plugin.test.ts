import { status } from "@grpc/grpc-js";
import {
  CheckRequest,
  ConfigureRequest,
  DiffRequest,
  DiffResponse,
  PropertyDiff,
} from "@pulumi/pulumi/proto/provider_pb.js";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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
import {
  apiKey,
  secretEnvelope,
  someArgs,
  someState,
  unknownMarkers,
} from "../helpers/builders.js";

type Properties = Record<string, unknown>;

const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = DiffResponse.DiffChanges;

afterEach(() => void vi.unstubAllEnvs());

describe("The response to a comparison", () => {
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const url = "https://b.example";
  const tableId = "t";

  interface Compared {
    readonly property: string;
    /** The arguments of the last update. */
    readonly oldInputs?: Properties;
    /** What the state holds. Default: the arguments of the last update. */
    readonly olds?: Properties;
    readonly news?: Properties;
  }
  function responseTo({ property, oldInputs = {}, olds = oldInputs, news = {} }: Compared) {
    const differences = [{ property, label: property }];
    const [inputs, state, args] = [someArgs(oldInputs), someState(olds), someArgs(news)];
    return diffResponse(differences, inputs, state, args).toObject();
  }

  it("says explicitly that nothing changes", () => {
    const response = diffResponse([], someArgs(), someState(), someArgs()).toObject();

    expect(response).toMatchObject({ changes: DIFF_NONE, hasdetaileddiff: true, replacesList: [] });
  });

  const drifted = { olds: { tableId: "other" }, news: { tableId } };
  const removed = { oldInputs: { tableId }, news: { tableId: null } };
  it.each<Compared & { change: string; kind: PropertyDiff.Kind }>([
    { change: "another url", property: "url", kind: UPDATE_REPLACE, news: { url } },
    { change: "a new table", property: "tableId", kind: ADD_REPLACE, news: { tableId } },
    { change: "a table that drifted", property: "tableId", kind: ADD_REPLACE, ...drifted },
    { change: "no table", property: "tableId", kind: DELETE_REPLACE, oldInputs: { tableId } },
    { change: "null as table", property: "tableId", kind: DELETE_REPLACE, ...removed },
  ])("shows $change in the program as a difference of inputs", ({ kind, ...compared }) => {
    expect(responseTo(compared)).toMatchObject({
      changes: DIFF_SOME,
      replacesList: [compared.property],
      diffsList: [compared.property],
      detaileddiffMap: [[compared.property, { kind, inputdiff: true }]],
    });
  });

  const same = { oldInputs: { tableId }, news: { tableId } };
  it.each<Compared & { change: string; kind: PropertyDiff.Kind }>([
    { change: "another url", property: "url", kind: UPDATE_REPLACE, olds: { url } },
    { change: "a table", property: "tableId", kind: DELETE_REPLACE, olds: { tableId } },
    { change: "no table", property: "tableId", kind: ADD_REPLACE, ...same, olds: {} },
  ])("shows $change at the service as a difference of outputs", ({ kind, ...compared }) => {
    const detaileddiffMap = [[compared.property, { kind, inputdiff: false }]];

    expect(responseTo(compared)).toMatchObject({ detaileddiffMap });
  });

  it.each(["baseUrl", "secret"])("has no detail of %s, which is no argument", (property) => {
    expect(responseTo({ property })).toMatchObject({
      replacesList: [property],
      detaileddiffMap: [],
    });
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

  it("is suggested with the number that was given alone, as by the dynamic provider", () => {
    expect(() => parsePulumiId("17", "Import")).toThrow(/base_abc123\/17\..*move-state/);
    expect(() => parsePulumiId("17/", "Import")).toThrow(/^(?!.*move-state)/);
  });
});

describe("The settings of a provider of the plugin", () => {
  const sourceOf = (name: string, args: Properties = {}) =>
    configSourceOf(new ConfigureRequest().setName(name).setArgs(structOf(args)));

  it.each([
    ["", false],
    ["default", false],
    ["default_1_2_3_alpha", false],
    ["default_https_/example.com", false],
    ["eu", true],
    ["default-eu", true],
    ["default_eu", true],
  ])("of the name %j are those of an explicit provider: %s", (name, isExplicit) => {
    expect(sourceOf(name).isExplicit()).toBe(isExplicit);
  });

  it("are texts without an envelope", () => {
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
  /** Checks a provider. Returns the names at the start of its failures and warnings. */
  async function check(name: string, news: Properties, olds: Properties = {}) {
    const warnings: string[] = [];
    const write = (_urn: string, line: string) => void warnings.push(line);
    const log = { write, flush: async () => {} } as unknown as EngineLog;
    const request = new CheckRequest().setName(name).setOlds(structOf(olds));
    const response = await checkConfig(request.setNews(structOf(news)), log);
    const failures = response.getFailuresList().map((failure) => failure.getReason());
    const namesIn = (lines: readonly string[]) => lines.map((line) => line.split(": ")[0]);
    const inputs = propertiesOf(response.getInputs());
    return { inputs, warnings, failures: namesIn(failures) };
  }
  const known = { baseUrl: "https://a.example", apiKey, version };
  const unknown = { baseUrl: unknownMarkers.string, apiKey: unknownMarkers.string };

  it.each([
    ["known arguments", known],
    ["unknown arguments", unknown],
    ["arguments that Pulumi adds", { ...known, pluginDownloadURL: "x" }],
  ])("accepts %s of an explicit provider", async (_case, args) => {
    expect(await check("eu", args)).toMatchObject({ failures: [], warnings: [] });
  });

  it("refuses invalid, missing and unknown arguments of an explicit provider", async () => {
    const { failures } = await check("eu", { apiKey: "a b", timeout: "1" });

    expect(failures).toEqual(["timeout", "dbwebhooks:baseUrl", "dbwebhooks:apiKey"]);
  });

  it("warns of unknown settings of the default provider, and leaves the rest to its webhooks", async () => {
    const { failures, warnings } = await check("default_0_1_0", { timeout: "1" });

    expect(failures).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("dbwebhooks:timeout")]);
  });

  it("refuses a program that asks for another version of the plugin", async () => {
    const { failures } = await check("default", { version: "0.0.1-other" });

    expect(failures).toEqual([expect.stringContaining("0.0.1-other")]);
  });

  it.each(["default_0_1_0", "eu"])("of %s warns of unknown variables", async (name) => {
    vi.stubEnv("DBWEBHOOKS_LISTINGS", "value-token");
    for (const variable of [importSecretVariable, serveApiKeysVariable, "DBWEBHOOKS_PULUMI_CLI"]) {
      vi.stubEnv(variable, "value");
    }

    const { warnings } = await check(name, known);

    expect(warnings).toEqual([expect.stringContaining("DBWEBHOOKS_LISTINGS")]);
    expect(warnings.join()).not.toContain("value-token");
  });

  it.each<[Properties, Properties]>([
    [known, { ...known, apiKey: { ...secretEnvelope, value: apiKey } }],
    [unknown, unknown],
    [{}, {}],
  ])("returns of %j a key wrapped when it is known", async (args, inputs) => {
    expect((await check("default", args)).inputs).toEqual(inputs);
  });

  describe("with the key of the environment", () => {
    const olds = { baseUrl: "https://old.example" };
    const news = { baseUrl: "https://a.example" };

    beforeEach(() => {
      vi.stubEnv("DBWEBHOOKS_API_KEY", apiKey);
      vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://environment.example");
    });

    it("refuses another base URL of an explicit provider", async () => {
      expect((await check("eu", news, olds)).failures).toEqual(["baseUrl"]);
    });

    it.each([
      ["another base URL of the default provider", "default", olds],
      ["the same base URL", "eu", news],
      ["a new provider", "eu", {}],
    ])("accepts %s", async (_case, name, old) => {
      expect((await check(name, news, old)).failures).toEqual([]);
    });
  });
});

describe("The comparison of two providers of the plugin", () => {
  const us = "https://us.example.com/x";
  const eu = "https://eu.example.com";
  const account = { baseUrl: us, apiKey, version };
  const moved = { ...account, baseUrl: eu };
  const keyOfEnvironment = { DBWEBHOOKS_API_KEY: "key-of-the-environment" };
  const baseUrlOfEnvironment = { DBWEBHOOKS_BASE_URL: "https://environment.example.com" };

  function compare(name: string, old: Properties, next: Properties, environment = {}) {
    for (const [variable, value] of Object.entries<string>(environment)) {
      vi.stubEnv(variable, value);
    }
    const request = new DiffRequest().setName(name).setOldInputs(structOf(old));
    const { response, replacedWarning: warning } = diffConfig(request.setNews(structOf(next)));
    const isWarned = warning !== undefined;
    return { changes: response.getChanges(), replaces: response.getReplacesList(), isWarned };
  }
  const replaced = { changes: DIFF_SOME, replaces: ["baseUrl"], isWarned: true };
  const leftToPulumi = { changes: DIFF_UNKNOWN, replaces: [], isWarned: false };

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
  ])("leaves it to Pulumi when the program changes %s", (_case, changes) => {
    expect(compare("eu", account, { ...account, ...changes })).toEqual(leftToPulumi);
  });

  it.each<[string, string, Properties, Record<string, string>]>([
    ["key", "default", account, keyOfEnvironment],
    ["key", "eu", { baseUrl: us }, keyOfEnvironment],
    ["base URL", "default", account, baseUrlOfEnvironment],
    ["base URL", "eu", { apiKey }, baseUrlOfEnvironment],
  ])(
    "leaves it to the webhooks when the old %s of %s came from the environment",
    (_what, name, old, environment) => {
      expect(compare(name, old, { ...old, ...moved }, environment)).toEqual(leftToPulumi);
    },
  );
});
