import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

/** A webhook as the local service keeps it. */
export interface StoredWebhook {
  /** Identifier of the webhook: 1, 2, 3, …, never used twice. */
  readonly id: number;
  /** Database that the webhook belongs to. */
  readonly databaseId: string;
  /** Address that receives the notifications, as sent. */
  readonly url: string;
  /** Event kinds subscribed to, in the order sent, without duplicates. */
  readonly events: readonly string[];
  /** The one table whose events are delivered; `null` for all tables. */
  readonly tableId: string | null;
  /** Whether notifications are delivered. `true` at creation (our choice). */
  readonly active: boolean;
  /** The signing secret, in clear: `whsec_` and base64. A secret; the service shows it only once. */
  readonly secret: string;
}

/** What `updateWebhook` can change. */
export type WebhookChanges = Partial<Pick<StoredWebhook, "url" | "events" | "tableId" | "active">>;

/** The webhooks in SQLite. */
export class WebhookStore {
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSync) {
    this.#sql = prepareStatements(database);
  }

  /** Webhooks ever made in this database: their ids have no gaps. */
  get createdCount(): number {
    return Number(this.#sql.lastId.get()?.seq ?? 0);
  }

  /** Webhooks that exist now. */
  get count(): number {
    return Number(this.#sql.count.get()?.count);
  }

  create(webhook: Omit<StoredWebhook, "id">): number {
    const { databaseId, url, events, tableId, active, secret } = webhook;
    const { lastInsertRowid } = this.#sql.insert.run(
      databaseId,
      url,
      JSON.stringify(events),
      tableId,
      Number(active),
      secret,
    );
    return Number(lastInsertRowid);
  }

  get(id: number): StoredWebhook | undefined {
    const row = this.#sql.select.get(id);
    return row && toWebhook(row);
  }

  list(databaseId?: string): StoredWebhook[] {
    const rows =
      databaseId === undefined
        ? this.#sql.selectAll.all()
        : this.#sql.selectDatabase.all(databaseId);
    return rows.map(toWebhook);
  }

  /** Changes a webhook; false when there is none with this id. */
  update(id: number, changes: WebhookChanges): boolean {
    const webhook = this.get(id);
    if (webhook === undefined) {
      return false;
    }
    const { url, events, tableId, active } = { ...webhook, ...changes };
    this.#sql.update.run(url, JSON.stringify(events), tableId, Number(active), id);
    return true;
  }

  /** Removes a webhook; false when there is none with this id. */
  delete(id: number): boolean {
    return this.#sql.delete.run(id).changes > 0;
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    insert: database.prepare(
      "INSERT INTO webhooks (database_id, url, events, table_id, active, secret) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    select: database.prepare("SELECT * FROM webhooks WHERE id = ?"),
    selectAll: database.prepare("SELECT * FROM webhooks ORDER BY id"),
    selectDatabase: database.prepare("SELECT * FROM webhooks WHERE database_id = ? ORDER BY id"),
    update: database.prepare(
      "UPDATE webhooks SET url = ?, events = ?, table_id = ?, active = ? WHERE id = ?",
    ),
    delete: database.prepare("DELETE FROM webhooks WHERE id = ?"),
    lastId: database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'webhooks'"),
    count: database.prepare("SELECT count(*) AS count FROM webhooks"),
  };
}

function toWebhook(row: Record<string, SQLOutputValue>): StoredWebhook {
  return {
    id: Number(row.id),
    databaseId: String(row.database_id),
    url: String(row.url),
    events: JSON.parse(String(row.events)),
    tableId: row.table_id === null ? null : String(row.table_id),
    active: row.active === 1,
    secret: String(row.secret),
  };
}
