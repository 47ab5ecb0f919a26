import { status } from "@grpc/grpc-js";
import {
  CheckRequest,
  ConfigureRequest,
  DiffResponse,
  ErrorResourceInitFailed,
  PropertyDiff,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { version } from "../../src/common/version.js";
import { compareWebhook } from "../../src/core/diff.js";
import { PartialCreationError, WebhookError } from "../../src/core/errors.js";
import { checkProvider, configSourceOf } from "../../src/plugin/configuration.js";
import { diffResponse } from "../../src/plugin/diff-response.js";
import type { EngineLog } from "../../src/plugin/engine-log.js";
import { partsOfPulumiId, pulumiIdOf } from "../../src/plugin/pulumi-id.js";
import { RequestError, serviceErrorOf } from "../../src/plugin/service-error.js";
import { propertiesOf, structOf } from "../../src/plugin/structs.js";
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

describe("the answer to a comparison", () => {
  /** What Pulumi is told when the program, the last program and the state are these. */
  const answer = (news: Properties, oldInputs: Properties = {}, olds: Properties = oldInputs) => {
    const args = [someArgs(oldInputs), someState(olds), someArgs(news)] as const;
    const differences = compareWebhook("17", args[1], args[2], someSettings());
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

  it.each<[string, string, number, Properties, Properties?]>([
    ["a url", "url", UPDATE_REPLACE, { url: "https://b.example" }],
    ["events", "events", UPDATE_REPLACE, { events: ["table.created"] }],
    ["a table that is added", "tableId", ADD_REPLACE, { tableId: "t" }],
    ["a table that is removed", "tableId", DELETE_REPLACE, {}, { tableId: "t" }],
    ["a table that is null", "tableId", DELETE_REPLACE, { tableId: null }, { tableId: "t" }],
    ["a url that is not known yet", "url", UPDATE_REPLACE, { url: unknownMarkers.string }],
  ])("shows a change of the program as one of arguments: %s", (_, name, kind, news, oldInputs) => {
    expect(answer(news, oldInputs)).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_SOME,
      replacesList: [name],
      diffsList: [name],
      detaileddiffMap: [[name, { kind, inputdiff: true }]],
    });
  });

  it.each<[string, string, number, Properties, Properties]>([
    ["a url", "url", UPDATE_REPLACE, {}, { url: "https://b.example" }],
    ["events", "events", UPDATE_REPLACE, { events: ["a", "b"] }, { events: ["a"] }],
    ["a table that was added", "tableId", DELETE_REPLACE, {}, { tableId: "t" }],
    ["a table that was removed", "tableId", ADD_REPLACE, { tableId: "t" }, { tableId: undefined }],
  ])("shows drift as a change of outputs: %s", (_, name, kind, inputs, olds) => {
    expect(answer(inputs, inputs, olds)).toMatchObject({
      replacesList: [name],
      detaileddiffMap: [[name, { kind, inputdiff: false }]],
    });
  });

  it.each([
    ["baseUrl", { baseUrl: "https://old.example.com" }],
    ["secret", { secret: undefined }],
  ])("shows no property where %s replaces, which is no argument and not removed", (name, olds) => {
    expect(answer({}, {}, olds)).toMatchObject({
      changes: DiffResponse.DiffChanges.DIFF_SOME,
      replacesList: [name],
      detaileddiffMap: [],
    });
  });
});

describe("what Pulumi gets of an error", () => {
  it("is its message, and the code that says what is wrong with a request", () => {
    const refused = new WebhookError("kept", "It stays.");

    expect(serviceErrorOf(refused)).toEqual({ code: status.UNKNOWN, details: "It stays. [kept]" });
    expect(serviceErrorOf(new RequestError("No.", status.INVALID_ARGUMENT))).toEqual({
      code: status.INVALID_ARGUMENT,
      details: "No. [invalid]",
    });
  });

  it("is nothing of an error that may hold a secret", () => {
    const { code, details } = serviceErrorOf(new Error(`cannot read ${apiKey}`));

    expect(code).toBe(status.UNKNOWN);
    expect(details).not.toContain(apiKey);
  });

  it("has Pulumi store a partial creation with its reasons", () => {
    const error = new PartialCreationError("base/17", { url: "a", tableId: undefined }, "No.");

    const { code, details, metadata } = serviceErrorOf(error);

    const [packed] = metadata?.get("grpc-status-details-bin") ?? [];
    const [any] = Status.deserializeBinary(packed as Buffer).getDetailsList();
    const stored = any?.unpack(ErrorResourceInitFailed.deserializeBinary, any.getTypeName());
    expect(any?.getTypeName()).toBe("pulumirpc.ErrorResourceInitFailed");
    expect([code, details]).toEqual([status.UNKNOWN, "No. [partial]"]);
    expect(stored?.getId()).toBe("base/17");
    expect(propertiesOf(stored?.getProperties())).toEqual({ url: "a" });
    expect(stored?.getReasonsList()).toEqual([error.message]);
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

  it.each(["42", "/42", "../42", "./42", "base/", "base/orders", "base/042", "base/42/", ""])(
    "is not %j",
    (id) => {
      expect(partsOfPulumiId(id)).toBeUndefined();
    },
  );
});

describe("a provider of the plugin", () => {
  const sourceOf = (name: string, args: Properties) =>
    configSourceOf(new ConfigureRequest().setName(name).setArgs(structOf(args)));

  it.each([
    ["", false],
    ["default", false],
    ["default_0_1_0", false],
    ["default_1_2_3_alpha", false],
    ["default_https_/example.com", false],
    ["eu", true],
    ["default-eu", true],
    ["default_eu", true],
  ])("called %j is explicit: %s", (name, isExplicit) => {
    expect(sourceOf(name, {}).isExplicit()).toBe(isExplicit);
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

  it("has its key encrypted as soon as it is known", async () => {
    const encrypted = { ...known, apiKey: { ...secretEnvelope, value: apiKey } };

    expect((await checked("default", known)).inputs).toEqual(encrypted);
    expect((await checked("default", unknown)).inputs).toEqual(unknown);
    expect((await checked("default", {})).inputs).toEqual({});
  });
});
