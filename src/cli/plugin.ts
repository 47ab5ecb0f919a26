import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { oneLine, shownValue } from "../common/redact.js";
import { version } from "../common/version.js";

const run = promisify(execFile);

const [minMajor, minMinor] = [3, 200];
const installPage = "https://www.pulumi.com/docs/install/";

/**
 * `pulumi-dbwebhooks install-plugin`: installs the plugin of this package for the Pulumi CLI on PATH.
 * Compares the files of a plugin that is already installed: its name and version do not tell them apart.
 */
export async function installPlugin(): Promise<void> {
  const directory = pluginDirectory();
  await assertPulumi();
  const installed = installedDirectory();
  const wasInstalled = existsSync(installed);
  if (!wasInstalled) {
    await pulumi("plugin", "install", "resource", "dbwebhooks", version, "--file", directory);
  }
  const differences = differencesBetween(directory, installed);
  if (differences.length > 0) {
    throw new Error(
      `The plugin dbwebhooks ${version} in ${installed} is not the plugin of this package. These files differ: ${shownValue(differences.join(", "))}. Remove it with "pulumi plugin rm resource dbwebhooks ${version} --yes", then run install-plugin again.`,
    );
  }
  print(`The plugin dbwebhooks ${version} is installed${wasInstalled ? " already" : ""}.`);
}

/** `pulumi-dbwebhooks plugin-path`: prints the folder of the plugin, for `Pulumi.yaml` and scripts. */
export async function printPluginPath(): Promise<void> {
  print(pluginDirectory());
}

function pluginDirectory(): string {
  const directory = join(dirname(require.resolve("pulumi-dbwebhooks/package.json")), "plugin");
  if (!existsSync(join(directory, "pulumi-resource-dbwebhooks"))) {
    throw new Error(
      `There is no plugin in ${directory}. Install pulumi-dbwebhooks again, or run "npm run build:plugin" in a clone.`,
    );
  }
  return directory;
}

/** The folder in which Pulumi keeps this plugin. */
function installedDirectory(): string {
  const home = process.env.PULUMI_HOME || join(homedir(), ".pulumi");
  return join(home, "plugins", `resource-dbwebhooks-v${version}`);
}

/** The names of the files that differ between two folders, or exist in only one of them. */
function differencesBetween(expected: string, actual: string): string[] {
  const names = new Set([...readdirSync(expected), ...readdirSync(actual)]);
  return [...names].filter((name) => {
    const files = [join(expected, name), join(actual, name)];
    const [one, other] = files.map((file) =>
      statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : undefined,
    );
    return one === undefined || other === undefined || !one.equals(other);
  });
}

async function assertPulumi(): Promise<void> {
  const found = await pulumi("version");
  const [, major = 0, minor = 0] = /^v?(\d+)\.(\d+)\./.exec(found)?.map(Number) ?? [];
  if (major < minMajor || (major === minMajor && minor < minMinor)) {
    throw new Error(
      `The plugin needs the Pulumi CLI ${minMajor}.${minMinor} or newer, and "pulumi version" prints ${shownValue(found)}. Install a newer one: ${installPage}`,
    );
  }
}

/** Runs Pulumi and returns its standard output, or fails with the last line of its standard error. */
async function pulumi(...args: string[]): Promise<string> {
  try {
    const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
    const { stdout } = await run("pulumi", [...args, "--non-interactive"], { env });
    return stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    throw new Error(
      code === "ENOENT"
        ? `There is no pulumi on PATH. Install the Pulumi CLI ${minMajor}.${minMinor} or newer: ${installPage}`
        : `"pulumi ${args.slice(0, 2).join(" ")}" failed: ${oneLine(stderr.trim().split("\n").at(-1) ?? "", 500)}`,
    );
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
