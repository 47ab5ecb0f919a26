import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it, vi } from "vitest";
import { problemOfNodeVersion } from "../../src/common/node-version.js";
import { check, delete as remove } from "../../src/dynamic/provider.js";
import { Provider, Webhook } from "../../src/index.js";
import { someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";

afterEach(() => void vi.unstubAllGlobals());

describe("a version of Node.js", () => {
  it.each(["22.19.0", "22.20.1", "24.0.0", "v24.21.0", "100.0.0"])("can be %s", (version) => {
    expect(problemOfNodeVersion("this", version)).toBeUndefined();
  });

  it.each(["20.20.2", "v20.20.2", "22.18.9", "22.9.0", "9.99.0"])("is too old: %s", (version) => {
    expect(problemOfNodeVersion("this", version)).toBe(
      `this needs Node.js 22.19 or newer, and this is ${version}.`,
    );
  });
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
