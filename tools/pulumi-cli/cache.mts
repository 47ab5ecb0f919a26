import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isExecutable } from "./executables.mts";
import { withLock } from "./lock.mts";

/** A directory in the cache that is either whole or not there. */
export interface CacheEntry {
  /** Where it is, or will be. */
  directory: string;
  /** The executables, relative to `directory`, without which it does not count as whole. */
  executables: readonly string[];
}

export interface FillOptions {
  /** Puts the files into the directory it is given. */
  fill: (directory: string) => Promise<void>;
  /** Called once when another process fills the same entry. */
  onWait: () => void;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

/**
 * The directory for this package's caches: `XDG_CACHE_HOME` where it is set (absolute, as the XDG
 * base directory specification demands), else what is customary on the platform.
 */
export function userCacheDirectory(environment: NodeJS.ProcessEnv): string {
  const name = "pulumi-dbwebhooks";
  const xdg = environment.XDG_CACHE_HOME;
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, name);
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", name);
  if (process.platform === "win32") {
    return join(environment.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), name, "Cache");
  }
  return join(homedir(), ".cache", name);
}

/** Whether every executable of the entry is there. */
export async function isWhole(entry: CacheEntry): Promise<boolean> {
  const present = entry.executables.map((file) => isExecutable(join(entry.directory, file)));
  return (await Promise.all(present)).every(Boolean);
}

/**
 * Makes the entry, unless another process has made it by the time it is this one's turn. It is
 * filled in a directory beside and renamed into place, so that one that was interrupted is never
 * taken for whole.
 */
export async function fillEntry(entry: CacheEntry, options: FillOptions): Promise<void> {
  await mkdir(dirname(entry.directory), { recursive: true });

  await withLock(`${entry.directory}.lock`, options, async () => {
    if (await isWhole(entry)) return;
    await removeUnfinished(entry);

    const unfinished = await mkdtemp(unfinishedPrefix(entry));
    try {
      await options.fill(unfinished);
      if (!(await isWhole({ ...entry, directory: unfinished }))) {
        throw new Error(`it did not make ${entry.executables.join(", ")}`);
      }
      // What a cleaning program has left of an older copy would be in the way of the rename.
      await rm(entry.directory, { recursive: true, force: true });
      await rename(unfinished, entry.directory);
    } finally {
      // What was killed may be writing its last file.
      await rm(unfinished, { recursive: true, force: true, maxRetries: 5 });
    }
  });
}

/** Called under the lock: whoever was filling one of these is dead. */
async function removeUnfinished(entry: CacheEntry): Promise<void> {
  const parent = dirname(entry.directory);
  const prefix = basename(unfinishedPrefix(entry));
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function unfinishedPrefix(entry: CacheEntry): string {
  return `${entry.directory}.unfinished-`;
}
