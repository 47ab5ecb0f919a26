import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it, vi } from "vitest";
import { check, delete as remove } from "../../src/adapters/dynamic.js";
import { problemOfNodeVersion } from "../../src/common/node-version.js";
import { Provider, Webhook } from "../../src/index.js";
import { someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";

afterEach(() => void vi.unstubAllGlobals());

it.each([
  ["22.19.0", true],
  ["v24.0.0", true],
  ["22.18.9", false],
  ["v9.99.0", false],
])("Node.js %s can run this: %s", (version, isNewEnough) => {
  const problem = `this needs Node.js 22.19 or newer, and this is ${version}.`;

  expect(problemOfNodeVersion("this", version)).toBe(isNewEnough ? undefined : problem);
});

describe("a Node.js that is too old", () => {
  const message = "pulumi-dbwebhooks needs Node.js 22.19 or newer, and this is 20.20.2.";
  const runOnOldNode = () =>
    vi.stubGlobal("process", { ...process, versions: { ...process.versions, node: "20.20.2" } });

  it("is refused by the program", () => {
    runOnOldNode();

    const args = { databaseId: "base_abc123", url: "https://example.com", events: [] };
    expect(() => new Webhook("orders", args)).toThrow(pulumi.RunError);
    expect(() => new Webhook("orders", args)).toThrow(message);
    expect(() => new Provider("account")).toThrow(message);
  });

  it("is refused by the provider, in preview already and without a stack", async () => {
    runOnOldNode();

    for (const run of [check({}, someArgs()), remove("1", someState())]) {
      expect(await errorOf(run)).toMatchObject({ message, stack: "" });
    }
  });
});
