import { expect, it, onTestFinished } from "vitest";
import { check, create, diff, read, delete as remove } from "../../../src/adapters/dynamic.ts";
import { assertNodeVersion } from "../../../src/common/node-version.ts";
import { errorOf } from "../../helpers/errors.ts";

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

it("On an older Node.js, check, diff, create, read and delete fail without a stack trace", async () => {
  stubVersion("20.20.2");
  const runs = [check({}, {}), diff("1", {}, {}), create({}), read("1", {}), remove("1", {})];

  const errors = await Promise.all(runs.map(errorOf));

  const message = "pulumi-dbwebhooks needs Node.js 22.19 or newer, and this is 20.20.2.";
  expect(errors).toMatchObject(runs.map(() => ({ message, stack: "" })));
});
