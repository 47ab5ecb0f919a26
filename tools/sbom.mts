import type { Plugin } from "rolldown";
import packageJson from "../package.json" with { type: "json" };
import { type BundledPackage, npmPurl, packagesIn } from "./licences.mts";

/**
 * Writes a CycloneDX document of the packages in a bundle beside it, because no lock file of a user
 * names them. Without a time and a serial number, the same packages give the same document.
 *
 * https://cyclonedx.org/docs/1.6/json/
 */
export const sbom: Plugin = {
  name: "sbom",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
    const packages = packagesIn(chunks.flatMap(({ moduleIds }) => moduleIds));
    const { name, version, license } = packageJson;
    const document = {
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: {
        component: componentOf({ name, version, license, purl: npmPurl(name, version) }),
      },
      components: packages.map(componentOf),
    };
    const source = `${JSON.stringify(document, undefined, 2)}\n`;
    this.emitFile({ type: "asset", fileName: "sbom.cdx.json", source });
  },
};

export function componentOf({ name, version, license, purl }: BundledPackage) {
  const [, group, nameInGroup] = /^(@.+)\/(.+)$/.exec(name) ?? [undefined, undefined, name];
  const isExpression = /\s/.test(license);
  return {
    type: "library",
    "bom-ref": purl,
    group,
    name: nameInGroup,
    version,
    licenses: [isExpression ? { expression: license } : { license: { id: license } }],
    purl,
  };
}
