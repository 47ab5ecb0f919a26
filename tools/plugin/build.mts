/**
 * `npm run build:plugin`: writes the plugin to `plugin`, which is part of the npm package: one file
 * that needs only Node.js, its schema, a wrapper for Windows, docs/troubleshooting.md, and the
 * licences of the bundled packages.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { bundlePlugin } from "./bundle.mts";
import { licencesOf } from "./licences.mts";
import { schema } from "./schema.mts";

const root = join(import.meta.dirname, "../..");
const directory = join(root, "plugin");
const name = "pulumi-resource-dbwebhooks";

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory);
const modules = await bundlePlugin(join(directory, name));
// "%~dp0" is the directory of the wrapper, "%*" all arguments as they were given.
writeFileSync(join(directory, `${name}.cmd`), `@echo off\r\nnode "%~dp0${name}" %*\r\n`);
writeFileSync(join(directory, "schema.json"), `${JSON.stringify(schema, undefined, 2)}\n`);
// The plugin is CommonJS, whatever the package.json of the surrounding project says.
writeFileSync(join(directory, "package.json"), `{ "type": "commonjs" }\n`);
copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"));
// Messages name this page, and users of other languages have no npm package.
const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
writeFileSync(join(directory, "troubleshooting.md"), withoutLinksToOtherPages(page));
writeFileSync(join(directory, "THIRD-PARTY-LICENSES"), licencesOf(modules));

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
