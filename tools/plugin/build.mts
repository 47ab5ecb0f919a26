import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { build, type Plugin } from "rolldown";
import packageJson from "../../package.json" with { type: "json" };
import schema from "../../src/adapters/plugin/schema.json" with { type: "json" };
import { onlyOwnModules, usedParts } from "../bundled-modules.mts";
import { licencesOf } from "../licences.mts";
import { sbom } from "../sbom.mts";

const root = join(import.meta.dirname, "../..");
const directory = join(root, "plugin");
const name = "pulumi-resource-dbwebhooks";

/**
 * Writes the plugin to `plugin`, which is part of the npm package: one file that needs only
 * Node.js, its schema, a wrapper for Windows, docs/troubleshooting.md, and the licences and a
 * CycloneDX document of the bundled packages. The schema gets the version of the npm package.
 */
export async function buildPlugin(): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const modules = await bundle(join(directory, name));
  // "%~dp0" is the directory of the wrapper, "%*" all arguments as they were given.
  writeFileSync(join(directory, `${name}.cmd`), `@echo off\r\nnode "%~dp0${name}" %*\r\n`);
  const versioned = { ...schema, version: packageJson.version };
  writeFileSync(join(directory, "schema.json"), `${JSON.stringify(versioned, undefined, 2)}\n`);
  // The plugin is CommonJS, whatever the package.json of the surrounding project says.
  writeFileSync(join(directory, "package.json"), `{ "type": "commonjs" }\n`);
  copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"));
  // Messages name this page, and users of other languages have no npm package.
  const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
  writeFileSync(join(directory, "troubleshooting.md"), withoutLinksToOtherPages(page));
  writeFileSync(join(directory, "THIRD-PARTY-LICENSES"), licencesOf(modules));
}

// A single character beyond Latin-1 doubles the size of the file that V8 reads at each start.
const ascii: Plugin = {
  name: "ascii",
  generateBundle: (_, chunks) => {
    for (const chunk of Object.values(chunks)) {
      if (chunk.type === "chunk") {
        chunk.code = chunk.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
    }
  },
};

/** Bundles the plugin into one executable file, and returns the modules that the file contains. */
async function bundle(file: string): Promise<string[]> {
  const { output } = await build({
    cwd: root,
    platform: "node",
    input: "src/adapters/plugin/main.ts",
    plugins: [usedParts, onlyOwnModules, sbom, ascii],
    transform: { target: "es2022" },
    output: {
      file,
      format: "cjs",
      codeSplitting: false,
      comments: false,
      minify: { mangle: { keepNames: { class: true, function: false } } },
    },
  });
  chmodSync(file, 0o755);
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

/** Replaces each link of a page in `docs` to another page by the path of that page. */
function withoutLinksToOtherPages(page: string): string {
  const linked = page.replaceAll(
    /\[([^\]]+)\]\(((?:\.\.\/)?[\w/-]+\.md)(?:#[\w-]+)?\)/g,
    (_, text, path) => `${text} (${posix.join("docs", path)})`,
  );
  const origin =
    "The pages in parentheses are in the repository and in the npm package of pulumi-dbwebhooks.";
  return linked.replace("\n", `\n\n${origin}\n`);
}
