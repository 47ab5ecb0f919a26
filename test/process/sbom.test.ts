import { expect, it } from "vitest";
import { readPage } from "../helpers/markdown.ts";

const { metadata, components, dependencies } = JSON.parse(readPage("dist-plugin/sbom.cdx.json"));
const { name, version, purl, "bom-ref": root } = metadata.component;
const refs: string[] = components.map((one: Record<string, string>) => one["bom-ref"]);
const dependenciesOf = (reference: string): string[] =>
  dependencies.find(({ ref }: { ref: string }) => ref === reference)?.dependsOn ?? [];

it("The bill of materials has every bundled package and every dependency of the lock file", () => {
  // The licence of each bundled component begins with a line such as "zod 4.6.7 (MIT)".
  const heads = readPage("dist-plugin/THIRD-PARTY-LICENSES").match(/^\S+ \d+\.\S+(?= \()/gm) ?? [];
  const bundled = heads.map((head) => head.replace(" ", "@"));

  // npm names the component after its directory, but its purl after the package.
  expect(purl).toBe(`pkg:npm/${name}@${version}`);
  expect(bundled).toContainEqual(expect.stringMatching(/^@grpc\/grpc-js@/));
  expect(refs.toSorted()).toEqual([...new Set([...bundled, ...lockedDependencies()])].toSorted());
});

it("The bill of materials marks no component as one for development, which a scanner could leave out", () => {
  expect(JSON.stringify(components)).not.toContain("cdx:npm:package:development");
});

it("The bill of materials leads from the package to every component", () => {
  const reached = new Set<string>([root]);

  // A loop over a set also visits the elements that it adds.
  for (const reference of reached) {
    for (const dependency of dependenciesOf(reference)) reached.add(dependency);
  }

  expect(reached).toEqual(new Set([root, ...refs]));
  expect(dependenciesOf(root)).toEqual(expect.arrayContaining(directDependencies()));
});

type LockedPackage = Readonly<{
  version: string;
  dev?: boolean;
  link?: boolean;
  dependencies?: Readonly<Record<string, string>>;
}>;

function lockedPackages(): Record<string, LockedPackage> {
  return JSON.parse(readPage("package-lock.json")).packages;
}

/** Returns what npm installs with the package, as name@version. */
function lockedDependencies(): string[] {
  return Object.entries(lockedPackages())
    .filter(([path, { dev, link }]) => path !== "" && !dev && !link)
    .map(([path, one]) => `${path.replace(/^.*node_modules\//, "")}@${one.version}`);
}

function directDependencies(): string[] {
  const locked = lockedPackages();
  return Object.keys(locked[""]?.dependencies ?? {}).map(
    (one) => `${one}@${locked[`node_modules/${one}`]?.version}`,
  );
}
