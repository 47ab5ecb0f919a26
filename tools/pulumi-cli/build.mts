import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { parse } from "semver";
import which from "which";
import { type Copy, type CopyContext, userCacheDirectory } from "./cache.mts";

/** The build tags for Go. */
export const buildTags = "osusergo grpcnotrace";

/** The environment for Go. Programs that are built with the same one share compiled modules. */
export const buildEnvironment = {
  GOTOOLCHAIN: "local",
  GOFLAGS: "-trimpath",
  GOWORK: "off",
  GO111MODULE: "on",
  CGO_ENABLED: "0",
  // Empty values mean this machine, even if the user's environment sets a target for cross-compiling.
  GOOS: "",
  GOARCH: "",
};

const inModule = (module: string, file = "") => join(import.meta.dirname, module, file);

/** Kills a program together with its children, such as compilers or the download of a script. */
const run = execa({ stdin: "pipe", killSignal: "SIGKILL", killDescendants: true });

/** The languages whose hosts are built only on request. */
export const languages = ["yaml", "python", "go"] as const;
export type Language = (typeof languages)[number];

/** A build from source with the Go toolchain on PATH. */
interface Recipe {
  /** The directories beside this file with the Go modules whose tools are built. */
  modules: readonly [string, ...string[]];
  /** The pattern of the version in the first module's go.mod. */
  pin: RegExp;
  /** The Go variable that receives the version, which the Automation API requires. */
  variable: string;
  programs: readonly string[];
  /** Scripts of the npm package that are copied beside the programs. */
  scripts: readonly string[];
}

const sdkVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
const npmPackage = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
const launcher = `pulumi-resource-pulumi-nodejs${process.platform === "win32" ? ".cmd" : ""}`;

const cli: Recipe = {
  modules: ["cli", "language-nodejs"],
  pin: /pulumi\/pkg\/v3 v(\S+)/,
  variable: sdkVariable,
  programs: ["bin/pulumi", "bin/pulumi-language-nodejs", "bin/pulumi-resource-pulumi-nodejs"],
  scripts: [join(npmPackage, launcher)],
};

/** The version of the CLI that is installed or built, without a `v`. */
export const cliVersion = pinIn("cli", cli.pin);

/** The oldest version of Go that can build the CLI. */
export const requiredGo = pinIn("cli", /^go (\S+)$/m);

/** The copy of the CLI that is built from source, with the host for TypeScript and JavaScript. */
export const cliBuild = (): Copy => copyOf("build", "build from source", cli);

/** The copy of the host of a language. */
export function languageBuild(language: Language): Copy {
  const module = `language-${language}`;
  const recipe = { modules: [module], programs: [`bin/pulumi-${module}`], scripts: [] } as const;
  const version =
    language === "yaml"
      ? { pin: /pulumi-yaml v(\S+)/, variable: "github.com/pulumi/pulumi-yaml/pkg/version.Version" }
      : { pin: /pulumi\/sdk\/v3 v(\S+)/, variable: sdkVariable };
  return copyOf(module, `build of Pulumi's language host for ${language}`, {
    ...recipe,
    ...version,
  });
}

/** The copy that Pulumi's official installer creates, in a process that can be killed. */
export function cliInstallation(): Copy {
  return {
    title: "official installer",
    directory: directoryOf("installer", cliVersion, "official"),
    programs: cli.programs,
    make: async (directory, context) => {
      context.say(`official installer of Pulumi ${cliVersion}: this takes at most 5 minutes`);
      const program = join(import.meta.dirname, "installer-process.mts");
      await run(process.execPath, [program, cliVersion, directory], {
        // Without this variable, fetch of Node.js ignores HTTPS_PROXY; curl respects it anyway.
        env: { NODE_USE_ENV_PROXY: "1" },
        timeout: 5 * 60_000,
        cancelSignal: context.signal,
      });
      await checkVersion(directory, context);
    },
  };
}

/** Returns the version that a Pulumi CLI reports, without the `v`. */
export async function versionOf(command: string, { signal }: CopyContext): Promise<string> {
  const options = { env: { PULUMI_SKIP_UPDATE_CHECK: "true" }, timeout: 15_000 };
  const { stdout } = await run(command, ["version"], { ...options, cancelSignal: signal });
  const version = parse(stdout)?.version;
  if (version === undefined) throw new Error(`its version is not one: ${stdout.slice(0, 100)}`);
  return version;
}

/** Returns the directory of a copy. Its name holds everything that the copy depends on. */
function directoryOf(name: string, version: string, fingerprint: string): string {
  const parts = [name, version, process.platform, process.arch, fingerprint];
  return join(userCacheDirectory(), "pulumi-cli", parts.join("-"));
}

function copyOf(name: string, title: string, recipe: Recipe): Copy {
  const { modules, programs, scripts } = recipe;
  const version = pinIn(modules[0], recipe.pin);
  const flags = ["-tags", buildTags, "-ldflags", `-s -w -X ${recipe.variable}=v${version}`];
  const pins = modules.flatMap((module) => [
    inModule(module, "go.mod"),
    inModule(module, "go.sum"),
  ]);
  const hash = createHash("sha256");
  for (const file of [...pins, ...scripts]) hash.update(readFileSync(file));
  hash.update(JSON.stringify([["build", ...flags], buildEnvironment]));
  return {
    title,
    directory: directoryOf(name, version, hash.digest("hex").slice(0, 12)),
    programs,
    make: async (directory, context) => {
      if (!(await which("go", { nothrow: true }))) throw new Error("there is no go on PATH");
      context.say(`${title}, once for this machine: some minutes where Go has compiled none of it`);
      for (const module of modules) await buildModule(module, flags, directory, context);
      const executor = modules[0] === "language-python" ? [await pythonExecutor(context)] : [];
      for (const script of [...scripts, ...executor]) {
        const copy = join(directory, "bin", basename(script));
        copyFileSync(script, copy);
        chmodSync(copy, 0o755);
      }
      if (recipe === cli) await checkVersion(directory, context);
    },
  };
}

async function buildModule(
  module: string,
  flags: readonly string[],
  directory: string,
  { say, signal }: CopyContext,
): Promise<void> {
  // A killed Go leaves its temporary files behind, so they are kept in the directory that is removed.
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
        if (/^[^\s#:]+$/.test(String(line))) compiled += 1;
        else yield line;
      },
      timeout: 30 * 60_000,
      cancelSignal: signal,
    });
  } finally {
    clearInterval(ticker);
  }
  rmSync(temporary, { recursive: true });
}

/** Finds the script that runs a program, which the host for Python expects in its own directory. */
async function pythonExecutor({ signal }: CopyContext): Promise<string> {
  const args = ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
  const options = { cwd: inModule("language-python"), env: buildEnvironment, timeout: 60_000 };
  const { stdout: sdk } = await run("go", args, { ...options, cancelSignal: signal });
  return join(sdk, "python/cmd/pulumi-language-python-exec");
}

async function checkVersion(directory: string, context: CopyContext): Promise<void> {
  const version = await versionOf(join(directory, "bin", "pulumi"), context);
  if (version !== cliVersion) throw new Error(`it gave version ${version}, not ${cliVersion}`);
}

function pinIn(module: string, pattern: RegExp): string {
  const found = pattern.exec(readFileSync(inModule(module, "go.mod"), "utf8"))?.[1];
  if (found === undefined) throw new Error(`${module}/go.mod has no ${pattern}`);
  return found;
}
