import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { brokenLinksOf, linksOf } from "../helpers/markdown.js";
import { succeed, writeFiles } from "../helpers/package.js";

const repository = join(__dirname, "../..");

/** What `npm pack` takes from a clone. */
async function packedFrom(directory: string) {
  const { stdout } = await succeed("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    directory,
  });
  const [packed] = JSON.parse(stdout) as [
    { size: number; files: { path: string; size: number; mode: number }[] },
  ];
  return packed;
}

describe("The packed package", async () => {
  const { size: packedSize, files } = await packedFrom(repository);
  const paths = files.map(({ path }) => path);

  it("stays small", () => {
    const code = files.filter(({ path }) => path.startsWith("dist/"));

    expect(code.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(160_000);
    expect(packedSize).toBeLessThan(450_000);
  });

  it.each(paths.filter((path) => path.endsWith(".md")))("has what %s links to", (path) => {
    const targets = linksOf(path).filter(({ target }) => !paths.includes(target));

    // A folder stands for what is in it.
    const missing = targets.filter(
      ({ target }) => !paths.some((one) => one.startsWith(`${target}/`)),
    );
    expect(missing).toEqual([]);
    expect(brokenLinksOf(path)).toEqual([]);
  });

  it("has the plugin, to be started by Pulumi on all systems", () => {
    const plugin = files.filter(({ path }) => path.startsWith("plugin/"));

    expect(plugin.map(({ path }) => path).sort()).toEqual([
      "plugin/LICENSE",
      "plugin/THIRD-PARTY-LICENSES",
      "plugin/package.json",
      "plugin/pulumi-resource-dbwebhooks",
      "plugin/pulumi-resource-dbwebhooks.cmd",
      "plugin/sbom.cdx.json",
      "plugin/schema.json",
    ]);
    const executable = plugin.filter(({ mode }) => (mode & 0o111) === 0o111);
    expect(executable.map(({ path }) => path)).toEqual(["plugin/pulumi-resource-dbwebhooks"]);
    // The quotes are for a directory with spaces. Nothing may be printed before the port.
    expect(readFileSync(join(repository, "plugin/pulumi-resource-dbwebhooks.cmd"), "latin1")).toBe(
      '@echo off\r\nnode "%~dp0pulumi-resource-dbwebhooks" %*\r\n',
    );
  });

  it("has the entry points, what they share, their types, and the documents", () => {
    const chunks = paths.filter((path) => /^dist\/[a-z-]+\.js$/.test(path));
    const documents = paths.filter((path) => /^(docs|examples)\//.test(path));

    expect(documents).toEqual(
      expect.arrayContaining(["docs/troubleshooting.md", "examples/basic/index.ts"]),
    );
    expect(documents.filter((path) => /reference|benchmarks|node_modules/.test(path))).toEqual([]);
    const others = paths.filter(
      (path) => ![...chunks, ...documents].includes(path) && !path.startsWith("plugin/"),
    );
    expect(others.sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "dist/args.d.ts",
      "dist/cli/main.js",
      "dist/index.d.ts",
      "dist/local-service/index.d.ts",
      "dist/local-service/index.js",
      "dist/native.d.ts",
      "dist/provider.d.ts",
      "package.json",
    ]);
    expect(chunks).toEqual(expect.arrayContaining(["dist/index.js", "dist/provider.js"]));
  });

  it("has nothing of a stack that somebody ran in an example", async () => {
    await withDirectory(async (clone) => {
      for (const part of ["package.json", "examples"]) {
        await cp(join(repository, part), join(clone, part), {
          recursive: true,
          filter: (path) => !path.includes("node_modules"),
        });
      }
      const made = [".pulumi/stacks/dev.json", "Pulumi.dev.yaml", "venv/pyvenv.cfg", "sdks/sdk.py"];
      const examples = ["examples/go", "examples/yaml/consumer", "examples/cross-stack/producer"];
      for (const example of examples) {
        await writeFiles(join(clone, example), Object.fromEntries(made.map((path) => [path, ""])));
      }

      const packed = (await packedFrom(clone)).files.map(({ path }) => path);

      expect(packed).toContain("examples/yaml/consumer/Pulumi.yaml");
      expect(packed.filter((path) => made.some((end) => path.endsWith(`/${end}`)))).toEqual([]);
    });
  });

  it.each(files)("has no path of a machine and no source map in $path", ({ path }) => {
    const content = readFileSync(join(repository, path), "utf8");

    for (const machinePath of [repository, homedir(), `${tmpdir()}/`]) {
      expect(content).not.toContain(machinePath);
    }
    expect(content).not.toMatch(/file:\/\/\/|(?<![\w.])\/(?:home|Users)\/|[A-Z]:\\\\/);
    expect(content).not.toMatch(/sourceMappingURL/);
  });
});
