// `node tools/ensure-installed.mjs [directory]`: installs the packages of package-lock.json, in the
// root of the repository or in this directory, if it has changed since the last installation. Runs
// on any version of Node.js.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

const [directory] = process.argv.slice(2);
const cwd = join(import.meta.dirname ?? "tools", "..", directory ?? "");
const changedAt = (file) => statSync(join(cwd, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  process.stdout.write(
    directory === undefined
      ? "Installing the development tools: about a minute, once.\n" +
          "A Node.js that is new enough is installed too. What follows runs on it.\n"
      : `Installing the packages of ${directory}.\n`,
  );
  // Hides warnings about `engines`: they concern the Node.js that installs, not the one that runs.
  const { status, stdout } = spawnSync(
    "npm",
    ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd, stdio: ["ignore", "pipe", "inherit"], shell: process.platform === "win32" },
  );
  if (status !== 0) {
    process.stdout.write(stdout ?? "");
    process.exit(status ?? 1);
  }
}
