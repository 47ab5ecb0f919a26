/**
 * `npm run build:changed [-- SCRIPT...]`: runs the builds, or these, of which a file has changed,
 * appeared or gone since the build last ran here: a file that it reads, or one that it writes.
 * After each installation, all.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules/.cache");

const configuration = ["package.json", "package-lock.json", "tsconfig.json", "rolldown.config.mts"];
const code = ["src/**", "tools/*.{mts,cjs}", "tools/plugin/*.{mts,txt}", ...configuration];
const builds = [
  { script: "build", title: "the package", inputs: code, outputs: ["dist/**"] },
  {
    script: "build:plugin",
    title: "the plugin",
    inputs: [...code, "docs/_index.md", "docs/troubleshooting.md", "LICENSE"],
    outputs: ["plugin/**"],
  },
];

const wanted = process.argv.slice(2);
for (const { script, title, inputs, outputs } of builds) {
  if (wanted.length > 0 && !wanted.includes(script)) continue;
  const record = join(cache, `${script.replace(":", "-")}.sha256`);
  const read = hashOf(inputs);
  if (existsSync(record) && readFileSync(record, "utf8") === read + hashOf(outputs)) continue;
  process.stdout.write(`Building ${title}.\n`);
  execFileSync("npm", ["run", "--silent", script], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  mkdirSync(cache, { recursive: true });
  writeFileSync(record, read + hashOf(outputs));
}

/** Returns a hash of the names and the contents of the files that match the patterns. */
function hashOf(patterns: readonly string[]): string {
  const hash = createHash("sha256");
  for (const name of globSync(patterns, { cwd: root }).toSorted()) {
    const file = join(root, name);
    if (!statSync(file).isFile()) continue;
    const content = readFileSync(file);
    hash.update(`${name}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}
