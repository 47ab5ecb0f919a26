import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const file = join(__dirname, "../../dist-plugin/sbom.cdx.json");

describe("The bill of materials of the plugin", () => {
  const { metadata, components, dependencies } = JSON.parse(readFileSync(file, "utf8"));
  const root = metadata.component;

  it("names the package that its purl names", () => {
    expect(root.purl).toBe(`pkg:npm/${root.name}@${root.version}`);
  });

  it("leads from the package to every bundled component", () => {
    const reached = new Set<string>([root["bom-ref"]]);

    // A set goes on to the values that are added while it is walked through.
    for (const ref of reached) {
      const entries = dependencies.filter((one: { ref: string }) => one.ref === ref);
      expect(entries, ref).toHaveLength(1);
      for (const other of entries[0].dependsOn) {
        reached.add(other);
      }
    }

    const refs = components.map((one: Record<string, string>) => one["bom-ref"]);
    expect([...reached].sort()).toEqual([root["bom-ref"], ...refs].sort());
  });
});
