// Runs before `npm start`, on whatever Node the machine has: installs what package-lock.json names,
// unless that has been done since it last changed, and builds the package.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  process.stdout.write(
    "Installing the development tools, and building the package: about a minute, once.\n" +
      "A Node.js that is new enough is installed too. What follows runs on it.\n",
  );
  npm("ci", "--no-audit", "--no-fund");
} else {
  process.stdout.write("Building the package.\n");
  npm("run", "build");
}

/** Shows errors and npm's progress. The rest is shown only when it fails. */
function npm(...words) {
  // Warnings about the engines of packages are about the Node that only installs.
  const { status, stdout } = spawnSync("npm", [...words, "--loglevel=error"], {
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    process.stdout.write(stdout ?? "");
    process.exit(status ?? 1);
  }
}
