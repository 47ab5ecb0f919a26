import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { coerce, gte } from "semver";
import { type ChildOptions, outputOf } from "./child.mts";
import type { CopyContext } from "./copies.mts";
import {
  type Language,
  languageModules,
  languageVersions,
  modules,
  pinnedVersion,
  requiredGo,
} from "./pins.mts";
import { BuildProgress } from "./progress.mts";

/** Part of how Go builds here. */
export const buildTags = "osusergo grpcnotrace";

const buildLimitSeconds = 30 * 60;

/** A line for each package that Go's build cache does not have. */
const stalePackages =
  '{{if and .Stale (ne .StaleReason "not installed but available in build cache")}}stale{{end}}';

// Without a stamp there is no version, and the Automation API parses that of the CLI.
const cliStamp = `github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${pinnedVersion}`;
const languageStamps: Readonly<Record<Language, string>> = {
  yaml: `github.com/pulumi/pulumi-yaml/pkg/version.Version=v${languageVersions.yaml}`,
  python: `github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${languageVersions.python}`,
  go: `github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${languageVersions.go}`,
};

/** What the host for Python needs beside itself. */
export const pythonExecutor = "pulumi-language-python-exec";

/** How Go builds here. Programs that are built alike share the compiled modules. */
export const buildEnvironment = {
  GOTOOLCHAIN: "local",
  GOFLAGS: "-trimpath",
  GOWORK: "off",
  GO111MODULE: "on",
  CGO_ENABLED: "0",
  // Empty is "this machine", whatever the user cross-compiles for.
  GOOS: "",
  GOARCH: "",
};

/** Changes with everything that changes what `buildFromSource` makes. */
export function buildFingerprint(): string {
  return fingerprintOf(Object.values(modules), resourceScripts(), cliStamp);
}

/** Changes with everything that changes what `buildLanguageHost` makes. */
export function languageFingerprint(language: Language): string {
  return fingerprintOf([languageModules[language]], [], languageStamps[language]);
}

/**
 * Builds the CLI and its language host for Node with the Go toolchain on PATH, into `bin` of
 * `directory`, and puts the dynamic provider's launcher of `@pulumi/pulumi` beside them.
 */
export async function buildFromSource(directory: string, context: CopyContext): Promise<void> {
  await buildTools(directory, context, {
    what:
      `the Pulumi CLI ${pinnedVersion} from source, once for this machine: typically 3 to 5 ` +
      "minutes on two cores, well under one when Go has the modules compiled already",
    parts: { "the CLI": modules.cli, "its language host": modules.languageNodejs },
    stamp: cliStamp,
  });
  for (const script of resourceScripts()) copyScript(script, directory);
}

/** Builds a language host with the Go toolchain on PATH, into `bin` of `directory`. */
export async function buildLanguageHost(
  language: Language,
  directory: string,
  context: CopyContext,
): Promise<void> {
  await buildTools(directory, context, {
    what:
      `Pulumi's language host for ${language} ${languageVersions[language]} from source, once for ` +
      "this machine: typically up to 2 minutes on two cores",
    parts: { "the language host": languageModules[language] },
    stamp: languageStamps[language],
  });
  if (language === "python") await copyPythonExecutor(directory, context);
}

/** The script that runs a program in Python: the host looks for it beside itself. */
async function copyPythonExecutor(directory: string, context: CopyContext): Promise<void> {
  const sdk = await go(
    ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"],
    context,
    {
      cwd: languageModules.python,
      limitSeconds: 60,
    },
  );
  copyScript(join(sdk.trim(), "python/cmd", pythonExecutor), directory);
}

/** Puts a script beside what was built. */
function copyScript(script: string, directory: string): void {
  const copy = join(directory, "bin", basename(script));
  copyFileSync(script, copy);
  chmodSync(copy, 0o755);
}

interface Tools {
  /** For the line that says what takes so long. */
  what: string;
  /** What is built, and the directory of the Go module whose tools it is. */
  parts: Readonly<Record<string, string>>;
  /** The Go variable that gets the version, and the version. */
  stamp: string;
}

async function buildTools(
  directory: string,
  context: CopyContext,
  { what, parts, stamp }: Tools,
): Promise<void> {
  await checkGo(context);
  // Go leaves its temporary files behind when it is killed; in here they go with the rest.
  const temporary = join(directory, "tmp");
  mkdirSync(temporary);

  context.say(`building ${what}`);
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  let progress: BuildProgress | undefined;
  const ticker = setInterval(() => context.say(`${progress}, ${elapsed()}`), 15_000);
  try {
    for (const [name, module] of Object.entries(parts)) {
      progress = new BuildProgress(name);
      await buildModule(module, stamp, { directory, temporary, progress, context });
    }
  } catch (error) {
    if (context.signal?.aborted) {
      context.say(`stopped: ${progress}, ${elapsed()}`);
      context.say("what is compiled so far is kept: the next build goes on from there");
    }
    throw error;
  } finally {
    clearInterval(ticker);
  }
  rmSync(temporary, { recursive: true });
  context.say(`built in ${elapsed()}`);
}

interface ModuleBuild {
  directory: string;
  temporary: string;
  progress: BuildProgress;
  context: CopyContext;
}

async function buildModule(
  module: string,
  stamp: string,
  { directory, temporary, progress, context }: ModuleBuild,
): Promise<void> {
  const options = {
    cwd: module,
    limitSeconds: buildLimitSeconds,
    env: { GOTMPDIR: temporary },
    onErrorLine: (line: string) => progress.note(line),
  };
  const list = ["list", "-deps", ...buildFlags(stamp), "-f", stalePackages, "tool"];
  progress.total = (await go(list, context, options)).split("\n").filter(Boolean).length;
  const output = ["-o", `${join(directory, "bin")}/`];
  await go(["build", "-v", ...buildFlags(stamp), ...output, "tool"], context, options);
}

function buildFlags(stamp: string): string[] {
  return ["-tags", buildTags, "-ldflags", `-s -w -X ${stamp}`];
}

function fingerprintOf(
  modules: readonly string[],
  scripts: readonly string[],
  stamp: string,
): string {
  const hash = createHash("sha256");
  for (const directory of modules) {
    for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(directory, file)));
  }
  for (const script of scripts) hash.update(readFileSync(script));
  hash.update(JSON.stringify([["build", ...buildFlags(stamp)], buildEnvironment]));
  return hash.digest("hex").slice(0, 12);
}

async function checkGo(context: CopyContext): Promise<void> {
  // Outside of any module: inside one, a Go that is too old answers with an error of its own.
  const options = { cwd: tmpdir(), limitSeconds: 30 };
  const answer = await go(["env", "GOVERSION"], context, options).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error("there is no go on PATH");
  });
  // "go1.26.8", "go1.27rc1", "devel go1.28-abcdef"
  const version = coerce(/go(\d+\.\d+(?:\.\d+)?)/.exec(answer)?.[1]);
  if (version === null) {
    throw new Error(`go env GOVERSION answers ${JSON.stringify(answer.trim().slice(0, 100))}`);
  }
  if (!gte(version, coerce(requiredGo) ?? requiredGo)) {
    throw new Error(`it needs Go ${requiredGo} or newer, and the go on PATH is ${answer.trim()}`);
  }
}

async function go(
  args: readonly string[],
  context: CopyContext,
  options: ChildOptions,
): Promise<string> {
  const env = { ...context.environment, ...buildEnvironment, ...options.env };
  return outputOf("go", args, { ...options, env, signal: context.signal });
}

/** The dynamic provider's launchers for this platform, from the npm package. */
function resourceScripts(): string[] {
  const root = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  const script = join(root, "pulumi-resource-pulumi-nodejs");
  return process.platform === "win32" ? [`${script}.cmd`] : [script];
}
