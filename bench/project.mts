import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { hermeticEnvironment } from "../tools/pulumi-cli/environment.mts";
import type { PulumiCli } from "../tools/pulumi-cli/resolve.mts";
import type { Contender } from "./contenders.mts";

const repository = join(import.meta.dirname, "..");

/** A contender's program and its stack, ready to be measured. */
export interface Project {
  readonly pulumi: string;
  /** The working directory of the commands and of the provider. */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly stateFile: string;
}

interface ProjectOptions {
  /** An empty directory for the project, its state and Pulumi's settings. */
  readonly root: string;
  readonly count: number;
  readonly service: LocalService;
}

/** Writes a project with a contender's program, and creates its stack in a backend of its own. */
export async function openProject(
  cli: PulumiCli,
  { file, program, plugin }: Contender,
  { root, count, service }: ProjectOptions,
): Promise<Project> {
  const directory = join(root, "program");
  const modules = join(directory, "node_modules");
  await mkdir(join(modules, "@pulumi"), { recursive: true });
  await symlink(repository, join(modules, "pulumi-dbwebhooks"));
  await symlink(join(repository, "node_modules/@pulumi/pulumi"), join(modules, "@pulumi/pulumi"));
  const isYaml = file === "Pulumi.yaml";
  const nodejs = "{ name: nodejs, options: { typescript: false } }";
  const settings = `name: bench
runtime: ${isYaml ? "yaml" : nodejs}
${plugin ? `plugins: { providers: [{ name: dbwebhooks, path: ${JSON.stringify(plugin)} }] }` : ""}
`;
  const files = {
    "package.json": `{ "main": "${file}" }\n`,
    "Pulumi.yaml": isYaml ? settings + program(count) : settings,
    ...(isYaml ? {} : { [file]: program(count) }),
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text);
  }
  const environment = {
    ...process.env,
    ...(await hermeticEnvironment(root)),
    ...cli.environment,
    PATH: await pathWithoutTypeScript(cli, join(root, "bin")),
    // Otherwise the user's environment decides whether the state is compressed.
    PULUMI_DIY_BACKEND_GZIP: "false",
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
  };
  await promisify(execFile)(cli.command, ["stack", "init", "bench", "--non-interactive"], {
    cwd: directory,
    env: environment,
  });
  const stateFile = join(root, "state/.pulumi/stacks/bench/bench.json");
  return { pulumi: cli.command, directory, environment, stateFile };
}

/**
 * Returns a PATH with a wrapper of the language host that turns TypeScript off, because the host of
 * a CLI that was built from source ignores the option in `Pulumi.yaml`.
 */
async function pathWithoutTypeScript(cli: PulumiCli, directory: string): Promise<string> {
  const { PATH = "" } = cli.environment;
  if (cli.source !== "build") {
    return PATH;
  }
  await mkdir(directory);
  const host = join(dirname(cli.command), "pulumi-language-nodejs");
  await writeFile(
    join(directory, "pulumi-language-nodejs"),
    `#!/bin/sh\nexec '${host}' -typescript=false "$@"\n`,
    { mode: 0o755 },
  );
  return [directory, PATH].join(delimiter);
}
