import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import envPaths from "env-paths";
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
  /** Aborts the work. */
  signal: AbortSignal;
}

/** The directory for the caches of this package: in `XDG_CACHE_HOME`, or the platform's default. */
export function userCacheDirectory(): string {
  const name = "pulumi-dbwebhooks";
  const { XDG_CACHE_HOME: xdg } = process.env;
  return xdg ? resolve(xdg, name) : envPaths(name, { suffix: "" }).cache;
}

/** Whether every program of the tool is in the cache. */
export async function isComplete({ directory, programs }: CachedTool): Promise<boolean> {
  const found = programs.map((program) => which(join(directory, program), { nothrow: true }));
  return (await Promise.all(found)).every((file) => file !== null);
}

/**
 * Installs the tool into the cache, unless it is there or another process installs it first. The files are
 * written to a temporary directory and renamed into place, so that no partial directory is ever used.
 */
export async function ensureCached(tool: CachedTool, context: TaskContext): Promise<void> {
  if (await isComplete(tool)) return;
  await mkdir(dirname(tool.directory), { recursive: true });
  // Without `using`, which is a syntax error on Node.js 22.
  const database = new DatabaseSync(`${tool.directory}.lock`);
  try {
    await lock(database, tool.title, context);
    if (!(await isComplete(tool))) await install(tool, context);
  } finally {
    database.close();
  }
}

async function install(tool: CachedTool, context: TaskContext): Promise<void> {
  const { directory, programs } = tool;
  const prefix = `${basename(directory)}.partial-`;
  // No process writes to these directories any more, because this process has the lock.
  for (const name of await readdir(dirname(directory))) {
    if (name.startsWith(prefix)) await remove(join(dirname(directory), name));
  }
  const partial = await mkdtemp(join(dirname(directory), prefix));
  try {
    await tool.install(partial, context);
    if (!(await isComplete({ ...tool, directory: partial }))) {
      throw new Error(`it did not make ${programs.join(", ")}`);
    }
    // The target of a rename must be empty, and a program that cleans caches may have left some files there.
    await remove(directory);
    await rename(partial, directory);
  } finally {
    await remove(partial);
  }
}

/**
 * Locks the file of a database, and waits while another process has it locked. SQLite uses the locks of the
 * operating system, which releases them when a process ends, so that no lock is ever stale:
 * https://sqlite.org/lockingv3.html. The file stays empty.
 */
async function lock(database: DatabaseSync, title: string, context: TaskContext): Promise<void> {
  const sqliteBusy = 5;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // Nothing is ever written, so no journal file is needed.
      return database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    }
    if (attempt === 0)
      context.say(`${title}: another process is installing it; waiting for that process`);
    await delay(250, undefined, { signal: context.signal });
  }
}

/** Removes a directory, in which a killed process may still be writing its last file. */
const remove = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 5 });
