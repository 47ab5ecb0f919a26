import { status } from "@grpc/grpc-js";
import {
  CheckRequest,
  ConfigureRequest,
  DiffRequest,
  DiffResponse,
  PropertyDiff,
} from "@pulumi/pulumi/proto/provider_pb.js";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  checkProvider,
  compareProviders,
  configSourceOf,
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
import { apiKeysVariable } from "../../src/cli/options.js";
import { version } from "../../src/common/version.js";
import { compareWebhook } from "../../src/provider/diff.js";
import { importSecretVariable } from "../../src/provider/import.js";
import {
  apiKey,
  secretEnvelope,
  someArgs,
  someSettings,
  someState,
  unknownMarkers,
} from "../helpers/builders.js";

type Properties = Record<string, unknown>;

const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;

const two = { events: ["a", "b"] };
const table = { tableId: "t" };

afterEach(() => void vi.unstubAllEnvs());

describe("the response to a comparison", () => {
  /** The response when the program, the last program and the state are these. */
  const responseTo = (
    news: Properties,
    oldInputs: Properties = {},
    olds: Properties = oldInputs,
  ) => {
    const args = [someArgs(oldInputs), someState(olds), someArgs(news)] as const;
    const differences = compareWebhook({
      ...{ id: "17", state: args[1], news: args[2], settings: someSettings() },
      ...{ ignored: [], urn: undefined },
    });
    return diffResponse(differences, ...args).toObject();
  };

  it("says explicitly that nothing changes, also for arguments that the service does not know", () => {
    expect(responseTo({ allowInsecureUrl: true, adopt: { id: 17 } })).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_NONE,
      hasdetaileddiff: true,
      replacesList: [],
      diffsList: [],
      detaileddiffMap: [],
    });
  });

  // A change of the program is a difference of arguments; drift is a difference of outputs.
  it.each<[string, string, number | undefined, boolean, ...Parameters<typeof responseTo>]>([
    ["a url", "url", UPDATE_REPLACE, true, { url: "https://b.example" }],
    ["events", "events", UPDATE_REPLACE, true, { events: ["table.created"] }],
    ["a table that is added", "tableId", ADD_REPLACE, true, { tableId: "t" }],
    ["a table that is removed", "tableId", DELETE_REPLACE, true, {}, { tableId: "t" }],
    ["a table that is null", "tableId", DELETE_REPLACE, true, { tableId: null }, { tableId: "t" }],
    ["an unknown url", "url", UPDATE_REPLACE, true, { url: unknownMarkers.string }],
    ["drift of a url", "url", UPDATE_REPLACE, false, {}, {}, { url: "https://b.example" }],
    ["drift of events", "events", UPDATE_REPLACE, false, two, two, { events: ["a"] }],
    ["a table as drift", "tableId", DELETE_REPLACE, false, {}, {}, { tableId: "t" }],
    ["no table as drift", "tableId", ADD_REPLACE, false, table, table, { tableId: undefined }],
    // These two are no arguments, so they have no detail.
    [
      "another base URL",
      "baseUrl",
      undefined,
      false,
      {},
      {},
      { baseUrl: "https://old.example.com" },
    ],
    ["no secret", "secret", undefined, false, {}, {}, { secret: undefined }],
  ])("shows %s", (_, name, kind, inputdiff, ...compared) => {
    expect(responseTo(...compared)).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_SOME,
      replacesList: [name],
      diffsList: [name],
      detaileddiffMap: kind === undefined ? [] : [[name, { kind, inputdiff }]],
    });
  });
});

describe("an unexpected error", () => {
  it("reaches Pulumi without its message, which can contain a secret", () => {
    const { code, details } = grpcErrorOf(new Error(`cannot read ${apiKey}`));

    expect(code).toBe(status.UNKNOWN);
    expect(details).toContain("a fault of pulumi-resource-dbwebhooks");
    expect(details).not.toContain(apiKey);
  });
});

describe("the Pulumi id of a webhook", () => {
  it("holds the database and the number, whatever the name of the database", () => {
    const databaseId = fc.string({ minLength: 1 }).filter((text) => text !== "." && text !== "..");

    fc.assert(
      fc.property(databaseId, fc.nat(), (database, number) => {
        expect(parsePulumiId(pulumiIdOf(database, String(number)), "Read")).toEqual({
          databaseId: database,
          webhookId: String(number),
        });
      }),
    );
  });

  it.each("42 /42 ../42 ./42 base/ base/a base/042 base/42/".split(" "))("is not %s", (id) => {
    expect(() => parsePulumiId(id, "Read")).toThrow(RequestError);
  });
});

/** A log that keeps its lines. */
function someLog() {
  const lines: string[] = [];
  const write = (_urn: string, line: string, severity: string) =>
    void lines.push(`${severity} ${line}`);
  return { lines, log: { write, flush: async () => {} } as unknown as EngineLog };
}

describe("a provider of the plugin", () => {
  const sourceOf = (name: string, args: Properties) =>
    configSourceOf(new ConfigureRequest().setName(name).setArgs(structOf(args)));

  it.each([
    [false, ["", "default", "default_0_1_0", "default_1_2_3_alpha", "default_https_/example.com"]],
    [true, ["eu", "default-eu", "default_eu"]],
  ])("is explicit (%s) according to its name", (isExplicit, names) => {
    for (const name of names) {
      expect(sourceOf(name, {}).isExplicit(), name).toBe(isExplicit);
    }
  });

  it("has its settings as text, and unwrapped secrets", () => {
    const args = { apiKey: secretEnvelope, timeoutSeconds: 2.5, listing: false, baseUrl: null };
    const { get } = sourceOf("eu", args);

    expect(get("apiKey")).toBe(secretEnvelope.value);
    expect([get("timeoutSeconds"), get("listing")]).toEqual(["2.5", "false"]);
    expect([get("baseUrl"), get("retrySeconds")]).toEqual([undefined, undefined]);
  });

  /** The inputs that a check returns, and the subjects of its failures and lines. */
  async function checked(name: string, args: Properties) {
    const { lines, log } = someLog();
    const request = new CheckRequest().setName(name).setNews(structOf(args));
    const response = await checkProvider(request, log);
    const reasons = response.getFailuresList().map((failure) => failure.getReason());
    const subjects = [...reasons, ...lines].map((text) => text.split(": ")[0]);
    return { subjects, inputs: propertiesOf(response.getInputs()) };
  }

  const known = { baseUrl: "https://a.example", apiKey, version };
  const unknown = { baseUrl: unknownMarkers.string, apiKey: unknownMarkers.string };
  const misspelt = { timeout: "1", pluginDownloadURL: "x" };
  it.each<[string, Properties, string[]]>([
    ["eu", known, []],
    ["eu", unknown, []],
    ["eu", { ...known, ...misspelt }, ["timeout"]],
    ["eu", { apiKey: "a b" }, ["dbwebhooks:baseUrl", "dbwebhooks:apiKey"]],
    ["default", misspelt, ["warning Stack configuration dbwebhooks:timeout"]],
    ["default_0_1_0", {}, []],
  ])(
    "with the name %s and the arguments %j is checked before any resource uses it",
    async (name, args, subjects) => {
      expect((await checked(name, args)).subjects).toEqual(subjects);
    },
  );

  it("causes a warning about unknown variables, without their values, if it is the default one", async () => {
    vi.stubEnv("DBWEBHOOKS_LISTINGS", "value-token");
    for (const known of [importSecretVariable, apiKeysVariable, "DBWEBHOOKS_PULUMI_CLI"]) {
      vi.stubEnv(known, "value");
    }
    const check = async (name: string) => {
      const { lines, log } = someLog();
      await checkProvider(new CheckRequest().setName(name).setNews(structOf(known)), log);
      return lines;
    };

    expect(await check("default_0_1_0")).toEqual([
      expect.stringMatching(/^warning .*\bDBWEBHOOKS_LISTINGS: .*\bDBWEBHOOKS_LISTING\?$/),
    ]);
    expect(await check("eu")).toEqual([]);
  });

  it.each<[Properties, Properties]>([
    [known, { ...known, apiKey: { ...secretEnvelope, value: apiKey } }],
    [unknown, unknown],
    [{}, {}],
  ])("has its key encrypted as soon as it is known: %j", async (args, inputs) => {
    expect((await checked("default", args)).inputs).toEqual(inputs);
  });
});

describe("another configuration of a provider", () => {
  const [us, eu] = ["https://us.example.com/x", "https://eu.example.com"];
  const account = { baseUrl: us, apiKey, version };
  const { DIFF_SOME, DIFF_UNKNOWN } = DiffResponse.DiffChanges;

  function compared(name: string, old: Properties, next: Properties) {
    const request = new DiffRequest().setName(name).setOldInputs(structOf(old));
    const { response, warning } = compareProviders(request.setNews(structOf(next)));
    return {
      changes: response.getChanges(),
      replaces: response.getReplacesList(),
      isWarned: warning !== undefined,
    };
  }
  const replaced = { changes: DIFF_SOME, replaces: ["baseUrl"], isWarned: true };
  const left = { changes: DIFF_UNKNOWN, replaces: [], isWarned: false };

  it.each(["default", "default_0_1_0", "eu"])(
    "replaces the provider %s for another base URL, and warns",
    (name) => {
      const wrapped = { ...account, apiKey: { ...secretEnvelope, value: apiKey } };
      const moved = { ...account, baseUrl: eu, apiKey: "another-key" };

      expect(compared(name, wrapped, moved)).toEqual(replaced);
    },
  );

  it.each<[string, Properties]>([
    ["nothing", {}],
    ["another spelling of the base URL", { baseUrl: "HTTPS://US.example.com:443/x/" }],
    ["a new address of the same service", { baseUrl: eu, formerBaseUrls: `["${us}"]` }],
    ["the key and a limit", { apiKey: "another-key", timeoutSeconds: "5" }],
    ["a base URL that is not known yet", { baseUrl: unknownMarkers.string }],
    ["a base URL that is invalid", { baseUrl: "eu.example.com" }],
    ["a base URL that is removed", { baseUrl: undefined }],
  ])("is left to Pulumi if it changes %s", (_, changes) => {
    const next = { ...account, ...changes };

    expect(compared("eu", account, next)).toEqual(left);
    expect(compared("default", account, next)).toEqual(left);
  });

  it("is left to the rules if the old provider would use the key or address of the environment", () => {
    const moved = { ...account, baseUrl: eu };
    const { apiKey: _, ...keyless } = account;
    vi.stubEnv("DBWEBHOOKS_API_KEY", "key-of-the-environment");

    // An explicit provider uses the environment only for what its arguments omit.
    expect(compared("default", account, moved)).toEqual(left);
    expect(compared("eu", keyless, moved)).toEqual(left);
    expect(compared("eu", account, moved)).toEqual(replaced);

    vi.unstubAllEnvs();
    vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://environment.example.com");
    expect(compared("default", account, moved)).toEqual(left);
    expect(compared("eu", { apiKey }, moved)).toEqual(left);
  });
});
