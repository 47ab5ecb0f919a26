// `node tools/audit.mts`: looks for known vulnerabilities in the packages that users get: the dependencies
// of the npm package, and the bundled packages, which npm counts as development dependencies.
// Exit code 1: there are vulnerabilities. Exit code 3: the registry did not return an audit.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const read = (file: string) => readFileSync(join(import.meta.dirname, "..", file), "utf8");
// The licences of each bundled package come after a line such as "zod 4.6.7 (MIT)".
const bundled = read("dist-plugin/THIRD-PARTY-LICENSES").match(/^\S+ \d+\.\S+(?= \()/gm);
if (bundled === null) throw new Error("THIRD-PARTY-LICENSES names no package.");
const locked: Record<string, { version: string; dev?: boolean }> = JSON.parse(
  read("package-lock.json"),
).packages;
const shipped = Object.entries(locked)
  .filter(([path, { version, dev }]) => {
    const name = path.replace(/^.*node_modules\//, "");
    return path !== "" && (!dev || bundled.includes(`${name} ${version}`));
  })
  .map(([path]) => path);

const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only"], {
  cwd: join(import.meta.dirname, ".."),
  encoding: "utf8",
  maxBuffer: 2 ** 26,
});
const { vulnerabilities, message } = JSON.parse(stdout || "{}");
if (vulnerabilities === undefined) {
  process.stderr.write(`NOT AUDITED: npm audit returned no result (${message ?? "no output"}).\n`);
  process.exit(3);
}
const found = (
  Object.values(vulnerabilities) as { name: string; severity: string; nodes: string[] }[]
).filter(({ nodes }) => nodes.some((path) => shipped.includes(path)));
for (const { name, severity } of found) process.stderr.write(`${name}: ${severity}\n`);
process.stdout.write(
  `Audited ${shipped.length} packages: ${found.length} with known vulnerabilities.\n`,
);
process.exitCode = found.length > 0 ? 1 : 0;
