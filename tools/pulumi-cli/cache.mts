import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import envPaths from "env-paths";
import which from "which";

/** A directory in the cache that is either whole or not there. */
export interface Copy {
  /** What it is called in messages. */
  title: string;
  /** Where it is, or will be. */
  directory: string;
  /** The programs, relative to `directory`, without which it does not count as whole. */
  programs: readonly string[];
  /** Puts the files into the directory it is given. */
  make: (directory: string, context: CopyContext) => Promise<void>;
}

export interface CopyContext {
  /** Reports progress, one line at a time. */
  say: (line: string) => void;
  /** Ends the work. */
  signal: AbortSignal;
}

/** The directory for this package's caches: in `XDG_CACHE_HOME`, else where the platform has them. */
export function userCacheDirectory(): string {
  const name = "pulumi-dbwebhooks";
  const { XDG_CACHE_HOME: xdg } = process.env;
  return xdg ? resolve(xdg, name) : envPaths(name, { suffix: "" }).cache;
}

/** Whether every program of the copy is there. */
export async function isWhole({ directory, programs }: Copy): Promise<boolean> {
  const found = programs.map((program) => which(join(directory, program), { nothrow: true }));
  return (await Promise.all(found)).every((file) => file !== null);
}

/**
 * Makes the copy, unless it is there by the time it is this process's turn. It is made in a directory
 * beside and renamed into place, so that one that was interrupted is never taken for whole.
 */
export async function makeCopy(copy: Copy, context: CopyContext): Promise<void> {
  if (await isWhole(copy)) return;
  const { title, directory, programs } = copy;
  const prefix = `${basename(directory)}.unfinished-`;
  await mkdir(dirname(directory), { recursive: true });
  using database = new DatabaseSync(`${directory}.lock`);
  await lock(database, title, context);
  if (await isWhole(copy)) return;

  // Whoever was making one of these is dead, because the lock is ours.
  for (const name of await readdir(dirname(directory))) {
    if (name.startsWith(prefix)) await remove(join(dirname(directory), name));
  }
  const unfinished = await mkdtemp(join(dirname(directory), prefix));
  try {
    await copy.make(unfinished, context);
    if (!(await isWhole({ ...copy, directory: unfinished }))) {
      throw new Error(`it did not make ${programs.join(", ")}`);
    }
    // What a cleaning program has left of an older copy would be in the way of the rename.
    await remove(directory);
    await rename(unfinished, directory);
  } finally {
    await remove(unfinished);
  }
}

/**
 * Waits until no other process has the lock of this file, which stays empty. The lock is SQLite's
 * exclusive one, that is one of the operating system: it ends with the process that holds it,
 * however that ends, so no lock is ever stale. https://sqlite.org/lockingv3.html
 */
async function lock(database: DatabaseSync, title: string, context: CopyContext): Promise<void> {
  const sqliteBusy = 5;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // Nothing is ever written, so nothing has to be recovered from a journal beside the file.
      return database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    }
    if (attempt === 0) context.say(`${title}: another process is at it; waiting for it`);
    await delay(250, undefined, { signal: context.signal });
  }
}

/** Removes a directory, in which something that was killed may be writing its last file. */
const remove = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 5 });
