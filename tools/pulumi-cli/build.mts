import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { parse } from "semver";
import which from "which";
import { type CachedTool, type TaskContext, userCacheDirectory } from "../cache.mts";

export const buildTags = "osusergo grpcnotrace";

/**
 * The environment for Go. Builds with the same environment share Go's cache of compiled packages.
 */
export const buildEnvironment = {
  GOTOOLCHAIN: "local",
  GOFLAGS: "-trimpath",
  GOWORK: "off",
  GO111MODULE: "on",
  CGO_ENABLED: "0",
  // Empty values mean this machine, even if the user's environment sets a target for
  // cross-compiling.
  GOOS: "",
  GOARCH: "",
};

const inModule = (module: string, file = "") => join(import.meta.dirname, module, file);

/**
 * Runs a program, and kills it together with its children, such as compilers, when it is aborted or
 * times out. Its standard input is a pipe that ends with this process: `installer-process.mts`
 * depends on that.
 */
export const run = execa({ stdin: "pipe", killSignal: "SIGKILL", killDescendants: true });

/** The languages whose hosts can be asked for, in addition to that of Node.js. */
export const languages = ["yaml", "python", "go"] as const;
export type Language = (typeof languages)[number];

/** A build from source with the Go toolchain on PATH. */
interface Recipe {
  /** The directories beside this file with the Go modules whose tools are built. */
  modules: readonly [string, ...string[]];
  /** The pattern of the version in the first module's go.mod. */
  versionPattern: RegExp;
  /** The Go variable that the linker sets to the version. The Automation API requires a version. */
  versionVariable: string;
  programs: readonly string[];
  /** Scripts of the npm package that are copied beside the programs. */
  scripts: readonly string[];
}

const sdkVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
const npmPackage = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
const launcher = `pulumi-resource-pulumi-nodejs${process.platform === "win32" ? ".cmd" : ""}`;

export const programsForNode = [
  "bin/pulumi",
  "bin/pulumi-language-nodejs",
  "bin/pulumi-resource-pulumi-nodejs",
];

// The hosts of one module share nearly all packages: those of Python and Go add 5 s to a first
// build.
const cli: Recipe = {
  modules: ["cli", "language-hosts"],
  versionPattern: /pulumi\/pkg\/v3 v(\S+)/,
  versionVariable: sdkVariable,
  programs: [...programsForNode, "bin/pulumi-language-go", "bin/pulumi-language-python"],
  scripts: [join(npmPackage, launcher)],
};

const yamlHost: Recipe = {
  modules: ["language-yaml"],
  versionPattern: /pulumi-yaml v(\S+)/,
  versionVariable: "github.com/pulumi/pulumi-yaml/pkg/version.Version",
  programs: ["bin/pulumi-language-yaml"],
  scripts: [],
};

/** The version of the CLI that is installed or built, without a `v`. */
export const cliVersion = versionInGoMod("cli", cli.versionPattern);

/** The oldest version of Go that can build the CLI. */
export const requiredGo = versionInGoMod("cli", /^go (\S+)$/m);

/**
 * Returns the CLI as it is built from source, with the language hosts for Node.js, Python and Go.
 */
export const builtCli = (): CachedTool => toolOf("build", "build from source", cli);

/** Returns the build from source that contains the host of a language. */
export const builtLanguageHost = (language: Language): CachedTool =>
  language === "yaml"
    ? toolOf("language-yaml", "build of Pulumi's language host for yaml", yamlHost)
    : builtCli();

/** Returns the version that a Pulumi CLI reports, without the `v`. */
export async function versionOf(command: string, { signal }: TaskContext): Promise<string> {
  const options = { env: { PULUMI_SKIP_UPDATE_CHECK: "true" }, timeout: 15_000 };
  const { stdout } = await run(command, ["version"], { ...options, cancelSignal: signal });
  const version = parse(stdout)?.version;
  if (version === undefined) {
    throw new Error(`it printed no version but ${stdout.slice(0, 100)}`);
  }
  return version;
}

/**
 * Returns the directory of a tool. Its name changes with everything that the tool's files depend
 * on.
 */
export function directoryOf(name: string, version: string, fingerprint: string): string {
  const parts = [name, version, process.platform, process.arch, fingerprint];
  return join(userCacheDirectory(), "pulumi-cli", parts.join("-"));
}

function toolOf(name: string, title: string, recipe: Recipe): CachedTool {
  const { modules, programs, scripts } = recipe;
  const version = versionInGoMod(modules[0], recipe.versionPattern);
  const flags = ["-tags", buildTags, "-ldflags", `-s -w -X ${recipe.versionVariable}=v${version}`];
  const moduleFiles = modules.flatMap((module) => [
    inModule(module, "go.mod"),
    inModule(module, "go.sum"),
  ]);
  const hash = createHash("sha256");
  for (const file of [...moduleFiles, ...scripts]) {
    hash.update(readFileSync(file));
  }
  hash.update(JSON.stringify([["build", ...flags], buildEnvironment]));
  return {
    title,
    directory: directoryOf(name, version, hash.digest("hex").slice(0, 12)),
    programs,
    install: async (directory, context) => {
      if (!(await which("go", { nothrow: true }))) {
        throw new Error("there is no go on PATH");
      }
      context.say(
        `${title}, once for this machine: takes minutes, unless Go's cache has the packages`,
      );
      for (const module of modules) {
        await buildModule(module, flags, directory, context);
      }
      const executor = recipe === cli ? [await pythonExecutor(context)] : [];
      for (const script of [...scripts, ...executor]) {
        const copy = join(directory, "bin", basename(script));
        copyFileSync(script, copy);
        chmodSync(copy, 0o755);
      }
      if (recipe === cli) {
        await checkVersion(directory, context);
      }
    },
  };
}

async function buildModule(
  module: string,
  flags: readonly string[],
  directory: string,
  { say, signal }: TaskContext,
): Promise<void> {
  // Go leaves its temporary files behind when it is killed, so they are in a directory that is
  // removed then.
  const temporary = join(directory, "tmp");
  mkdirSync(temporary);
  let compiled = 0;
  const ticker = setInterval(() => say(`${module}: ${compiled} packages compiled so far`), 15_000);
  try {
    await run("go", ["build", "-v", ...flags, "-o", join(directory, "bin/"), "tool"], {
      cwd: inModule(module),
      env: { ...buildEnvironment, GOTMPDIR: temporary },
      stderr: function* (line: unknown) {
        // `-v` prints one import path per line. Errors contain a space or start with "#".
        if (/^[^\s#:]+$/.test(String(line))) {
          compiled += 1;
        } else {
          yield line;
        }
      },
      timeout: 30 * 60_000,
      cancelSignal: signal,
    });
  } finally {
    clearInterval(ticker);
  }
  rmSync(temporary, { recursive: true });
}

/**
 * Finds the script with which the host for Python runs a program, and which it expects in its own
 * directory.
 */
async function pythonExecutor({ signal }: TaskContext): Promise<string> {
  const args = ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
  const options = { cwd: inModule("language-hosts"), env: buildEnvironment, timeout: 60_000 };
  const { stdout: sdk } = await run("go", args, { ...options, cancelSignal: signal });
  return join(sdk, "python/cmd/pulumi-language-python-exec");
}

/** Fails if the CLI in a directory does not report the pinned version. */
export async function checkVersion(directory: string, context: TaskContext): Promise<void> {
  const version = await versionOf(join(directory, "bin", "pulumi"), context);
  if (version !== cliVersion) {
    throw new Error(`it reports version ${version}, not ${cliVersion}`);
  }
}

function versionInGoMod(module: string, pattern: RegExp): string {
  const found = pattern.exec(readFileSync(inModule(module, "go.mod"), "utf8"))?.[1];
  if (found === undefined) {
    throw new Error(`${module}/go.mod has no version that matches ${pattern}`);
  }
  return found;
}
