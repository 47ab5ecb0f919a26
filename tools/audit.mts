// `node tools/audit.mts`: looks for known vulnerabilities in the packages that users get: those
// that are bundled in the built files. npm counts them as development dependencies. Exit code 1:
// there are vulnerabilities. Exit code 3: the registry did not return an audit.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const cwd = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(cwd, file), "utf8");
const locked: Record<string, { version: string }> = JSON.parse(read("package-lock.json")).packages;
const shipped = new Set([...bundledIn("dist/**/*.js"), ...bundledIn("plugin/*-LICENSES")]);

const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only"], {
  cwd,
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
).filter(({ nodes }) => nodes.some((path) => shipped.has(path)));
for (const { name, severity } of found) process.stderr.write(`${name}: ${severity}\n`);
process.stdout.write(
  `Audited ${shipped.size} packages: ${found.length} with known vulnerabilities.\n`,
);
process.exitCode = found.length > 0 ? 1 : 0;

/**
 * Returns the paths in package-lock.json of the packages whose licences are in these built files.
 */
function bundledIn(pattern: string): string[] {
  const text = globSync(pattern, { cwd }).map(read).join("\n");
  // The licences of each package come after a line such as "zod 4.6.7 (MIT)".
  const named = [...text.matchAll(/^(\S+) (\d+\.\S+) \(/gm)];
  if (named.length === 0) throw new Error(`No licences in ${pattern}: run the builds first.`);
  return named.flatMap(([title, name, version]) => {
    const paths = Object.keys(locked).filter(
      (path) => path.endsWith(`node_modules/${name}`) && locked[path]?.version === version,
    );
    if (paths.length === 0) throw new Error(`package-lock.json does not have ${title}.`);
    return paths;
  });
}
