import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it, vi } from "vitest";
import { check, delete as remove } from "../../src/adapters/dynamic.js";
import { assertNodeVersion } from "../../src/common/node-version.js";
import * as dynamic from "../../src/index.js";
import * as native from "../../src/native.js";
import { someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";

afterEach(() => void vi.unstubAllGlobals());

it.each(["22.19.0", "v24.0.0"])("Node.js %s is supported", (version) => {
  expect(() => assertNodeVersion("this", version)).not.toThrow();
});

it.each(["22.18.9", "v9.99.0"])("Node.js %s is not supported", (version) => {
  expect(() => assertNodeVersion("this", version)).toThrow(version);
});

describe("Node.js before the minimum version", () => {
  const message = "pulumi-dbwebhooks needs Node.js 22.19 or newer, and this is 20.20.2.";
  const runOnOldNode = () =>
    vi.stubGlobal("process", { ...process, versions: { ...process.versions, node: "20.20.2" } });

  it.each([
    ["the main entry", dynamic],
    ["./native", native],
  ])("ends a program of %s", (_, { Provider, Webhook }) => {
    runOnOldNode();

    const args = { databaseId: "base_abc123", url: "https://example.com", events: [] };
    for (const declare of [() => new Webhook("orders", args), () => new Provider("account")]) {
      expect(declare).toThrow(pulumi.RunError);
      expect(declare).toThrow(message);
    }
  });

  it("fails the operations of the dynamic provider, without a stack trace", async () => {
    runOnOldNode();

    for (const run of [check({}, someArgs()), remove("1", someState())]) {
      expect(await errorOf(run)).toMatchObject({ message, stack: "" });
    }
  });
});
