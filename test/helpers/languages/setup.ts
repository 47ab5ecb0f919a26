import type { TestProject } from "vitest/node";
import which from "which";
import { buildEnvironment, buildTags, builtCli } from "../../../tools/pulumi-cli/build.mts";
import { resolvePulumiCli } from "../../../tools/pulumi-cli/resolve.mts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether `pulumi package add` works in Python and Go. */
    readonly hasPackageAdd: boolean;
  }
}

/** Vitest's global set-up: gets the hosts that programs in Python and Go need, or fails. */
export async function setup({ provide }: TestProject): Promise<void> {
  const cli = await resolvePulumiCli({ languages: ["yaml", "python", "go"] });
  Object.assign(process.env, cli.environment, buildEnvironment, {
    // Built like the CLI, the programs share its compiled modules.
    GOFLAGS: `-trimpath -ldflags=-w -tags=${buildTags.replaceAll(" ", ",")}`,
    // The programs run a few times only.
    PIP_NO_COMPILE: "1",
  });
  const host = await which("pulumi-language-go", { path: cli.environment.PATH ?? "" });
  // The language hosts that can be built here are too old for it.
  provide("hasPackageAdd", !host.startsWith(builtCli().directory));
}
