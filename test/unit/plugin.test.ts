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
import { importSecretVariable, serveApiKeysVariable } from "../../src/common/setting-names.js";
import { version } from "../../src/common/version.js";
import { compareWebhook } from "../../src/provider/diff.js";
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

afterEach(() => void vi.unstubAllEnvs());

describe("The response to a comparison", () => {
  interface Compared {
    /** What the program declares. */
    readonly program: Properties;
    /** What the program declared in the last update. */
    readonly lastProgram?: Properties;
    /** What the state holds; the last program if absent. */
    readonly state?: Properties;
  }

  function responseTo({ program, lastProgram = {}, state = lastProgram }: Compared) {
    const oldInputs = someArgs(lastProgram);
    const olds = someState(state);
    const news = someArgs(program);
    const settings = someSettings();
    const comparison = { id: "17", state: olds, news, settings, ignored: [], urn: undefined };
    return diffResponse(compareWebhook(comparison), oldInputs, olds, news).toObject();
  }

  it("says explicitly that nothing changes, also for arguments that the service does not know", () => {
    const response = responseTo({ program: { allowInsecureUrl: true, adopt: { id: 17 } } });

    expect(response).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_NONE,
      hasdetaileddiff: true,
      replacesList: [],
      diffsList: [],
      detaileddiffMap: [],
    });
  });

  const url = "https://b.example";
  const withTable = { tableId: "t" };
  it.each<[string, string, number, Compared]>([
    ["another url", "url", UPDATE_REPLACE, { program: { url } }],
    ["an unknown url", "url", UPDATE_REPLACE, { program: { url: unknownMarkers.string } }],
    ["other events", "events", UPDATE_REPLACE, { program: { events: ["table.created"] } }],
    ["a table that is added", "tableId", ADD_REPLACE, { program: withTable }],
    ["no table any more", "tableId", DELETE_REPLACE, { program: {}, lastProgram: withTable }],
    [
      "null as table",
      "tableId",
      DELETE_REPLACE,
      { program: { tableId: null }, lastProgram: withTable },
    ],
  ])(
    "shows %s in the program as a difference of %s in the inputs",
    (_case, name, kind, compared) => {
      expect(responseTo(compared)).toMatchObject({
        changes: DiffResponse.DiffChanges.DIFF_SOME,
        replacesList: [name],
        diffsList: [name],
        detaileddiffMap: [[name, { kind, inputdiff: true }]],
      });
    },
  );

  const declared = (args: Properties) => ({ program: args, lastProgram: args });
  it.each<[string, string, number, Compared]>([
    ["another url", "url", UPDATE_REPLACE, { ...declared({}), state: { url } }],
    ["other events", "events", UPDATE_REPLACE, { ...declared({}), state: { events: ["a"] } }],
    ["a table", "tableId", DELETE_REPLACE, { ...declared({}), state: withTable }],
    ["no table", "tableId", ADD_REPLACE, { ...declared(withTable), state: { tableId: undefined } }],
  ])("shows %s as drift by a difference of %s in the outputs", (_case, name, kind, compared) => {
    expect(responseTo(compared)).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_SOME,
      replacesList: [name],
      diffsList: [name],
      detaileddiffMap: [[name, { kind, inputdiff: false }]],
    });
  });

  it.each<[string, string, Properties]>([
    ["another base URL", "baseUrl", { baseUrl: "https://old.example.com" }],
    ["no secret", "secret", { secret: undefined }],
  ])("shows %s in the state without a detail, because %s is no argument", (_case, name, state) => {
    expect(responseTo({ program: {}, state })).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_SOME,
      replacesList: [name],
      diffsList: [name],
      detaileddiffMap: [],
    });
  });
});

describe("An unexpected error", () => {
  it("reaches Pulumi without its message, which can contain a secret", () => {
    const { code, details } = grpcErrorOf(new Error(`cannot read ${apiKey}`));

    expect(code).toBe(status.UNKNOWN);
    expect(details).toContain("a fault of pulumi-resource-dbwebhooks");
    expect(details).not.toContain(apiKey);
  });
});

describe("The Pulumi id of a webhook", () => {
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

describe("A provider of the plugin", () => {
  const sourceOf = (name: string, args: Properties) =>
    configSourceOf(new ConfigureRequest().setName(name).setArgs(structOf(args)));

  it.each(["", "default", "default_0_1_0", "default_1_2_3_alpha", "default_https_/example.com"])(
    "with the name %j is the default one",
    (name) => {
      expect(sourceOf(name, {}).isExplicit()).toBe(false);
    },
  );

  it.each(["eu", "default-eu", "default_eu"])("with the name %j is explicit", (name) => {
    expect(sourceOf(name, {}).isExplicit()).toBe(true);
  });

  it("has its settings as text, and unwrapped secrets", () => {
    const args = { apiKey: secretEnvelope, timeoutSeconds: 2.5, listing: false, baseUrl: null };
    const { get } = sourceOf("eu", args);

    expect(get("apiKey")).toBe(secretEnvelope.value);
    expect(get("timeoutSeconds")).toBe("2.5");
    expect(get("listing")).toBe("false");
    expect(get("baseUrl")).toBeUndefined();
    expect(get("retrySeconds")).toBeUndefined();
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
  it.each<[string, string, Properties, string[]]>([
    ["accepts an explicit provider with valid arguments", "eu", known, []],
    ["accepts an explicit provider with unknown arguments", "eu", unknown, []],
    ["refuses an unknown argument", "eu", { ...known, ...misspelt }, ["timeout"]],
    [
      "refuses an explicit provider without a base URL and with a wrong key",
      "eu",
      { apiKey: "a b" },
      ["dbwebhooks:baseUrl", "dbwebhooks:apiKey"],
    ],
    [
      "warns about an unknown setting of the stack",
      "default",
      misspelt,
      ["warning Stack configuration dbwebhooks:timeout"],
    ],
    ["accepts the default provider without settings", "default_0_1_0", {}, []],
  ])("has a check that %s", async (_fact, name, args, subjects) => {
    expect((await checked(name, args)).subjects).toEqual(subjects);
  });

  it("causes a warning about unknown variables, without their values", async () => {
    vi.stubEnv("DBWEBHOOKS_LISTINGS", "value-token");
    for (const known of [importSecretVariable, serveApiKeysVariable, "DBWEBHOOKS_PULUMI_CLI"]) {
      vi.stubEnv(known, "value");
    }
    const check = async (name: string) => {
      const { lines, log } = someLog();
      await checkProvider(new CheckRequest().setName(name).setNews(structOf(known)), log);
      return lines;
    };

    for (const name of ["default_0_1_0", "eu"]) {
      expect(await check(name)).toEqual([
        expect.stringMatching(/^warning .*\bDBWEBHOOKS_LISTINGS: .*\bDBWEBHOOKS_LISTING\?$/),
      ]);
    }
  });

  it("is refused another base URL if it is explicit and its key comes from the environment", async () => {
    vi.stubEnv("DBWEBHOOKS_API_KEY", apiKey);
    const { log } = someLog();
    vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://environment.example");
    const olds = { baseUrl: "https://a.example" };
    const failuresOf = async (name: string, next: string, old: Properties = olds) => {
      const request = new CheckRequest().setName(name).setOlds(structOf(old));
      request.setNews(structOf({ baseUrl: next }));
      return (await checkProvider(request, log)).getFailuresList().map((one) => one.getReason());
    };

    expect(await failuresOf("eu", "https://b.example")).toEqual([
      expect.stringMatching(/https:\/\/a\.example.*https:\/\/b\.example.*DBWEBHOOKS_API_KEY/),
    ]);
    expect(await failuresOf("eu", "https://a.example")).toEqual([]);
    expect(await failuresOf("default", "https://b.example")).toEqual([]);
    expect(await failuresOf("eu", "https://b.example", {})).toEqual([]);
  });

  it.each<[Properties, Properties]>([
    [known, { ...known, apiKey: { ...secretEnvelope, value: apiKey } }],
    [unknown, unknown],
    [{}, {}],
  ])("has its key wrapped when the key is known: %j", async (args, inputs) => {
    expect((await checked("default", args)).inputs).toEqual(inputs);
  });
});

describe("A changed configuration of a provider", () => {
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

  describe("with another base URL", () => {
    const moved = { ...account, baseUrl: eu };
    const { apiKey: _, ...accountWithoutKey } = account;

    it("is left to the rules if the old provider would use the environment's key", () => {
      vi.stubEnv("DBWEBHOOKS_API_KEY", "key-of-the-environment");

      expect(compared("default", account, moved)).toEqual(left);
      expect(compared("eu", accountWithoutKey, moved)).toEqual(left);
    });

    it("replaces an explicit provider with a key of its own, whatever the environment holds", () => {
      vi.stubEnv("DBWEBHOOKS_API_KEY", "key-of-the-environment");

      expect(compared("eu", account, moved)).toEqual(replaced);
    });

    it("is left to the rules if the old provider would use the environment's base URL", () => {
      vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://environment.example.com");

      expect(compared("default", account, moved)).toEqual(left);
      expect(compared("eu", { apiKey }, moved)).toEqual(left);
    });
  });
});
