import { expect, it } from "vitest";
import { readPage } from "../helpers/markdown.js";

it("The bill of materials leads from the package to every bundled component", () => {
  const { metadata, components, dependencies } = JSON.parse(readPage("dist-plugin/sbom.cdx.json"));
  const { name, version, purl, "bom-ref": root } = metadata.component;
  const dependsOn = new Map<string, string[]>(
    dependencies.map((one: { ref: string; dependsOn: string[] }) => [one.ref, one.dependsOn]),
  );
  const reached = new Set<string>([root]);

  // A loop over a set also visits what is added meanwhile.
  for (const ref of reached) {
    for (const other of dependsOn.get(ref) ?? []) {
      reached.add(other);
    }
  }

  expect(purl).toBe(`pkg:npm/${name}@${version}`);
  const refs = components.map((one: Record<string, string>) => one["bom-ref"]);
  expect(reached).toEqual(new Set([root, ...refs]));
});
