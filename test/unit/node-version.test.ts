import { RunError } from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { check, create, diff, read, delete as remove } from "../../src/adapters/dynamic.ts";
import { assertNodeVersion } from "../../src/common/node-version.ts";
import * as main from "../../src/index.ts";
import { startLocalService } from "../../src/local-service/index.ts";
import * as native from "../../src/native.ts";
import { errorOf } from "../helpers/errors.ts";

/** Runs the rest of a test on a version of Node.js. */
function stubVersion(version: string): void {
  const { node } = process.versions;
  const setVersion = (value: string) =>
    Object.defineProperty(process.versions, "node", { value, configurable: true });
  setVersion(version);
  onTestFinished(() => void setVersion(node));
}

it.each(["22.19.0", "22.20.1", "24.0.0", "100.0.0"])("Node.js %s is supported", (version) => {
  stubVersion(version);

  expect(() => assertNodeVersion("a program")).not.toThrow();
});

it.each(["22.18.9", "22.9.0", "9.99.0"])("Node.js %s is not supported", (version) => {
  stubVersion(version);

  expect(() => assertNodeVersion("a program")).toThrow(version);
});

describe("On Node.js before the minimum version", () => {
  const message = "pulumi-dbwebhooks needs Node.js 22.19 or newer, and this is 20.20.2.";

  beforeEach(() => stubVersion("20.20.2"));

  const args = { databaseId: "base_abc123", url: "https://example.com", events: [] };
  const account = { baseUrl: "https://example.com", apiKey: "key" };
  it.each([
    {
      resource: "a Provider of the dynamic provider",
      declare: () => new main.Provider("eu", account),
    },
    { resource: "a Webhook of ./native", declare: () => new native.Webhook("orders", args) },
  ])("a program that declares $resource fails without a stack trace", ({ declare }) => {
    // Pulumi shows a RunError without its stack trace.
    expect(declare).toThrow(RunError);
    expect(declare).toThrow(message);
  });

  it("startLocalService fails", async () => {
    await expect(startLocalService()).rejects.toThrow(message);
  });

  it("the command pulumi-dbwebhooks writes one line, and fails", async () => {
    using write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { exitCode } = process;
    vi.resetModules();

    await import("../../src/cli/main.ts");
    const exitCodeOfCommand = process.exitCode;
    process.exitCode = exitCode;

    expect(write.mock.calls).toEqual([[`${message}\n`]]);
    expect(exitCodeOfCommand).toBe(1);
  });

  it("check, diff, create, read and delete of the dynamic provider fail without a stack trace", async () => {
    const runs = [check({}, {}), diff("1", {}, {}), create({}), read("1", {}), remove("1", {})];

    const errors = await Promise.all(runs.map(errorOf));

    expect(errors).toMatchObject(runs.map(() => ({ message, stack: "" })));
  });
});
