import { expect, it } from "vitest";
import { problemOfNodeVersion } from "../../src/common/node-version.js";

it.each(["22.19.0", "22.20.1", "24.0.0", "v24.21.0", "100.0.0"])("takes Node.js %s", (version) => {
  expect(problemOfNodeVersion(version)).toBeUndefined();
});

it.each(["20.20.2", "22.18.9", "22.9.0", "9.99.0"])("refuses Node.js %s", (version) => {
  expect(problemOfNodeVersion(version)).toBe(
    `pulumi-dbwebhooks needs Node.js 22.19 or newer, and this is ${version}.`,
  );
});
