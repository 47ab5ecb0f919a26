// Runs before `npm start`, on whatever Node the machine has: installs what package-lock.json names,
// unless that has been done since it last changed.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
} else {
  execFileSync("npm", ["run", "build"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}
