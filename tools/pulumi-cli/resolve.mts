import { delimiter, isAbsolute, join, sep } from "node:path";
import { satisfies } from "semver";
import which from "which";
import {
  cliBuild,
  cliInstallation,
  cliVersion,
  type Language,
  languageBuild,
  languages,
  requiredGo,
  versionOf,
} from "./build.mts";
import { type CopyContext, isWhole, makeCopy } from "./cache.mts";
import { pathWithFirst } from "./environment.mts";

/** A Pulumi CLI that runs on this machine. */
export interface PulumiCli {
  /** The executable, as an absolute path. */
  command: string;
  /** The version, without a leading `v`. */
  version: string;
  /** The source of the CLI. */
  source: Source;
  /**
   * Changes to the environment of a process that runs this CLI: `PATH`, on which this CLI and the current
   * Node.js come first, and the variables that a copy of our own needs.
   */
  environment: Record<string, string>;
}

export interface ResolveOptions {
  /** Further languages whose hosts are needed. Default: those in `DBWEBHOOKS_PULUMI_LANGUAGES`. */
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

interface Search extends CopyContext {
  wanted: readonly Source[];
  /** The failed attempts, for the error message. */
  attempts: string[];
}

/**
 * Gets the Pulumi CLI from the first source that works: PATH, an earlier copy, the official installer, or
 * a build from source. `DBWEBHOOKS_PULUMI_CLI` limits the sources to those that it names, separated by
 * commas. When every source fails, the error says why each one failed, and what to do.
 */
export async function resolvePulumiCli(options: ResolveOptions = {}): Promise<PulumiCli> {
  const wanted = listIn("DBWEBHOOKS_PULUMI_CLI", sources) ?? sources;
  const hosts = options.languages ?? listIn("DBWEBHOOKS_PULUMI_LANGUAGES", languages) ?? [];
  const leftOut = sources.filter((source) => !wanted.includes(source));
  const search: Search = {
    say: options.say ?? ((line) => process.stderr.write(`pulumi-cli: ${line}\n`)),
    signal: options.signal ?? new AbortController().signal,
    wanted,
    attempts: leftOut.map((source) => `${source}: left out by DBWEBHOOKS_PULUMI_CLI`),
  };

  const cli = (await findOnPath(search)) ?? (await findOrMakeCopy(search));
  if (cli === undefined) {
    throw new Error(`There is no Pulumi CLI to run. This was tried:
${search.attempts.map((attempt) => `  - ${attempt}`).join("\n")}
Install Pulumi 3.200 or newer (https://www.pulumi.com/docs/install/) so that it is on PATH, or \
install Go ${requiredGo} or newer (https://go.dev/dl/) to have it built here; then run this again.`);
  }
  for (const language of hosts) await addLanguageHost(language, cli, search);
  return cli;
}

async function findOnPath(search: Search): Promise<PulumiCli | undefined> {
  if (!search.wanted.includes("path")) return undefined;
  // The npm package of this name downloads the CLI when it is first run.
  const npmScript = join(sep, "node_modules", ".bin", sep);
  const found = (await which("pulumi", { all: true, nothrow: true })) ?? [];
  const usable = found.filter((file) => isAbsolute(file) && !file.includes(npmScript));
  if (usable.length === 0) search.attempts.push("pulumi on PATH: there is none");

  for (const command of new Set(usable)) {
    try {
      const version = await versionOf(command, search);
      if (!satisfies(version, acceptedVersions, { includePrerelease: true })) {
        throw new Error(`it is version ${version}, and this needs ${acceptedVersions}`);
      }
      return { command, version, source: "path", environment: await pathWithFirst(command) };
    } catch (error) {
      passOver(command, error, search);
    }
  }
  return undefined;
}

/** Returns an existing copy, or the first copy that can be made. */
async function findOrMakeCopy(search: Search): Promise<PulumiCli | undefined> {
  const copies = { installer: cliInstallation(), build: cliBuild() };
  const wanted = (["installer", "build"] as const).filter((one) => search.wanted.includes(one));
  const whole = await Promise.all(wanted.map((source) => isWhole(copies[source])));
  const found = wanted.filter((_, index) => whole[index]);

  for (const source of [...found, ...wanted]) {
    try {
      await makeCopy(copies[source], search);
      const command = await which(join(copies[source].directory, "bin", "pulumi"));
      // Nothing updates this copy.
      const off = ["PULUMI_SKIP_UPDATE_CHECK", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"];
      const settings = Object.fromEntries(off.map((name) => [name, process.env[name] ?? "true"]));
      const environment = { ...(await pathWithFirst(command)), ...settings };
      return { command, version: cliVersion, source, environment };
    } catch (error) {
      passOver(copies[source].title, error, search);
    }
  }
  return undefined;
}

/**
 * Appends the host of a language to the PATH of the CLI. A host that is already on PATH is used; any other
 * comes from the cache or is built.
 */
async function addLanguageHost(language: Language, cli: PulumiCli, search: Search): Promise<void> {
  const { PATH: path = "" } = cli.environment;
  const host = `pulumi-language-${language}`;
  if ((await which(host, { path, nothrow: true })) !== null) return;

  const copy = languageBuild(language);
  try {
    const mayMake = search.wanted.includes("build") || (await isWhole(copy));
    if (!mayMake) throw new Error("DBWEBHOOKS_PULUMI_CLI leaves builds out");
    await makeCopy(copy, search);
  } catch (error) {
    search.signal.throwIfAborted();
    throw new Error(
      `There is no ${host} on PATH, and it cannot be built: ${(error as Error).message}\n` +
        "Install the official Pulumi CLI, which has it: https://www.pulumi.com/docs/install/",
    );
  }
  cli.environment.PATH = [path, join(copy.directory, "bin")].join(delimiter);
}

/** Tells the user why a source does not work, and keeps the reason for the error. */
function passOver(way: string, error: unknown, { signal, say, attempts }: Search): void {
  signal.throwIfAborted();
  const attempt = `${way}: ${(error as Error).message.replaceAll(/\n+/g, "\n    ")}`;
  attempts.push(attempt);
  say(`passing over ${attempt}`);
}

/** Returns the values in an environment variable, separated by commas. */
function listIn<T extends string>(variable: string, values: readonly T[]): T[] | undefined {
  if (!process.env[variable]) return undefined;
  const names = process.env[variable].split(",").map((name) => name.trim());
  const known = values.filter((value) => names.includes(value));
  if (known.length === names.length) return known;
  throw new Error(`${variable} is ${names.join(",")}; it takes ${values.join(", ")}`);
}
