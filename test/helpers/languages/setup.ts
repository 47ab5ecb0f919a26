import type { TestProject } from "vitest/node";
import { buildEnvironment, buildTags } from "../../../tools/pulumi-cli/build.mts";
import { resolvePulumiCli } from "../../../tools/pulumi-cli/resolve.mts";
import { run } from "../commands.js";
import { repository } from "../directory.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether `pulumi package add` works in Python and Go. */
    readonly hasPackageAdd: boolean;
  }
}

/** Vitest's global set-up: gets what programs in Python and Go need, or fails and names what is missing. */
export async function setup({ provide }: TestProject): Promise<void> {
  const missing = await missingTools();
  if (missing.length > 0) {
    throw new Error(`The tests of the languages need ${missing.join(", and ")}.`);
  }
  const pathBefore = process.env.PATH ?? "";
  const cli = await resolvePulumiCli({ languages: ["yaml", "python", "go"] });
  Object.assign(process.env, cli.environment, buildEnvironment, {
    // Built like the CLI, the programs share its compiled modules.
    GOFLAGS: `-trimpath -ldflags=-w -tags=${buildTags.replaceAll(" ", ",")}`,
    // The programs run a few times only.
    PIP_NO_COMPILE: "1",
  });
  // The language hosts that can be built here are too old for it.
  provide("hasPackageAdd", cli.environment.PATH === pathBefore);
}

/** The tools that programs in Python and Go need and the machine does not have. */
async function missingTools(): Promise<string[]> {
  const python = "import sys, ensurepip, venv; assert sys.version_info >= (3, 10), sys.version";
  const tools: [string, string[], string][] = [
    ["python3", ["-c", python], "Python 3.10 or newer with venv"],
    ["go", ["env", "GOVERSION"], "Go"],
  ];
  const problems = tools.map(async ([command, args, name]) => {
    const { exitCode, stderr } = await run(command, args, {
      directory: repository,
    }).catch((error: Error) => ({ exitCode: null, stderr: error.message }));
    return exitCode === 0 ? [] : [`${name} (${stderr.trim().split("\n").at(-1)})`];
  });
  return (await Promise.all(problems)).flat();
}
