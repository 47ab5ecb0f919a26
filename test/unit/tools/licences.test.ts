import { join } from "node:path";
import { expect, it } from "vitest";
import { packagesIn } from "../../../tools/licences.mts";
import { componentOf } from "../../../tools/sbom.mts";
import { withDirectory, writeFiles } from "../../helpers/directory.ts";

it("A bundled module belongs to the innermost package, whose licence and notice are named", () =>
  withDirectory(async (directory) => {
    const inner = "node_modules/outer/node_modules/@scope/inner";
    await writeFiles(directory, {
      "node_modules/outer/package.json": { name: "outer", version: "1.0.0", license: "MIT" },
      [`${inner}/package.json`]: { name: "@scope/inner", version: "2.0.0", license: "Apache-2.0" },
      [`${inner}/LICENSE`]: "The licence.",
      [`${inner}/NOTICE.md`]: "The notice.",
    });

    const packages = packagesIn([join(directory, inner, "lib/index.js")]);

    const purl = "pkg:npm/%40scope/inner@2.0.0";
    expect(packages).toMatchObject([{ name: "@scope/inner", version: "2.0.0", purl }]);
    expect(packages[0]?.text).toBe("The licence.\n\nThe notice.");
  }));

it.each([
  { license: "MIT", licenses: [{ license: { id: "MIT" } }] },
  { license: "MIT OR Apache-2.0", licenses: [{ expression: "MIT OR Apache-2.0" }] },
])("A CycloneDX document has $license as an identifier or an expression", (row) => {
  const component = componentOf({ name: "a", license: row.license, purl: "pkg:npm/a" });

  expect(component.licenses).toEqual(row.licenses);
});
