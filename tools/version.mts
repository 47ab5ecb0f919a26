// `npm version` runs this after it has changed package.json, and commits what is staged.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { packageVersion, versionedFiles } from "./versioned-files.mts";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
for (const path of versionedFiles) {
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(packageVersion, version));
}
execFileSync("git", ["add", ...versionedFiles]);
