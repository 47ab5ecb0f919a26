import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import envPaths from "env-paths";
import which from "which";

/** A directory in the cache that is either complete or missing. */
export interface Copy {
  /** The name of the copy in messages. */
  title: string;
  /** The path of the copy. */
  directory: string;
  /** The programs, relative to `directory`, that a complete copy has. */
  programs: readonly string[];
  /** Writes the files into a directory. */
  make: (directory: string, context: CopyContext) => Promise<void>;
}

export interface CopyContext {
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

/** Whether every program of the copy exists. */
export async function isWhole({ directory, programs }: Copy): Promise<boolean> {
  const found = programs.map((program) => which(join(directory, program), { nothrow: true }));
  return (await Promise.all(found)).every((file) => file !== null);
}

/**
 * Makes the copy, unless another process has made it by the time this process gets the lock. The files
 * are written to a temporary directory and renamed into place, so that no partial copy is ever used.
 */
export async function makeCopy(copy: Copy, context: CopyContext): Promise<void> {
  if (await isWhole(copy)) return;
  const { title, directory, programs } = copy;
  const prefix = `${basename(directory)}.unfinished-`;
  await mkdir(dirname(directory), { recursive: true });
  using database = new DatabaseSync(`${directory}.lock`);
  await lock(database, title, context);
  if (await isWhole(copy)) return;

  // The processes that were writing these directories have ended, because this process has the lock.
  for (const name of await readdir(dirname(directory))) {
    if (name.startsWith(prefix)) await remove(join(dirname(directory), name));
  }
  const unfinished = await mkdtemp(join(dirname(directory), prefix));
  try {
    await copy.make(unfinished, context);
    if (!(await isWhole({ ...copy, directory: unfinished }))) {
      throw new Error(`it did not make ${programs.join(", ")}`);
    }
    // The rename fails if a cleaning program has left files of an older copy.
    await remove(directory);
    await rename(unfinished, directory);
  } finally {
    await remove(unfinished);
  }
}

/**
 * Waits until no other process holds the lock on this file, which stays empty. SQLite's exclusive lock is
 * one of the operating system, which releases it when the process ends, so that no lock is ever stale:
 * https://sqlite.org/lockingv3.html
 */
async function lock(database: DatabaseSync, title: string, context: CopyContext): Promise<void> {
  const sqliteBusy = 5;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // Nothing is ever written, so no journal file is needed.
      return database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    }
    if (attempt === 0) context.say(`${title}: another process is making it; waiting for it`);
    await delay(250, undefined, { signal: context.signal });
  }
}

/** Removes a directory, in which a killed process may still be writing its last file. */
const remove = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 5 });
