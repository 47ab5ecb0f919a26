import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { parse } from "semver";
import which from "which";
import { type Copy, type CopyContext, userCacheDirectory } from "./cache.mts";

/** Part of how Go builds here. */
export const buildTags = "osusergo grpcnotrace";

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

const inModule = (module: string, file = "") => join(import.meta.dirname, module, file);

/** Killed, a program takes along what it has started: the compilers, or the download of a script. */
const run = execa({ stdin: "pipe", killSignal: "SIGKILL", killDescendants: true });

/** The languages whose hosts are built only for those who ask for them. */
export const languages = ["yaml", "python", "go"] as const;
export type Language = (typeof languages)[number];

/** What is built from source, with the Go toolchain on PATH. */
interface Recipe {
  /** Directories beside this file with Go modules, whose tools are built. */
  modules: readonly [string, ...string[]];
  /** Where the first of them has the version. */
  pin: RegExp;
  /** The Go variable that gets the version. Without it the Automation API finds none. */
  variable: string;
  programs: readonly string[];
  /** Scripts of the npm package that are put beside the programs. */
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

/** The lowest version of Go that builds it. An older one says so itself. */
export const requiredGo = pinIn("cli", /^go (\S+)$/m);

/** The copy of the CLI that is built, with what programs in TypeScript and JavaScript need. */
export const cliBuild = (): Copy => copyOf("build", "build from source", cli);

/** The copy of a language's host. */
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

/** The copy that Pulumi's official installer makes, in a process that can be killed. */
export function cliInstallation(): Copy {
  return {
    title: "official installer",
    directory: directoryOf("installer", cliVersion, "official"),
    programs: cli.programs,
    make: async (directory, context) => {
      context.say(`official installer of Pulumi ${cliVersion}: this takes at most 5 minutes`);
      const program = join(import.meta.dirname, "installer-process.mts");
      await run(process.execPath, [program, cliVersion, directory], {
        // Node's own fetch looks at HTTPS_PROXY only when told to; curl always does.
        env: { NODE_USE_ENV_PROXY: "1" },
        timeout: 5 * 60_000,
        cancelSignal: context.signal,
      });
      await checkVersion(directory, context);
    },
  };
}

/** The version, without a `v`, that a Pulumi CLI says it has. */
export async function versionOf(command: string, { signal }: CopyContext): Promise<string> {
  const options = { env: { PULUMI_SKIP_UPDATE_CHECK: "true" }, timeout: 15_000 };
  const { stdout } = await run(command, ["version"], { ...options, cancelSignal: signal });
  const version = parse(stdout)?.version;
  if (version === undefined) throw new Error(`its version is not one: ${stdout.slice(0, 100)}`);
  return version;
}

/** Where a copy is kept: whatever it depends on is in the name of its directory. */
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
  // Go leaves its temporary files behind when it is killed; in here they go with the rest.
  const temporary = join(directory, "tmp");
  mkdirSync(temporary);
  let compiled = 0;
  const ticker = setInterval(() => say(`${module}: ${compiled} packages compiled so far`), 15_000);
  try {
    await run("go", ["build", "-v", ...flags, "-o", join(directory, "bin/"), "tool"], {
      cwd: inModule(module),
      env: { ...buildEnvironment, GOTMPDIR: temporary },
      stderr: function* (line: unknown) {
        // `-v` writes an import path alone on a line; errors have a space or start with "#".
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

/** The host for Python looks beside itself for the script that runs a program. */
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
