import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import which from "which";

/** A tool with a directory in the user's cache, which is either complete or missing. */
export interface CachedTool {
  /** The name of the tool in messages. */
  title: string;
  directory: string;
  /** The programs of the tool, relative to `directory`. */
  programs: readonly string[];
  /** Writes the files of the tool into a directory. */
  install: (directory: string, context: TaskContext) => Promise<void>;
}

export interface TaskContext {
  /** Reports progress, one line at a time. */
  say: (line: string) => void;
  signal: AbortSignal;
}

/** The directory for the caches of this package: in `XDG_CACHE_HOME`, or the platform's default. */
export function userCacheDirectory(): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: windows } = process.env;
  const defaults: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), "Library/Caches"),
    win32: windows ?? join(homedir(), "AppData/Local"),
  };
  const caches = xdg || (defaults[process.platform] ?? join(homedir(), ".cache"));
  return resolve(caches, "pulumi-dbwebhooks");
}

/** Whether every program of the tool is in the cache. */
export async function isComplete({ directory, programs }: CachedTool): Promise<boolean> {
  const found = programs.map((program) => which(join(directory, program), { nothrow: true }));
  return (await Promise.all(found)).every((file) => file !== null);
}

/** Installs the tool into the cache, unless it is there. */
export async function ensureCached(tool: CachedTool, context: TaskContext): Promise<void> {
  // Closed to other users, also where the umask lets the group write.
  await mkdir(dirname(tool.directory), { recursive: true, mode: 0o700 });
  if (!(await isComplete(tool))) {
    await install(tool, context);
  }
}

/**
 * Writes the files to a temporary directory and renames it, so that no partial directory is ever
 * used. If another process was faster, its files are used.
 */
async function install(tool: CachedTool, context: TaskContext): Promise<void> {
  const { directory, programs } = tool;
  const partial = await mkdtemp(join(dirname(directory), `${basename(directory)}.partial-`));
  try {
    await tool.install(partial, context);
    if (!(await isComplete({ ...tool, directory: partial }))) {
      throw new Error(`it did not make ${programs.join(", ")}`);
    }
    for (const program of programs) {
      await chmod(join(partial, program), 0o755);
    }
    await rename(partial, directory).catch(async (error: Error) => {
      if (!(await isComplete(tool))) {
        throw new Error(`delete ${directory}, in which files are missing: ${error.message}`);
      }
    });
  } finally {
    // A killed process may still be writing its last file.
    await rm(partial, { recursive: true, force: true, maxRetries: 5 });
  }
}
