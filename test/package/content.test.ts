import { readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { succeed } from "../helpers/package.js";

const repository = join(__dirname, "../..");

describe("The packed package", async () => {
  const { stdout } = await succeed("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    directory: repository,
  });
  const [{ unpackedSize, files }] = JSON.parse(stdout) as [
    { unpackedSize: number; files: { path: string }[] },
  ];

  it("stays small", () => {
    expect(unpackedSize).toBeLessThan(151_000);
  });

  it("has the entry points, what they share, their types, and the documents", () => {
    const paths = files.map(({ path }) => path);
    const chunks = paths.filter((path) => /^dist\/[a-z-]+\.js$/.test(path));

    expect(paths.filter((path) => !chunks.includes(path)).sort()).toEqual([
      "LICENSE",
      "README.md",
      "dist/cli/main.js",
      "dist/index.d.ts",
      "dist/local-service/index.d.ts",
      "dist/local-service/index.js",
      "dist/provider.d.ts",
      "package.json",
    ]);
    expect(chunks).toEqual(expect.arrayContaining(["dist/index.js", "dist/provider.js"]));
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
