import { expect, it } from "vitest";
import { readPage } from "../helpers/markdown.ts";

it("The bill of materials leads from the package to every bundled component", () => {
  const { metadata, components, dependencies } = JSON.parse(readPage("dist-plugin/sbom.cdx.json"));
  const { name, version, purl, "bom-ref": root } = metadata.component;
  const reached = new Set<string>([root]);

  // A loop over a set also visits the elements that it adds.
  for (const reference of reached) {
    const entry = dependencies.find(({ ref }: { ref: string }) => ref === reference);
    for (const dependency of entry?.dependsOn ?? []) reached.add(dependency);
  }

  // npm names the component after its directory, but its purl after the package.
  expect(purl).toBe(`pkg:npm/${name}@${version}`);
  const refs = components.map((component: Record<string, string>) => component["bom-ref"]);
  // The licence of each bundled component begins with a line such as "zod 4.6.7 (MIT)".
  const heads = readPage("dist-plugin/THIRD-PARTY-LICENSES").match(/^\S+ \d+\.\S+(?= \()/gm) ?? [];
  expect(refs).toEqual(heads.map((head) => head.replace(" ", "@")));
  expect(refs).toContainEqual(expect.stringMatching(/^@grpc\/grpc-js@/));
  expect(reached).toEqual(new Set([root, ...refs]));
});
