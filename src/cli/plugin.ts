import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { oneLine } from "../common/plain-text.js";
import { version } from "../common/version.js";

const run = promisify(execFile);

/**
 * `pulumi-dbwebhooks install-plugin`: installs the plugin of this package for the Pulumi CLI on
 * PATH.
 */
export async function installPlugin(): Promise<void> {
  const plugin = ["resource", "dbwebhooks", version, "--file", pluginDirectory()];
  // Another build can have the same version, and Pulumi would keep it without --reinstall.
  const args = ["plugin", "install", ...plugin, "--reinstall", "--non-interactive"];
  try {
    await run("pulumi", args, { env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } });
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    const lastLine = oneLine(stderr.trim().split("\n").at(-1) ?? "", 500);
    throw new Error(
      code === "ENOENT"
        ? "There is no pulumi on PATH. Install the Pulumi CLI: https://www.pulumi.com/docs/install/"
        : `"pulumi plugin install" failed: ${lastLine}`,
    );
  }
  print(`The plugin dbwebhooks ${version} is installed.`);
}

/**
 * `pulumi-dbwebhooks plugin-path`: prints the directory of the plugin, for `Pulumi.yaml` and
 * scripts.
 */
export async function printPluginPath(): Promise<void> {
  print(pluginDirectory());
}

function pluginDirectory(): string {
  return join(dirname(require.resolve("pulumi-dbwebhooks/package.json")), "plugin");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
