import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildEnvironment, buildTags } from "../../../tools/pulumi-cli/build.mts";
import { resolvePulumiCli } from "../../../tools/pulumi-cli/resolve.mts";
import { temporaryDirectory } from "../directory.js";
import { run } from "../pulumi.js";

declare module "vitest" {
  interface ProvidedContext {
    readonly languages: {
      /** A Python that has the SDK of Pulumi. */
      readonly python: string;
      /** The PATH without the language hosts for Python and Go, unless the CLI is beside them. */
      readonly pathWithoutHosts: string;
      /** Whether `pulumi package add` works in Python and Go. */
      readonly hasPackageAdd: boolean;
    };
  }
}

const repository = join(__dirname, "../../..");

/** Vitest's global set-up: gets what programs in Python and Go need, or fails and names what is missing. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const missing = await missingTools();
  if (missing.length > 0) {
    throw new Error(`The tests of the languages need ${missing.join(", and ")}.`);
  }
  const pathWithoutHosts = process.env.PATH ?? "";
  const cli = await resolvePulumiCli({ languages: ["yaml", "python", "go"] });
  Object.assign(process.env, cli.environment, buildEnvironment, {
    // Built like the CLI, the programs share its compiled modules, and each other's in any directory.
    GOFLAGS: `-trimpath -ldflags=-w -tags=${buildTags.replaceAll(" ", ",")}`,
    // The programs run a few times only.
    PIP_NO_COMPILE: "1",
  });
  await succeed(process.execPath, [join(repository, "tools/plugin/pack.mts")]);

  const root = temporaryDirectory();
  const python = join(root.path, "venv/bin/python");
  const requirements = join(repository, "examples/python/requirements.txt");
  await succeed("python3", ["-m", "venv", join(root.path, "venv")]);
  await succeed(python, ["-m", "pip", "install", "--quiet", "-r", requirements]);
  provide("languages", {
    python,
    pathWithoutHosts,
    // Those that can be built here are too old for it.
    hasPackageAdd: cli.environment.PATH === pathWithoutHosts,
  });
  return () => root.remove();
}

/** What programs in Python and Go need and the machine does not have. */
export async function missingTools(
  environment: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const tools: readonly (readonly [string, readonly string[], string])[] = [
    [
      "python3",
      ["-c", "import sys, ensurepip, venv; assert sys.version_info >= (3, 10), sys.version"],
      "Python 3.10 or newer with venv",
    ],
    ["go", ["env", "GOVERSION"], "Go"],
  ];
  const problems = await Promise.all(
    tools.map(async ([command, args, name]) => {
      const { exitCode, stderr } = await run(command, args, {
        directory: repository,
        environment,
      }).catch((error: Error) => ({ exitCode: null, stderr: error.message }));
      return exitCode === 0 ? [] : [`${name} (${stderr.trim().split("\n").at(-1)})`];
    }),
  );
  return problems.flat();
}

/** Runs a command of the set-up, and fails with what it printed. */
async function succeed(command: string, args: readonly string[]): Promise<void> {
  const { exitCode, output } = await run(command, args, { directory: repository });
  if (exitCode !== 0) {
    throw new Error(`${command} ${args.join(" ")}\n${output}`);
  }
}
