/**
 * `node installer-process.mts VERSION ROOT`: runs Pulumi's official installer through the
 * Automation API. The installer downloads with `curl` and without a timeout, and stops only when it
 * is killed with its children. This process kills them and itself when its standard input ends, and
 * so with its parent.
 */
import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { SemVer } from "semver";

const [version = "", root = ""] = process.argv.slice(2);

process.stdin.once("end", () => process.kill(-process.pid, "SIGKILL")).resume();
await PulumiCommand.install({ version: new SemVer(version), root }).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
process.exit();
