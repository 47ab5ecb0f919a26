import type { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../deliveries/event.js";

/** A notification that is still to be delivered. */
export interface PendingDelivery {
  /** Never used twice. */
  readonly number: number;
  readonly webhookId: number;
  readonly event: StoredEvent;
  /** Attempts made so far. */
  readonly attempts: number;
  /** When the next attempt is due: milliseconds since 1970. */
  readonly dueAt: number;
  /** Size of the event. */
  readonly bytes: number;
}

/** The pending deliveries in SQLite, so that those in a file outlive the process. */
export class DeliveryStore {
  readonly #database: DatabaseSync;
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = prepareStatements(database);
  }

  get count(): number {
    return Number(this.#sql.count.get()?.count);
  }

  /** Stores one delivery for each webhook, or none at all. */
  add(event: StoredEvent, webhookIds: readonly number[], dueAt: number): PendingDelivery[] {
    const text = JSON.stringify(event);
    const addAll = () =>
      webhookIds.map((webhookId) => {
        const number = Number(this.#sql.insert.run(webhookId, text, dueAt).lastInsertRowid);
        return { number, webhookId, event, attempts: 0, dueAt, bytes: text.length };
      });
    if (webhookIds.length < 2) {
      return addAll();
    }
    this.#database.exec("BEGIN");
    try {
      const added = addAll();
      this.#database.exec("COMMIT");
      return added;
    } catch (error) {
      // SQLite rolls back by itself when the disk is full: https://www.sqlite.org/lang_transaction.html
      if (this.#database.isTransaction) {
        this.#database.exec("ROLLBACK");
      }
      throw error;
    }
  }

  /** Throws when one of them cannot be read. */
  list(): PendingDelivery[] {
    return this.#sql.selectAll.all().map((row) => ({
      number: Number(row.number),
      webhookId: Number(row.webhook_id),
      event: toEvent(String(row.event)),
      attempts: Number(row.attempts),
      dueAt: Number(row.due_at),
      bytes: String(row.event).length,
    }));
  }

  postpone(number: number, attempts: number, dueAt: number): void {
    this.#sql.postpone.run(attempts, dueAt, number);
  }

  delete(number: number): void {
    this.#sql.delete.run(number);
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    insert: database.prepare(
      "INSERT INTO deliveries (webhook_id, event, attempts, due_at) VALUES (?, ?, 0, ?)",
    ),
    selectAll: database.prepare("SELECT * FROM deliveries ORDER BY number"),
    count: database.prepare("SELECT count(*) AS count FROM deliveries"),
    postpone: database.prepare("UPDATE deliveries SET attempts = ?, due_at = ? WHERE number = ?"),
    delete: database.prepare("DELETE FROM deliveries WHERE number = ?"),
  };
}

/** Not checked further: a damaged file is hardly ever JSON. */
function toEvent(text: string): StoredEvent {
  const event: unknown = JSON.parse(text);
  if (typeof event !== "object" || event === null) {
    throw new TypeError("A pending delivery has no event.");
  }
  return event as StoredEvent;
}
