// Runs before `npm start`, on any version of Node.js. Installs the packages of package-lock.json if it has
// changed since the last installation.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  process.stdout.write(
    "Installing the development tools: about a minute, once.\n" +
      "A Node.js that is new enough is installed too. What follows runs on it.\n",
  );
  // Hides warnings about `engines`: they concern the Node.js that installs, not the one that runs.
  const { status, stdout } = spawnSync(
    "npm",
    ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
    { stdio: ["ignore", "pipe", "inherit"], shell: process.platform === "win32" },
  );
  if (status !== 0) {
    process.stdout.write(stdout ?? "");
    process.exit(status ?? 1);
  }
}
