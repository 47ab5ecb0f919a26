import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository, withDirectory } from "../helpers/directory.js";
import { linksOf } from "../helpers/markdown.js";
import { succeed, writeFiles } from "../helpers/package.js";

/** What `npm pack` takes from a clone. */
async function packedFrom(directory: string) {
  const words = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await succeed("npm", words, { directory });
  type Packed = { size: number; files: { path: string; size: number; mode: number }[] };
  const [packed] = JSON.parse(stdout) as [Packed];
  return packed;
}

describe("The packed package", async () => {
  const { size: packedSize, files } = await packedFrom(repository);
  const paths = files.map(({ path }) => path);

  it("stays small", () => {
    const code = files.filter(({ path }) => path.startsWith("dist/"));

    expect(code.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(520_000);
    expect(packedSize).toBeLessThan(650_000);
  });

  it("has what its pages link to", () => {
    const targets = paths
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => linksOf(path).map(({ target }) => target));

    expect(targets).not.toEqual([]);
    // A link to a folder needs a file in it.
    const isPacked = (target: string) =>
      paths.some((path) => path === target || path.startsWith(`${target}/`));
    // Only a clone needs the page for contributors. The page of the package at npm links to the repository.
    const isForClones = (target: string) => target === "CONTRIBUTING.md";
    expect(targets.filter((target) => !isPacked(target) && !isForClones(target))).toEqual([]);
  });

  it("has the entry points, their types, the documents, and the plugin for all systems", () => {
    const chunks = paths.filter((path) => /^dist\/[a-z-]+\.js$/.test(path));
    const documents = paths.filter((path) => /^(docs|examples)\//.test(path));

    expect(chunks).toEqual(expect.arrayContaining(["dist/index.js", "dist/provider.js"]));
    expect(documents).toEqual(
      expect.arrayContaining(["docs/troubleshooting.md", "examples/basic/index.ts"]),
    );
    expect(documents.filter((path) => /contributing|benchmarks|node_modules/.test(path))).toEqual(
      [],
    );
    const others = paths.filter((path) => ![...chunks, ...documents].includes(path));
    expect(others.sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "dist/cli/main.js",
      "dist/index.d.ts",
      "dist/local-service/index.d.ts",
      "dist/local-service/index.js",
      "dist/native.d.ts",
      "dist/provider.d.ts",
      "dist/resource-base.d.ts",
      "package.json",
      "plugin/LICENSE",
      "plugin/THIRD-PARTY-LICENSES",
      "plugin/package.json",
      "plugin/pulumi-resource-dbwebhooks",
      "plugin/pulumi-resource-dbwebhooks.cmd",
      "plugin/sbom.cdx.json",
      "plugin/schema.json",
    ]);
    const executable = files.filter(({ mode }) => (mode & 0o111) === 0o111);
    expect(executable.map(({ path }) => path)).toContain("plugin/pulumi-resource-dbwebhooks");
    // The quotes are for a directory with spaces. Nothing may be printed before the port.
    expect(readFileSync(join(repository, "plugin/pulumi-resource-dbwebhooks.cmd"), "latin1")).toBe(
      '@echo off\r\nnode "%~dp0pulumi-resource-dbwebhooks" %*\r\n',
    );
  });

  it("has nothing of a stack that somebody ran in an example", async () => {
    await withDirectory(async (clone) => {
      await cp(join(repository, "package.json"), join(clone, "package.json"));
      const made = [".pulumi/stacks/dev.json", "Pulumi.dev.yaml", "venv/pyvenv.cfg", "sdks/sdk.py"];
      const files = [...made, "Pulumi.yaml"].map((path) => [path, ""]);
      for (const example of ["examples/go", "examples/yaml/consumer"]) {
        await writeFiles(join(clone, example), Object.fromEntries(files));
      }

      const packed = (await packedFrom(clone)).files.map(({ path }) => path);

      expect(packed.filter((path) => path.startsWith("examples/"))).toEqual([
        "examples/go/Pulumi.yaml",
        "examples/yaml/consumer/Pulumi.yaml",
      ]);
    });
  });

  it("has no path of a machine and no source map", () => {
    const machinePaths = [repository, homedir(), `${tmpdir()}/`];
    for (const path of paths) {
      const content = readFileSync(join(repository, path), "utf8");

      expect(
        machinePaths.filter((machinePath) => content.includes(machinePath)),
        path,
      ).toEqual([]);
      expect(content, path).not.toMatch(
        /file:\/\/\/|(?<![\w.])\/(?:home|Users)\/|[A-Z]:\\\\|sourceMappingURL/,
      );
    }
  });
});
