import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { version } from "../common/version.js";

const run = promisify(execFile);

/** Installs the plugin that this package holds, unless Pulumi has the same version already. */
export async function installPlugin(): Promise<void> {
  const directory = pluginDirectory();
  await refuseOldPulumi();
  const plugin = `The plugin dbwebhooks ${version}`;
  if (await isInstalled()) {
    print(`${plugin} is installed already. "pulumi plugin ls" shows it.`);
    return;
  }
  await pulumi("plugin", "install", "resource", "dbwebhooks", version, "--file", directory);
  print(`${plugin} is installed. "pulumi plugin ls" shows it.`);
}

/** Prints the folder of the plugin, for `Pulumi.yaml` and scripts. */
export async function printPluginPath(): Promise<void> {
  print(pluginDirectory());
}

/** The folder of the plugin. Fails unless it holds the plugin of this package's version. */
function pluginDirectory(): string {
  const directory = join(dirname(require.resolve("pulumi-dbwebhooks/package.json")), "plugin");
  const schemaFile = join(directory, "schema.json");
  const remedy = 'Install pulumi-dbwebhooks again, or run "npm run build:plugin" in a clone.';
  if (!existsSync(join(directory, "pulumi-resource-dbwebhooks")) || !existsSync(schemaFile)) {
    throw new Error(`There is no plugin in ${directory}. ${remedy}`);
  }
  const found = JSON.parse(readFileSync(schemaFile, "utf8")).version;
  if (found !== version) {
    throw new Error(
      `The plugin in ${directory} has version ${found}, but this package has version ${version}. ${remedy}`,
    );
  }
  return directory;
}

const [leastMajor, leastMinor] = [3, 200];

async function refuseOldPulumi(): Promise<void> {
  const found = await pulumi("version");
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(found)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) {
    throw new Error(`"pulumi version" prints no version. Install the Pulumi CLI: ${installPage}`);
  }
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    throw new Error(
      `The plugin needs the Pulumi CLI ${leastMajor}.${leastMinor} or newer, and pulumi on PATH is ${found.trim()}. Install a newer one: ${installPage}`,
    );
  }
}

async function isInstalled(): Promise<boolean> {
  const plugins: { name: string; kind: string; version?: string }[] = JSON.parse(
    await pulumi("plugin", "ls", "--json"),
  );
  return plugins.some(
    (one) => one.name === "dbwebhooks" && one.kind === "resource" && one.version === version,
  );
}

/** Runs Pulumi and returns what it printed, or fails with it. */
async function pulumi(...args: string[]): Promise<string> {
  try {
    const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
    const { stdout } = await run("pulumi", [...args, "--non-interactive"], { env });
    return stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    throw new Error(
      code === "ENOENT"
        ? `There is no pulumi on PATH. Install the Pulumi CLI ${leastMajor}.${leastMinor} or newer: ${installPage}`
        : `"pulumi ${args.slice(0, 2).join(" ")}" failed: ${stderr.trim().split("\n").at(-1)}`,
    );
  }
}

const installPage = "https://www.pulumi.com/docs/install/";

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
