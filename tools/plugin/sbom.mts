import { execFileSync } from "node:child_process";
import { packagesIn } from "./licences.mts";

interface BillOfMaterials {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
  components: readonly { "bom-ref": string }[];
  dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
}

/**
 * The bill of materials of what is bundled, in CycloneDX's format: what `npm sbom` says of the lock
 * file, without the packages that none of these modules comes from.
 */
export function sbomOf(modules: readonly string[]): string {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
  const bill: BillOfMaterials = JSON.parse(
    execFileSync("npm", args, {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      stdio: ["ignore", "pipe", 2],
    }),
  );
  const bundled = packagesIn(modules).map(({ name, version }) => `${name}@${version}`);
  const components = bill.components.filter((one) => bundled.includes(one["bom-ref"]));
  const missing = bundled.filter((ref) => !components.some((one) => one["bom-ref"] === ref));
  if (missing.length > 0) throw new Error(`package-lock.json does not have ${missing.join(", ")}`);
  // npm takes the name of the directory; time and number would differ from build to build.
  const { timestamp: _, ...metadata } = bill.metadata;
  metadata.component.name = "pulumi-resource-dbwebhooks";
  const { serialNumber: __, ...rest } = bill;
  const dependencies = bill.dependencies
    .filter(({ ref }) => bundled.includes(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => bundled.includes(one)),
    }));
  return `${JSON.stringify({ ...rest, metadata, components, dependencies }, undefined, 2)}\n`;
}
