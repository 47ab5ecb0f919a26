import { expect, it } from "vitest";
import { isSupportedNodeVersion } from "../../src/common/node-version.js";

it.each(["22.19.0", "22.20.1", "24.0.0", "v24.21.0", "100.0.0"])("supports %s", (version) => {
  expect(isSupportedNodeVersion(version)).toBe(true);
});

it.each(["20.20.2", "v20.20.2", "22.18.9", "22.9.0", "9.99.0"])("refuses %s", (version) => {
  expect(isSupportedNodeVersion(version)).toBe(false);
});
