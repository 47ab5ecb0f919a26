/**
 * `node installer-process.mts VERSION ROOT`: the process in which `runInstaller` runs the
 * installer. Its standard input ends when its parent does, and then it ends with its children.
 */
import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { SemVer } from "semver";

const [version = "", root = ""] = process.argv.slice(2);

process.stdin.once("end", () => process.kill(-process.pid, "SIGKILL")).resume();

try {
  await PulumiCommand.install({ version: new SemVer(version), root });
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
