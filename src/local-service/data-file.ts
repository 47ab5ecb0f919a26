import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import type { StoredWebhook } from "./webhook-store.js";

// Marks a file of the local service: "dbwh" in ASCII. https://www.sqlite.org/pragma.html#pragma_application_id
const applicationId = 0x64627768;
const schemaVersion = 2;

const notCreatedHere =
  "this version of the local service did not create it. Use another file, or a path where no file exists";

// The write permissions of the group and of all users.
const writableByOthers = 0o022;

// https://www.sqlite.org/rescode.html
const sqliteCodes = { BUSY: 5, READONLY: 8, CANTOPEN: 14, NOTADB: 26 };

// Windows has no O_NOFOLLOW.
const openFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** The reasons for codes of SQLite and Node.js that a user can act on. */
const reasons: Readonly<Record<string | number, string>> = {
  [sqliteCodes.BUSY]: "another local service has it open. Close that one, or use another file",
  [sqliteCodes.READONLY]: "it cannot be written. Change its permissions, or use another file",
  [sqliteCodes.CANTOPEN]: "it cannot be opened. Check its permissions and those of its directory",
  [sqliteCodes.NOTADB]: notCreatedHere,
  EISDIR: "it is a directory. Name a file in it",
  EACCES: "it cannot be opened. Check its permissions and those of its directory",
  ENOENT: "its directory does not exist. Create the directory first",
};

/** Keeps webhooks after the process has ended. */
export type DataFile = Awaited<ReturnType<typeof openDataFile>>;

/** The file of the option `data` cannot be used. The message says why, and what to do. */
export class DataFileError extends Error {
  override readonly name = "DataFileError";

  constructor(file: string, reason: string) {
    super(`The data file ${file} cannot be used: ${reason}.`);
  }
}

/**
 * Opens the SQLite file that keeps the webhooks, and locks it for other local services. Rejects with a
 * {@link DataFileError}.
 *
 * A process that dies at any moment does not damage the file: each statement is a transaction of its own,
 * already handed to the operating system. A crash of the machine can lose the newest ones, because there is
 * no fsync per request (`synchronous=NORMAL`), to save time:
 * https://www.sqlite.org/pragma.html#pragma_synchronous
 */
export async function openDataFile(file: string) {
  try {
    // An absolute path, because SQLite would open ":memory:" and some names with "file:" in memory.
    const path = resolve(file);
    assertSafeFile(file, path);
    // Created here, because SQLite would let other users read a new file, and the file holds secrets.
    closeSync(openSync(path, openFlags, 0o600));
    // Imported only when it is used: Node.js 22 prints a warning when node:sqlite is loaded.
    const sqlite = await import("node:sqlite");
    const database = new sqlite.DatabaseSync(path);
    try {
      return openDatabase(database, file, path);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof DataFileError ? error : new DataFileError(file, reasonOf(error));
  }
}

function openDatabase(database: DatabaseSync, file: string, path: string) {
  // Two services with one file would create the same id twice. The lock ends with the process.
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  assertOwnDatabase(database, file);
  // A plain primary key would reuse the id of a deleted webhook; AUTOINCREMENT does not.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${schemaVersion};
    CREATE TABLE IF NOT EXISTS webhooks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      webhook TEXT NOT NULL
    ) STRICT;
    COMMIT;
  `);
  // The file may be a copy that other users can read, and SQLite gives its log the same mode.
  for (const name of [path, `${path}-wal`].filter(existsSync)) {
    chmodSync(name, 0o600);
  }
  const save = database.prepare("REPLACE INTO webhooks VALUES (?, ?)");
  const deletion = database.prepare("DELETE FROM webhooks WHERE id = ?");
  const lastId = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'webhooks'").get();
  const rows = database.prepare("SELECT webhook FROM webhooks ORDER BY id").all();
  return {
    /** The webhooks that the file held when it was opened. */
    webhooks: rows.map(({ webhook }): StoredWebhook => JSON.parse(String(webhook))),
    /** The highest id that was ever stored. */
    lastId: Number(lastId?.seq ?? 0),
    save: (webhook: StoredWebhook) => void save.run(webhook.id, JSON.stringify(webhook)),
    delete: (id: number) => void deletion.run(id),
    close: () => database.close(),
  };
}

/** Runs before the first write, so that nobody can make the service change a file of another program. */
function assertSafeFile(file: string, path: string): void {
  if (file === "") {
    throw new DataFileError('""', "the path is empty. Pass the path of a file");
  }
  // https://www.sqlite.org/tempfiles.html
  for (const name of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`]) {
    if (lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new DataFileError(file, `${name} is a symbolic link. Name the file itself`);
    }
  }
  const user = process.geteuid?.();
  const directory = statSync(dirname(path));
  if (user === 0 && (directory.uid !== 0 || (directory.mode & writableByOthers) !== 0)) {
    const reason = "other users can change its directory, and the service runs as root";
    throw new DataFileError(file, `${reason}. Use a directory that only root can write`);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) {
    return;
  }
  if (!stats.isFile()) {
    // Opening a named pipe can block for ever, and a chmod of a device would affect every user.
    throw new DataFileError(file, "it is not a regular file. Name another file");
  }
  if (user !== undefined && stats.uid !== user) {
    throw new DataFileError(file, "it belongs to another user. Use a file of your own");
  }
}

/** Runs before the first write, so that the file of another program stays unchanged. */
function assertOwnDatabase(database: DatabaseSync, file: string): void {
  const read = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const [id, version] = [read("PRAGMA application_id"), read("PRAGMA user_version")];
  const isNew = id === 0 && read("SELECT count(*) FROM sqlite_schema") === 0;
  if (!isNew && (id !== applicationId || version !== schemaVersion)) {
    throw new DataFileError(file, notCreatedHere);
  }
}

function reasonOf(error: unknown): string {
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  // The low byte of an extended result code is its primary code.
  const reason = reasons[errcode === undefined ? (code ?? "") : errcode & 0xff];
  return reason ?? `${message}. If it is damaged, use a backup or a new file`;
}
