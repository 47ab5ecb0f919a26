import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The Go module that the CLI is built from, and the one of its language host for Node. */
export const modules = {
  cli: join(import.meta.dirname, "cli"),
  languageNodejs: join(import.meta.dirname, "language-nodejs"),
};

const cliModule = readFileSync(join(modules.cli, "go.mod"), "utf8");

/** The version that is installed or built: the one that `cli/go.mod` requires, without a `v`. */
export const pinnedVersion = pin(/github\.com\/pulumi\/pulumi\/pkg\/v3 v(\d+\.\d+\.\d+)/);

/** The lowest version of Go that builds it, from `cli/go.mod`. */
export const requiredGo = pin(/^go (\d+\.\d+(?:\.\d+)?)$/m);

/** What a `pulumi` found on PATH has to be. A new major version is another program to us. */
export const acceptedVersions = ">=3.200.0 <4.0.0";

function pin(pattern: RegExp): string {
  const found = pattern.exec(cliModule)?.[1];
  if (found === undefined) throw new Error(`tools/pulumi-cli/cli/go.mod has no ${pattern}`);
  return found;
}
