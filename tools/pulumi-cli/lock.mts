import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

const sqliteBusy = 5;

export interface LockOptions {
  /** Called once when another process holds the lock. */
  onWait: () => void;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs `work` while no other process (and no other call in this one) runs under the same `file`.
 *
 * The lock is SQLite's exclusive lock, that is one of the operating system: it ends with the
 * process that holds it, however that ends, so there is no such thing as a stale lock file.
 * The file stays, empty. https://sqlite.org/lockingv3.html
 */
export async function withLock<T>(
  file: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const database = new DatabaseSync(file);
  try {
    for (let attempt = 0; !take(database); attempt += 1) {
      if (attempt === 0) options.onWait();
      await delay(250, undefined, { signal: options.signal });
    }
    return await work();
  } finally {
    database.close();
  }
}

/** Whether the lock is ours now. */
function take(database: DatabaseSync): boolean {
  try {
    // Nothing is ever written, so nothing has to be recovered from a journal beside the file.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return false;
    throw error;
  }
}
