import { join } from "node:path";
import { buildFingerprint, buildFromSource } from "./build.mts";
import { type CacheEntry, fillEntry } from "./cache.mts";
import { cliVersion, executableName } from "./executables.mts";
import { runInstaller } from "./installer.mts";
import { pinnedVersion } from "./pins.mts";

/** What everything that makes a copy of the CLI works with. */
export interface CopyContext {
  /** The caller's environment: where `go`, `curl` and proxies are found. */
  environment: NodeJS.ProcessEnv;
  /** Reports progress, one line at a time. */
  say: (line: string) => void;
  /** Ends the work. */
  signal: AbortSignal | undefined;
}

/** Puts a CLI into `bin` of the directory it is given. */
type MakeCopy = (directory: string, context: CopyContext) => Promise<void>;

/** A way to a copy of our own. */
export interface CopySource {
  name: "installer" | "build";
  /** What it is called in messages. */
  title: string;
  make: MakeCopy;
  /** What the cached copy depends on, besides version and platform. */
  fingerprint: () => string;
}

/** The official installer, whose result is the same everywhere. */
export const installer: CopySource = {
  name: "installer",
  title: "official installer",
  make: runInstaller,
  fingerprint: () => "official",
};

/** The build from source. */
export const build: CopySource = {
  name: "build",
  title: "build from source",
  make: buildFromSource,
  fingerprint: buildFingerprint,
};

/** Where the copy of this source is kept. */
export function cacheEntryOf(source: CopySource, cacheDirectory: string): CacheEntry {
  const parts = [source.name, pinnedVersion, process.platform, process.arch, source.fingerprint()];
  const launcher = "pulumi-resource-pulumi-nodejs";
  return {
    directory: join(cacheDirectory, "pulumi-cli", parts.join("-")),
    executables: [
      executableName("pulumi"),
      executableName("pulumi-language-nodejs"),
      process.platform === "win32" ? `${launcher}.cmd` : launcher,
    ].map((name) => join("bin", name)),
  };
}

/** Makes the copy of this source, proves that it runs, and puts it into the cache. */
export async function makeCopy(
  source: CopySource,
  entry: CacheEntry,
  context: CopyContext,
): Promise<void> {
  await fillEntry(entry, {
    fill: async (directory) => {
      await source.make(directory, context);
      const command = join(directory, "bin", executableName("pulumi"));
      const version = await cliVersion(command, context);
      if (version !== pinnedVersion) {
        throw new Error(`it gave version ${version} in place of ${pinnedVersion}`);
      }
    },
    onWait: () =>
      context.say(`another process is getting the Pulumi CLI (${source.title}); waiting for it`),
    signal: context.signal,
  });
}
