import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { succeed } from "../helpers/commands.js";
import { repository, withDirectory, writeFiles } from "../helpers/directory.js";
import { linksOf } from "../helpers/markdown.js";

/** Returns what `npm pack` would pack from a directory. */
async function packedFrom(directory: string) {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await succeed("npm", args, { directory });
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

    // A link to a folder needs a file in it.
    const isPacked = (target: string) =>
      paths.some((path) => path === target || path.startsWith(`${target}/`));
    // Contributors have a clone, and the page at npm links to the repository.
    expect(new Set(targets.filter((target) => !isPacked(target)))).toEqual(
      new Set(["CONTRIBUTING.md"]),
    );
  });

  it("has the entry points, their types, and the plugin for all systems", () => {
    const isChunkOrDocument = (path: string) => /^(dist\/[a-z-]+\.js$|docs|examples)/.test(path);

    expect(paths).toEqual(
      expect.arrayContaining(["dist/index.js", "dist/native.js", "dist/provider.js"]),
    );
    expect(paths.filter((path) => !isChunkOrDocument(path)).sort()).toEqual([
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
  });

  it("has the documents and the examples, without pages for contributors", () => {
    const documents = paths.filter((path) => /^(docs|examples)\//.test(path));

    expect(documents).toEqual(
      expect.arrayContaining(["docs/troubleshooting.md", "examples/basic/index.ts"]),
    );
    expect(documents.filter((path) => /contributing|benchmarks|node_modules/.test(path))).toEqual(
      [],
    );
  });

  it("has a plugin that can be executed, and on Windows in a directory with spaces", () => {
    const [plugin] = files.filter(({ path }) => path === "plugin/pulumi-resource-dbwebhooks");

    expect((plugin?.mode ?? 0) & 0o111).toBe(0o111);
    // Nothing may be printed before the port.
    expect(readFileSync(join(repository, "plugin/pulumi-resource-dbwebhooks.cmd"), "latin1")).toBe(
      '@echo off\r\nnode "%~dp0pulumi-resource-dbwebhooks" %*\r\n',
    );
  });

  it("has no files that a stack leaves behind in an example", async () => {
    await withDirectory(async (clone) => {
      await cp(join(repository, "package.json"), join(clone, "package.json"));
      const leftBehind = [
        ".pulumi/stacks/dev.json",
        "Pulumi.dev.yaml",
        "venv/pyvenv.cfg",
        "sdks/sdk.py",
      ];
      const files = [...leftBehind, "Pulumi.yaml"].map((path) => [path, ""]);
      await writeFiles(join(clone, "examples/yaml/consumer"), Object.fromEntries(files));

      const packed = await packedFrom(clone);

      expect(packed.files.map(({ path }) => path).toSorted()).toEqual([
        "examples/yaml/consumer/Pulumi.yaml",
        "package.json",
      ]);
    });
  });

  it("has no path of a machine and no source map", () => {
    const machinePaths = [repository, homedir(), `${tmpdir()}/`];
    const localPath = /file:\/\/\/|(?<![\w.])\/(?:home|Users)\/|[A-Z]:\\\\|sourceMappingURL/;

    const found = paths.filter((path) => {
      const content = readFileSync(join(repository, path), "utf8");
      return localPath.test(content) || machinePaths.some((part) => content.includes(part));
    });

    expect(found).toEqual([]);
  });
});
