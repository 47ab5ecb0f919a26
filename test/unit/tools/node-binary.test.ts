import { expect, it } from "vitest";
import { nodeVersion, platforms } from "../../../tools/plugin/node-binary.mts";
import { readPage } from "../../helpers/markdown.ts";

it("Every executable contains the same version of Node.js, pinned by its hash", () => {
  const lock = JSON.parse(readPage("tools/plugin/node/package-lock.json"));
  const { "": _, ...packages } = lock.packages as Record<string, object>;
  const names = Object.values(platforms).map((one) => `node_modules/${one.package}`);

  expect(Object.keys(packages).toSorted()).toEqual(names.toSorted());
  expect(Object.values(packages)).toEqual(
    names.map(() =>
      expect.objectContaining({
        version: nodeVersion,
        integrity: expect.stringMatching(/^sha512-/),
      }),
    ),
  );
});
