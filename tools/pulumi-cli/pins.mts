import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The Go module that the CLI is built from, and the one of its language host for Node. */
export const modules = {
  cli: join(import.meta.dirname, "cli"),
  languageNodejs: join(import.meta.dirname, "language-nodejs"),
};

/** The Go modules of the language hosts that are built only for those who ask for them. */
export const languageModules = {
  yaml: join(import.meta.dirname, "language-yaml"),
  python: join(import.meta.dirname, "language-python"),
  go: join(import.meta.dirname, "language-go"),
};

/** A language whose host is not part of every copy. */
export type Language = keyof typeof languageModules;

/** The version that is installed or built: the one that `cli/go.mod` requires, without a `v`. */
export const pinnedVersion = pin(
  modules.cli,
  /github\.com\/pulumi\/pulumi\/pkg\/v3 v(\d+\.\d+\.\d+)/,
);

const sdk = /github\.com\/pulumi\/pulumi\/sdk\/v3 v(\d+\.\d+\.\d+)/;

/** The versions of the language hosts, without a `v`. */
export const languageVersions: Readonly<Record<Language, string>> = {
  yaml: pin(languageModules.yaml, /github\.com\/pulumi\/pulumi-yaml v(\d+\.\d+\.\d+)/),
  python: pin(languageModules.python, sdk),
  go: pin(languageModules.go, sdk),
};

/** The lowest version of Go that builds them, from `cli/go.mod`. */
export const requiredGo = pin(modules.cli, /^go (\d+\.\d+(?:\.\d+)?)$/m);

/** What a `pulumi` found on PATH has to be. A new major version is another program to us. */
export const acceptedVersions = ">=3.200.0 <4.0.0";

function pin(module: string, pattern: RegExp): string {
  const file = join(module, "go.mod");
  const found = pattern.exec(readFileSync(file, "utf8"))?.[1];
  if (found === undefined) throw new Error(`${file} has no ${pattern}`);
  return found;
}
