import { dirname, join, sep } from "node:path";
import { satisfies } from "semver";
import { type CacheEntry, isWhole, userCacheDirectory } from "./cache.mts";
import {
  build,
  type CopyContext,
  type CopySource,
  cacheEntryOf,
  installer,
  makeCopy,
} from "./copies.mts";
import { cliEnvironment } from "./environment.mts";
import { cliVersion, executableName, executablesOnPath } from "./executables.mts";
import { pathWithLanguages, wantedLanguages } from "./languages.mts";
import { acceptedVersions, type Language, pinnedVersion, requiredGo } from "./pins.mts";
import { type CliSource, sources, wantedSources } from "./sources.mts";

/** A Pulumi CLI that runs on this machine. */
export interface PulumiCli {
  /** The executable, as an absolute path. */
  command: string;
  /** The directory it is in. */
  binDir: string;
  /** Without a leading `v`. */
  version: string;
  /** How it got here. */
  source: CliSource;
  /**
   * What to add to the environment of a process that runs it: `PATH`, on which this CLI and the
   * Node that runs us are found first, and what a copy of our own needs.
   */
  environment: Record<string, string>;
}

export interface ResolveOptions {
  /**
   * Languages of programs, besides TypeScript and JavaScript, whose host has to be there. The
   * official CLI has them; for others they are built. Default: those that
   * `DBWEBHOOKS_PULUMI_LANGUAGES` names, separated by commas.
   */
  languages?: readonly Language[];
  /** Default `process.env`. `DBWEBHOOKS_PULUMI_CLI` in it limits the sources that are tried. */
  environment?: NodeJS.ProcessEnv;
  /** Default: this package's directory in the user's cache directory. */
  cacheDirectory?: string;
  /** Receives what the user should know, line by line. Default: standard error. */
  say?: (line: string) => void;
  /** Ends a download, a build or the waiting for one. */
  signal?: AbortSignal;
  /** How long a `pulumi` found on PATH may take to say its version. Default 15. */
  versionLimitSeconds?: number;
  /** The ways to a copy of our own, in the order in which they are tried. */
  copySources?: readonly CopySource[];
}

/** No way to a Pulumi CLI worked. The message has what each of them gave, and what to do. */
export class PulumiCliError extends Error {
  override readonly name = "PulumiCliError";

  constructor(attempts: readonly string[]) {
    super(
      [
        "There is no Pulumi CLI to run. This was tried:",
        ...attempts.map((attempt) => `  - ${attempt}`),
        "Install Pulumi 3.200 or newer (https://www.pulumi.com/docs/install/) so that it is on " +
          `PATH, or install Go ${requiredGo} or newer (https://go.dev/dl/) to have it built here; ` +
          "then run this again.",
      ].join("\n"),
    );
  }
}

/**
 * Finds the Pulumi CLI or gets it, in this order: on PATH; a copy made earlier; the official
 * installer; a build from source. Says nothing when there is nothing to say, and throws a
 * `PulumiCliError` when nothing works.
 *
 * `DBWEBHOOKS_PULUMI_CLI` limits this to the sources it names, `path`, `installer` and `build`,
 * separated by commas.
 */
export async function resolvePulumiCli(options: ResolveOptions = {}): Promise<PulumiCli> {
  const context: CopyContext = {
    environment: options.environment ?? process.env,
    say: options.say ?? ((line) => process.stderr.write(`pulumi-cli: ${line}\n`)),
    signal: options.signal,
  };
  const cacheDirectory = options.cacheDirectory ?? userCacheDirectory(context.environment);
  const languages = options.languages ?? wantedLanguages(context.environment);
  const cli = await findOrMake(options, context, cacheDirectory);
  const path = cli.environment.PATH ?? "";
  const PATH = await pathWithLanguages(path, languages, context, cacheDirectory);
  return { ...cli, environment: { ...cli.environment, PATH } };
}

async function findOrMake(
  options: ResolveOptions,
  context: CopyContext,
  cacheDirectory: string,
): Promise<PulumiCli> {
  const wanted = wantedSources(context.environment);
  const copies = (options.copySources ?? [installer, build])
    .filter((source) => wanted.includes(source.name))
    .map((source) => ({ source, entry: cacheEntryOf(source, cacheDirectory) }));
  const attempts = sources
    .filter((name) => !wanted.includes(name))
    .map((name) => `${name}: left out by DBWEBHOOKS_PULUMI_CLI`);

  if (wanted.includes("path")) {
    const found = await findOnPath(context, attempts, options.versionLimitSeconds);
    if (found) return found;
  }
  const copy = (await findCached(copies)) ?? (await makeFirst(copies, context, attempts));
  if (copy === undefined) throw new PulumiCliError(attempts);
  const binDir = join(copy.entry.directory, "bin");
  return await described(copy.source.name, binDir, pinnedVersion, context.environment);
}

interface Copy {
  source: CopySource;
  entry: CacheEntry;
}

/** The first good one on PATH. What is passed over is said, and added to `attempts`. */
async function findOnPath(
  context: CopyContext,
  attempts: string[],
  limitSeconds: number | undefined,
): Promise<PulumiCli | undefined> {
  const { environment } = context;
  const candidates = await executablesOnPath("pulumi", environment.PATH);
  if (candidates.length === 0) attempts.push("pulumi on PATH: there is none");

  for (const command of candidates) {
    try {
      // npm's package of this name downloads something when it is first run.
      if (command.includes(join(sep, "node_modules", ".bin", sep))) {
        throw new Error("it is the script of an npm package");
      }
      const version = await cliVersion(command, { ...context, limitSeconds });
      if (!satisfies(version, acceptedVersions, { includePrerelease: true })) {
        throw new Error(`it is version ${version}, and this needs ${acceptedVersions}`);
      }
      return await described("path", dirname(command), version, environment);
    } catch (error) {
      context.signal?.throwIfAborted();
      const attempt = `${command}: ${messageOf(error)}`;
      attempts.push(attempt);
      context.say(`passing over ${attempt}`);
    }
  }
  return undefined;
}

async function findCached(copies: readonly Copy[]): Promise<Copy | undefined> {
  for (const copy of copies) {
    if (await isWhole(copy.entry)) return copy;
  }
  return undefined;
}

/** Makes the first copy that can be made. What cannot is said, and added to `attempts`. */
async function makeFirst(
  copies: readonly Copy[],
  context: CopyContext,
  attempts: string[],
): Promise<Copy | undefined> {
  for (const copy of copies) {
    try {
      await makeCopy(copy.source, copy.entry, context);
      return copy;
    } catch (error) {
      context.signal?.throwIfAborted();
      const attempt = `${copy.source.title}: ${messageOf(error)}`;
      attempts.push(attempt);
      context.say(attempt);
    }
  }
  return undefined;
}

async function described(
  source: CliSource,
  binDir: string,
  version: string,
  environment: NodeJS.ProcessEnv,
): Promise<PulumiCli> {
  const command = join(binDir, executableName("pulumi"));
  return {
    command,
    binDir,
    version,
    source,
    environment: await cliEnvironment({ command, isOurCopy: source !== "path", environment }),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
