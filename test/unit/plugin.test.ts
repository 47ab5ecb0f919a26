import { status } from "@grpc/grpc-js";
import {
  CheckRequest,
  ConfigureRequest,
  DiffResponse,
  PropertyDiff,
} from "@pulumi/pulumi/proto/provider_pb.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProvider, configSourceOf } from "../../src/adapters/plugin/configuration.js";
import { diffResponse } from "../../src/adapters/plugin/diff-response.js";
import type { EngineLog } from "../../src/adapters/plugin/engine-log.js";
import { partsOfPulumiId, pulumiIdOf } from "../../src/adapters/plugin/pulumi-id.js";
import { serviceErrorOf } from "../../src/adapters/plugin/service-error.js";
import { propertiesOf, structOf } from "../../src/adapters/plugin/structs.js";
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

const two = { events: ["a", "b"] };
const table = { tableId: "t" };

describe("the answer to a comparison", () => {
  /** What Pulumi is told when the program, the last program and the state are these. */
  const answer = (news: Properties, oldInputs: Properties = {}, olds: Properties = oldInputs) => {
    const args = [someArgs(oldInputs), someState(olds), someArgs(news)] as const;
    const differences = compareWebhook({
      ...{ id: "17", state: args[1], news: args[2], settings: someSettings() },
      ...{ ignored: [], urn: undefined },
    });
    return diffResponse(differences, ...args).toObject();
  };

  it("is none, explicitly, also for arguments that the service does not know", () => {
    expect(answer({ allowInsecureUrl: true, adopt: { id: 17 } })).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_NONE,
      hasdetaileddiff: true,
      replacesList: [],
      diffsList: [],
      detaileddiffMap: [],
    });
  });

  // Of the program, a change is one of arguments; drift is one of outputs.
  it.each<[string, string, number | undefined, boolean, ...Parameters<typeof answer>]>([
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
    // No argument, and not removed.
    ["no place", "baseUrl", undefined, false, {}, {}, { baseUrl: "https://old.example.com" }],
    ["no secret", "secret", undefined, false, {}, {}, { secret: undefined }],
  ])("shows %s", (_, name, kind, inputdiff, ...compared) => {
    expect(answer(...compared)).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_SOME,
      replacesList: [name],
      diffsList: [name],
      detaileddiffMap: kind === undefined ? [] : [[name, { kind, inputdiff }]],
    });
  });
});

describe("what Pulumi gets of an error", () => {
  it("is nothing of an error that may hold a secret", () => {
    const { code, details } = serviceErrorOf(new Error(`cannot read ${apiKey}`));

    expect(code).toBe(status.UNKNOWN);
    expect(details).toContain("a fault of pulumi-resource-dbwebhooks");
    expect(details).not.toContain(apiKey);
  });
});

describe("the Pulumi id of a webhook", () => {
  it("has the database and the number, whatever the database is called", () => {
    const databaseId = fc.string({ minLength: 1 }).filter((text) => text !== "." && text !== "..");

    fc.assert(
      fc.property(databaseId, fc.nat(), (database, number) => {
        expect(partsOfPulumiId(pulumiIdOf(database, String(number)))).toEqual({
          databaseId: database,
          webhookId: String(number),
        });
      }),
    );
  });

  it.each("42 /42 ../42 ./42 base/ base/a base/042 base/42/".split(" "))("is not %s", (id) => {
    expect(partsOfPulumiId(id)).toBeUndefined();
  });
});

describe("a provider of the plugin", () => {
  const sourceOf = (name: string, args: Properties) =>
    configSourceOf(new ConfigureRequest().setName(name).setArgs(structOf(args)));

  it.each([
    [false, ["", "default", "default_0_1_0", "default_1_2_3_alpha", "default_https_/example.com"]],
    [true, ["eu", "default-eu", "default_eu"]],
  ])("is explicit, %s, by its name", (isExplicit, names) => {
    for (const name of names) {
      expect(sourceOf(name, {}).isExplicit(), name).toBe(isExplicit);
    }
  });

  it("has settings as text, without the marks of secrets", () => {
    const args = { apiKey: secretEnvelope, timeoutSeconds: 2.5, listing: false, baseUrl: null };
    const { get } = sourceOf("eu", args);

    expect(get("apiKey")).toBe(secretEnvelope.value);
    expect([get("timeoutSeconds"), get("listing")]).toEqual(["2.5", "false"]);
    expect([get("baseUrl"), get("retrySeconds")]).toEqual([undefined, undefined]);
  });

  /** What a check of these arguments returns, and what its failures and lines are about. */
  async function checked(name: string, args: Properties) {
    const lines: string[] = [];
    const write = (_urn: string, line: string, severity: string) =>
      void lines.push(`${severity} ${line}`);
    const log = { write, flush: async () => {} } as unknown as EngineLog;
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
  ])("called %s with %j is checked before anything uses it", async (name, args, subjects) => {
    expect((await checked(name, args)).subjects).toEqual(subjects);
  });

  it.each<[Properties, Properties]>([
    [known, { ...known, apiKey: { ...secretEnvelope, value: apiKey } }],
    [unknown, unknown],
    [{}, {}],
  ])("has its key encrypted as soon as it is known: %j", async (args, inputs) => {
    expect((await checked("default", args)).inputs).toEqual(inputs);
  });
});
