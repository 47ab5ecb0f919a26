import { execFileSync } from "node:child_process";
import project from "../../package.json" with { type: "json" };
import { packagesIn } from "./licences.mts";

const developmentProperty = "cdx:npm:package:development";

interface BillOfMaterials {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string; "bom-ref": string } };
  components: readonly Component[];
  dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
}

interface Component {
  "bom-ref": string;
  properties: readonly { name: string; value: string }[];
}

/**
 * Returns the bill of materials of the npm package, plugin included, in CycloneDX's format: the output of
 * `npm sbom` for the lock file, reduced to the packages that these modules come from and to those that npm
 * installs with the package.
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
  const root = bill.metadata.component["bom-ref"];
  // The package itself is one of its development dependencies.
  const components = bill.components.filter(
    (one) =>
      one["bom-ref"] !== root && (bundled.includes(one["bom-ref"]) || !isForDevelopment(one)),
  );
  const missing = bundled.filter((ref) => !components.some((one) => one["bom-ref"] === ref));
  if (missing.length > 0) throw new Error(`package-lock.json does not have ${missing.join(", ")}`);
  // npm names the root after its directory. The time and the serial number would differ from build to build.
  const { timestamp: _, component, ...metadata } = bill.metadata;
  const { serialNumber: __, ...rest } = bill;
  const refs = components.map((one) => one["bom-ref"]);
  return `${JSON.stringify(
    {
      ...rest,
      metadata: { ...metadata, component: { ...component, name: project.name } },
      // What is bundled is a development dependency for npm alone, and a scanner could leave such a component out.
      components: components.map((one) => ({
        ...one,
        properties: one.properties.filter(({ name }) => name !== developmentProperty),
      })),
      dependencies: bill.dependencies
        .filter(({ ref }) => ref === root || refs.includes(ref))
        .map(({ ref, dependsOn }) => ({
          ref,
          dependsOn: dependsOn.filter((one) => refs.includes(one)),
        })),
    },
    undefined,
    2,
  )}\n`;
}

/** Returns a bill of materials with Node.js as a further dependency of the root, for the executables. */
export function sbomWithNode(sbom: string, version: string): string {
  const bill = JSON.parse(sbom);
  const ref = `node@${version}`;
  const root = bill.metadata.component["bom-ref"];
  bill.components.push({
    "bom-ref": ref,
    type: "application",
    name: "node",
    version,
    // The names under which databases of vulnerabilities have Node.js.
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: "MIT" } }],
    externalReferences: [{ type: "website", url: "https://nodejs.org/" }],
  });
  bill.dependencies.find((one: { ref: string }) => one.ref === root).dependsOn.push(ref);
  bill.dependencies.push({ ref, dependsOn: [] });
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function isForDevelopment({ properties }: Component): boolean {
  return properties.some(({ name }) => name === developmentProperty);
}
