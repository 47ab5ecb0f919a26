import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { hermeticEnvironment } from "../tools/pulumi-cli/environment.mts";
import type { PulumiCli } from "../tools/pulumi-cli/resolve.mts";
import type { Project, ProjectOptions, Step } from "./project.mts";
import type { PulumiProgram } from "./pulumi-programs.mts";

const repository = join(import.meta.dirname, "..");

const pluginName = "pulumi-resource-dbwebhooks";

const commands: Readonly<Record<Step, readonly string[]>> = {
  up: ["up", "--skip-preview"],
  "no-op up": ["up", "--skip-preview"],
  refresh: ["refresh", "--skip-preview"],
  destroy: ["destroy", "--skip-preview"],
};

/** What differs from how Pulumi runs by itself. */
export interface PulumiSettings {
  readonly environment?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Whether the backend compresses the state. Default: false. */
  readonly gzip?: boolean;
  /** Whether Pulumi's language host loads TypeScript, as it does unless told. Default: false. */
  readonly typescript?: boolean;
}

/** Writes a project with a program, and makes its stack in a backend of its own. */
export async function openPulumiProject(
  cli: PulumiCli,
  program: PulumiProgram,
  { root, count, service }: ProjectOptions,
  { environment: extra, args = [], gzip = false, typescript = false }: PulumiSettings = {},
): Promise<Project> {
  const directory = join(root, "program");
  const isYaml = program.file === "Pulumi.yaml";
  const runtime = isYaml ? "yaml" : `{ name: nodejs, options: { typescript: ${typescript} } }`;
  await mkdir(directory);
  await writeFile(
    join(directory, "Pulumi.yaml"),
    `name: bench\nruntime: ${runtime}\n${pluginsOf(program)}${isYaml ? program.text(count) : ""}`,
  );
  if (!isYaml) {
    await writeProgram(directory, program, count);
  }
  const environment = {
    ...process.env,
    ...(await hermeticEnvironment(root)),
    ...cli.environment,
    PATH: typescript ? cli.environment.PATH : await pathWithoutTypeScript(cli, join(root, "bin")),
    PULUMI_DIY_BACKEND_GZIP: String(gzip),
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
    ...extra,
  };
  await promisify(execFile)(cli.command, ["stack", "init", "bench", "--non-interactive"], {
    cwd: directory,
    env: environment,
  });
  return {
    directory,
    environment,
    command: (step) => [cli.command, ...commands[step], "--yes", "--non-interactive", ...args],
    isProvider: (commandLine) =>
      commandLine.includes(
        program.plugin !== undefined ? pluginName : "/cmd/dynamic-provider/index.js",
      ),
    stateFile: join(root, `state/.pulumi/stacks/bench/bench.json${gzip ? ".gz" : ""}`),
  };
}

function pluginsOf({ plugin }: PulumiProgram): string {
  return plugin === undefined
    ? ""
    : `plugins:\n  providers: [{ name: dbwebhooks, path: ${JSON.stringify(plugin)} }]\n`;
}

/** A path on which the language host that is built here, which reads no options, finds one. */
async function pathWithoutTypeScript(cli: PulumiCli, directory: string): Promise<string> {
  const { PATH = "" } = cli.environment;
  if (cli.source !== "build") {
    return PATH;
  }
  await mkdir(directory);
  await writeFile(
    join(directory, "pulumi-language-nodejs"),
    `#!/bin/sh\nexec '${join(dirname(cli.command), "pulumi-language-nodejs")}' -typescript=false "$@"\n`,
    { mode: 0o755 },
  );
  return [directory, PATH].join(delimiter);
}

async function writeProgram(
  directory: string,
  { file = "index.js", text, packages = {} }: PulumiProgram,
  count: number,
): Promise<void> {
  const modules = join(directory, "node_modules");
  await mkdir(join(modules, "@pulumi"), { recursive: true });
  await symlink(repository, join(modules, "pulumi-dbwebhooks"));
  await symlink(join(repository, "node_modules/@pulumi/pulumi"), join(modules, "@pulumi/pulumi"));
  for (const [name, packageText] of Object.entries(packages)) {
    await mkdir(join(modules, name));
    await writeFile(join(modules, name, "index.js"), packageText);
  }
  await writeFile(join(directory, "package.json"), `{ "main": "${file}" }\n`);
  await writeFile(join(directory, file), text(count));
  if (file.endsWith(".ts")) {
    const compilerOptions = { module: "node16", moduleResolution: "node16", strict: true };
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  }
}
