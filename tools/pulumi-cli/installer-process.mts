/**
 * `node installer-process.mts VERSION ROOT`: runs Pulumi's official installer, as the Automation API
 * offers it. That downloads over `curl` without any time limit, and only killing it with its children
 * ends it. Its standard input ends when its parent does, and then it ends itself so.
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
