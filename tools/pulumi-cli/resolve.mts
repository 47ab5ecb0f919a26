import { delimiter, isAbsolute, join, sep } from "node:path";
import { satisfies } from "semver";
import which from "which";
import { ensureCached, isComplete, type TaskContext } from "../cache.mts";
import {
  builtCli,
  builtLanguageHost,
  cliVersion,
  type Language,
  languages,
  requiredGo,
  versionOf,
} from "./build.mts";
import { pathWithFirst } from "./environment.mts";
import { installedCli } from "./installer.mts";

/** A Pulumi CLI that runs on this machine. */
export interface PulumiCli {
  /** The executable, as an absolute path. */
  command: string;
  /** The version, without a leading `v`. */
  version: string;
  source: Source;
  /**
   * Changes to the environment of a process that runs this CLI: a `PATH` on which no other `pulumi`
   * or `node` comes before this CLI and the current Node.js, and the variables that a CLI from the
   * cache needs.
   */
  environment: Record<string, string>;
}

export interface ResolveOptions {
  /** Further languages whose hosts are needed. Default: those in `PULUMI_CLI_LANGUAGES`. */
  languages?: readonly Language[];
  /** Shows a line to the user. Default: writes to standard error. */
  say?: (line: string) => void;
  /** Aborts a download, a build or the wait for one. */
  signal?: AbortSignal;
}

const sources = ["path", "installer", "build"] as const;
type Source = (typeof sources)[number];

/** The versions of a `pulumi` on PATH that are used. A new major version may behave differently. */
const acceptedVersions = ">=3.200.0 <4.0.0";

interface Search extends TaskContext {
  wanted: readonly Source[];
  /** The sources that did not work, each with the reason, for the error message. */
  failures: string[];
}

/**
 * Gets the Pulumi CLI from the first source that works: PATH, the cache, the official installer, or
 * a build from source. `PULUMI_CLI_SOURCES` limits the sources to those that it names, separated by
 * commas. When every source fails, the error says why each one failed, and what to do.
 */
export async function resolvePulumiCli(options: ResolveOptions = {}): Promise<PulumiCli> {
  const wanted = listIn("PULUMI_CLI_SOURCES", sources) ?? sources;
  const neededLanguages = options.languages ?? listIn("PULUMI_CLI_LANGUAGES", languages) ?? [];
  const excluded = sources.filter((source) => !wanted.includes(source));
  const search: Search = {
    say: options.say ?? ((line) => process.stderr.write(`pulumi-cli: ${line}\n`)),
    signal: options.signal ?? new AbortController().signal,
    wanted,
    failures: excluded.map((source) => `${source}: left out by PULUMI_CLI_SOURCES`),
  };

  const cli = (await findOnPath(search)) ?? (await findOrInstall(search));
  if (cli === undefined) {
    throw new Error(`There is no Pulumi CLI to run. This was tried:
${search.failures.map((failure) => `  - ${failure}`).join("\n")}
Install Pulumi 3.200 or newer (https://www.pulumi.com/docs/install/) so that it is on PATH, or \
install Go ${requiredGo} or newer (https://go.dev/dl/) to have it built here; then run this again.`);
  }
  for (const language of neededLanguages) {
    await addLanguageHost(language, cli, search);
  }
  return cli;
}

async function findOnPath(search: Search): Promise<PulumiCli | undefined> {
  if (!search.wanted.includes("path")) {
    return undefined;
  }
  // The npm package of this name downloads the CLI when it is first run.
  const npmScript = join(sep, "node_modules", ".bin", sep);
  const found = (await which("pulumi", { all: true, nothrow: true })) ?? [];
  const usable = found.filter((file) => isAbsolute(file) && !file.includes(npmScript));
  if (usable.length === 0) {
    search.failures.push("pulumi on PATH: there is none");
  }

  for (const command of new Set(usable)) {
    try {
      const version = await versionOf(command, search);
      if (!satisfies(version, acceptedVersions, { includePrerelease: true })) {
        throw new Error(`it is version ${version}, and this needs ${acceptedVersions}`);
      }
      return { command, version, source: "path", environment: await pathWithFirst(command) };
    } catch (error) {
      reportFailure(command, error, search);
    }
  }
  return undefined;
}

/** Returns a CLI from the cache, or the first one that can be installed there. */
async function findOrInstall(search: Search): Promise<PulumiCli | undefined> {
  const tools = { installer: installedCli(), build: builtCli() };
  const wanted = (["installer", "build"] as const).filter((one) => search.wanted.includes(one));
  const areComplete = await Promise.all(wanted.map((source) => isComplete(tools[source])));
  const cached = wanted.filter((_, index) => areComplete[index]);

  for (const source of new Set([...cached, ...wanted])) {
    try {
      await ensureCached(tools[source], search);
      const command = await which(join(tools[source].directory, "bin", "pulumi"));
      // This CLI neither looks for updates nor downloads plugins, unless the user's environment
      // says otherwise.
      const trueByDefault = [
        "PULUMI_SKIP_UPDATE_CHECK",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION",
      ];
      const settings = Object.fromEntries(
        trueByDefault.map((name) => [name, process.env[name] ?? "true"]),
      );
      const environment = { ...(await pathWithFirst(command)), ...settings };
      return { command, version: cliVersion, source, environment };
    } catch (error) {
      reportFailure(tools[source].title, error, search);
    }
  }
  return undefined;
}

/**
 * Appends the host of a language to the PATH of the CLI. A host that is already on PATH is used;
 * any other comes from the cache or is built.
 */
async function addLanguageHost(language: Language, cli: PulumiCli, search: Search): Promise<void> {
  const { PATH: path = "" } = cli.environment;
  const host = `pulumi-language-${language}`;
  if ((await which(host, { path, nothrow: true })) !== null) {
    return;
  }

  const tool = builtLanguageHost(language);
  try {
    const isAllowed = search.wanted.includes("build") || (await isComplete(tool));
    if (!isAllowed) {
      throw new Error("PULUMI_CLI_SOURCES leaves builds out");
    }
    await ensureCached(tool, search);
  } catch (error) {
    search.signal.throwIfAborted();
    throw new Error(
      `There is no ${host} on PATH, and it cannot be built: ${(error as Error).message}\n` +
        "Install the official Pulumi CLI, which has it: https://www.pulumi.com/docs/install/",
    );
  }
  cli.environment.PATH = [path, join(tool.directory, "bin")].join(delimiter);
}

/** Tells the user why a source does not work, and keeps the reason for the error. */
function reportFailure(source: string, error: unknown, { signal, say, failures }: Search): void {
  signal.throwIfAborted();
  const failure = `${source}: ${(error as Error).message.replaceAll(/\n+/g, "\n    ")}`;
  failures.push(failure);
  say(`passing over ${failure}`);
}

/** Returns the values in an environment variable, separated by commas. */
function listIn<T extends string>(variable: string, values: readonly T[]): T[] | undefined {
  if (!process.env[variable]) {
    return undefined;
  }
  const names = process.env[variable].split(",").map((name) => name.trim());
  const known = values.filter((value) => names.includes(value));
  if (known.length === names.length) {
    return known;
  }
  throw new Error(`${variable} is ${names.join(",")}; it takes ${values.join(", ")}`);
}
