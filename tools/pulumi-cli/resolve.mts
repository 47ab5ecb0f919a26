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
  /** Without a leading `v`. */
  version: string;
  /** How it got here. */
  source: Source;
  /**
   * What to add to the environment of a process that runs it: `PATH`, on which this CLI and the
   * Node that runs us are found first, and what a copy of our own needs.
   */
  environment: Record<string, string>;
}

export interface ResolveOptions {
  /** Whose hosts have to be there, too. Default: those in `DBWEBHOOKS_PULUMI_LANGUAGES`. */
  languages?: readonly Language[];
  /** Receives what the user should know, line by line. Default: standard error. */
  say?: (line: string) => void;
  /** Ends a download, a build or the waiting for one. */
  signal?: AbortSignal;
}

const sources = ["path", "installer", "build"] as const;
type Source = (typeof sources)[number];

/** What a `pulumi` found on PATH has to be. A new major version is another program to us. */
const acceptedVersions = ">=3.200.0 <4.0.0";

interface Search extends CopyContext {
  wanted: readonly Source[];
  /** What did not work, for the error. */
  attempts: string[];
}

/**
 * Finds the Pulumi CLI or gets it, in this order: on PATH; a copy made earlier; the official
 * installer; a build from source. `DBWEBHOOKS_PULUMI_CLI` limits this to the sources it names,
 * separated by commas. When nothing works, the error has what each of them gave, and what to do.
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
  // npm's package of this name downloads something when it is first run.
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

/** A copy that is there, else the first that can be made. */
async function findOrMakeCopy(search: Search): Promise<PulumiCli | undefined> {
  const copies = { installer: cliInstallation(), build: cliBuild() };
  const wanted = (["installer", "build"] as const).filter((one) => search.wanted.includes(one));
  const whole = await Promise.all(wanted.map((source) => isWhole(copies[source])));
  const found = wanted.filter((_, index) => whole[index]);

  for (const source of [...found, ...wanted]) {
    try {
      await makeCopy(copies[source], search);
      const command = await which(join(copies[source].directory, "bin", "pulumi"));
      // Nobody would update this copy.
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
 * Adds a language's host to the PATH of the CLI, behind all else. One that is on it already is
 * taken as it is; others come from the cache or are built.
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

/** Says why a way does not work, and keeps it for the error. */
function passOver(way: string, error: unknown, { signal, say, attempts }: Search): void {
  signal.throwIfAborted();
  const attempt = `${way}: ${(error as Error).message.replaceAll(/\n+/g, "\n    ")}`;
  attempts.push(attempt);
  say(`passing over ${attempt}`);
}

/** The values that an environment variable names, separated by commas. */
function listIn<T extends string>(variable: string, values: readonly T[]): T[] | undefined {
  if (!process.env[variable]) return undefined;
  const names = process.env[variable].split(",").map((name) => name.trim());
  const known = values.filter((value) => names.includes(value));
  if (known.length === names.length) return known;
  throw new Error(`${variable} is ${names.join(",")}; it takes ${values.join(", ")}`);
}
