import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

// Marks a file as one of ours: "dbwh" in ASCII. https://www.sqlite.org/pragma.html#pragma_application_id
const applicationId = 0x64627768;
const schemaVersion = 1;

/** Result codes of SQLite that have an everyday cause: https://www.sqlite.org/rescode.html */
const causes: Readonly<Record<number, string>> = {
  5: "another process uses it. Stop that one, or use another file",
  8: "it cannot be written. Change its permissions, or use another file",
  14: "it cannot be opened. Check its permissions and those of its directory",
  26: "it is not a file of the local service. Use another file, or a new one",
};

/** The file given for the webhooks cannot be used. The message is complete and says what to do. */
export class DataFileError extends Error {
  override readonly name = "DataFileError";

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`The data file ${file} cannot be used: ${reason}.`, options);
  }
}

/**
 * Opens the database of the service, in memory or in a file that only this process may use.
 *
 * A file survives the death of the process at any moment: every statement is its own transaction in
 * the write-ahead log, which the operating system holds. `synchronous=NORMAL`
 * can lose the newest statements when the machine crashes. An fsync per request is not worth it here:
 * https://www.sqlite.org/pragma.html#pragma_synchronous
 */
export function openDatabase(file?: string): DatabaseSync {
  if (file === undefined) {
    return prepareDatabase(new DatabaseSync(":memory:"));
  }
  if (file === "") {
    throw new DataFileError('""', "it has no name. Name a file");
  }
  try {
    refuseUnfitFile(file);
    // SQLite would make a new file readable for others, and it holds the signing secrets.
    closeSync(openSync(file, "a", 0o600));
    return openFile(file);
  } catch (error) {
    throw error instanceof DataFileError ? error : new DataFileError(file, reasonOf(error));
  }
}

/**
 * Opening a pipe can block for ever, and the mode of a device matters to the whole machine. Root could
 * use the file of somebody else, who would lose it when it is hidden from others.
 */
function refuseUnfitFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) {
    return;
  }
  if (!stats.isFile()) {
    throw new DataFileError(file, "it is not a regular file. Name another file");
  }
  if (process.geteuid !== undefined && stats.uid !== process.geteuid()) {
    throw new DataFileError(
      file,
      "it belongs to another user. Use a file of your own, or start as that user",
    );
  }
}

function openFile(file: string): DatabaseSync {
  // Absolute: SQLite would store ":memory:" and some names that begin with "file:" in memory.
  const path = resolve(file);
  const database = new DatabaseSync(path);
  try {
    lock(database);
    refuseForeignFile(database, file);
    prepareDatabase(database);
    hideFromOthers(path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Two services on one file would deliver everything twice. The lock dies with the process. */
function lock(database: DatabaseSync): void {
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
}

/** The file may be a copy, and SQLite gives a new log the mode of the file. */
function hideFromOthers(path: string): void {
  for (const one of [path, `${path}-wal`]) {
    const mode = statSync(one, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) !== 0) {
      chmodSync(one, 0o600);
    }
  }
}

function prepareDatabase(database: DatabaseSync): DatabaseSync {
  // AUTOINCREMENT, not just a key: the id of a deleted webhook must never come back.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${schemaVersion};
    CREATE TABLE IF NOT EXISTS webhooks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      database_id TEXT NOT NULL,
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      table_id TEXT,
      active INTEGER NOT NULL,
      secret TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS webhooks_by_database ON webhooks (database_id);
    CREATE TABLE IF NOT EXISTS deliveries (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      webhook_id INTEGER NOT NULL,
      event TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      due_at INTEGER NOT NULL
    ) STRICT;
    COMMIT;
  `);
  return database;
}

/** Runs before anything is written, so that a foreign file stays unchanged. */
function refuseForeignFile(database: DatabaseSync, file: string): void {
  const read = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  if (read("SELECT count(*) FROM sqlite_schema") === 0 && read("PRAGMA application_id") === 0) {
    return;
  }
  if (read("PRAGMA application_id") !== applicationId) {
    throw new DataFileError(file, `${causes[26]}`);
  }
  const version = read("PRAGMA user_version");
  if (version !== schemaVersion) {
    throw new DataFileError(
      file,
      `it has format ${version}, and this version of pulumi-dbwebhooks knows format ${schemaVersion}. Use another file, or the version that wrote it`,
    );
  }
}

function reasonOf(error: unknown): string {
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  if (errcode !== undefined) {
    // The low byte is the primary code; the rest is the extended code.
    return causes[errcode & 0xff] ?? `SQLite says: ${message}`;
  }
  return code === "EISDIR"
    ? "it is a directory. Name a file in it"
    : code === "ENOENT"
      ? "its directory does not exist. Create that first"
      : `${code ?? message}. Check its permissions and those of its directory`;
}
