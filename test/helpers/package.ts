import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { writeJson } from "./directory.js";
import { run } from "./pulumi.js";

const repository = join(__dirname, "../..");

/** Packs this package as it was built, and returns the path of the tarball. */
export async function packInto(directory: string): Promise<string> {
  // Without its scripts: they build again, in the middle of other tests that use what was built.
  const { stdout } = await succeed(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", directory],
    { directory: repository },
  );
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return join(directory, packed.filename);
}

/** Runs a command and fails with everything it said unless it succeeds. */
export async function succeed(
  ...command: Parameters<typeof run>
): Promise<Awaited<ReturnType<typeof run>>> {
  const result = await run(...command);
  expect(result.exitCode, `${command[0]} ${command[1].join(" ")}\n${result.output}`).toBe(0);
  return result;
}

/** Writes files by their paths below a directory; values that are no strings as JSON. */
export async function writeFiles(
  directory: string,
  files: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await (typeof content === "string" ? writeFile(file, content) : writeJson(file, content));
  }
}

/** A program that uses the packed package. */
export interface Consumer {
  readonly program: string;
  readonly service: LocalService;
  readonly environment: Readonly<Record<string, string>>;
  /** The words that run the CLI. Default: `pulumi`. */
  readonly pulumi?: readonly [string, ...string[]];
}

/** Creates the webhook of a program on the real CLI, reads its secret, and deletes it. */
export async function expectUpAndDestroy({
  program,
  service,
  environment,
  pulumi: [command, ...words] = ["pulumi"],
}: Consumer): Promise<void> {
  await writeFiles(program, { "Pulumi.yaml": "name: consumer\nruntime: nodejs\n" });
  const stack = `test-${basename(program)}`;
  const pulumi = (...more: string[]) =>
    succeed(command, [...words, ...more, "--stack", stack, "--non-interactive"], {
      directory: program,
      environment,
    });

  await pulumi("stack", "init");
  await pulumi("up", "--yes", "--skip-preview");
  expect(service.webhooks).toHaveLength(1);
  const { stdout } = await pulumi("stack", "output", "ordersSecret", "--show-secrets");
  expect(stdout.trim()).toBe(service.webhooks[0]?.secret);

  await pulumi("destroy", "--yes", "--skip-preview");

  expect(service.webhooks).toEqual([]);
}

/** Yarn asks the same registry as npm, in the same way, but does not read npm's configuration. */
export async function yarnEnvironment(): Promise<Record<string, string>> {
  const registry = await npmSetting("registry");
  const certificates = await npmSetting("cafile");
  return {
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    YARN_ENABLE_TELEMETRY: "false",
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
    ...(certificates !== "null" && { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

async function npmSetting(name: string): Promise<string> {
  const { stdout } = await succeed("npm", ["config", "get", name], { directory: repository });
  return stdout.trim();
}
