import type { DataFile } from "./data-file.js";

/** A webhook as the local service keeps it. */
export interface StoredWebhook {
  /**
   * Identifier of the webhook, never used twice. Ids count up: from 1 in a data file, and otherwise from the
   * time of the start, so that a stack never confuses its webhook with one of a later service.
   */
  readonly id: number;
  /** Database that the webhook belongs to. */
  readonly databaseId: string;
  /** Address that receives the notifications, as sent. */
  readonly url: string;
  /** Event types subscribed to, in the order sent, without duplicates. */
  readonly events: readonly string[];
  /** The one table whose events are delivered; `null` for all tables. */
  readonly tableId: string | null;
  /** Whether notifications are delivered. `true` at creation. */
  readonly active: boolean;
  /** The signing secret, in clear text: `whsec_` and base64. The API reveals it only at creation. */
  readonly secret: string;
}

/** The fields that `updateWebhook` can change. */
export type WebhookChanges = Partial<Pick<StoredWebhook, "url" | "events" | "tableId" | "active">>;

/** The webhooks in memory, and in a file as well if there is one. */
export class WebhookStore {
  readonly #webhooks: Map<number, StoredWebhook>;
  readonly #file: DataFile | undefined;
  readonly #idBefore: number;
  #lastId: number;

  constructor(file?: DataFile) {
    this.#file = file;
    this.#webhooks = new Map(file?.webhooks.map((webhook) => [webhook.id, webhook]));
    this.#idBefore = file === undefined ? microsecondsSinceEpoch() : 0;
    this.#lastId = file?.lastId ?? this.#idBefore;
  }

  /** The number of webhooks ever created: ids have no gaps. */
  get created(): number {
    return this.#lastId - this.#idBefore;
  }

  create(webhook: Omit<StoredWebhook, "id">): StoredWebhook {
    const created = { id: this.#lastId + 1, ...webhook };
    this.#save(created);
    this.#lastId = created.id;
    return created;
  }

  get(id: number): StoredWebhook | undefined {
    return this.#webhooks.get(id);
  }

  list(databaseId?: string): StoredWebhook[] {
    const all = [...this.#webhooks.values()];
    return databaseId === undefined ? all : all.filter((one) => one.databaseId === databaseId);
  }

  /** Throws a RangeError when there is no webhook with this id, as `delete` does. */
  update(id: number, changes: WebhookChanges): void {
    this.#save({ ...this.#existing(id), ...changes });
  }

  delete(id: number): void {
    this.#existing(id);
    this.#file?.delete(id);
    this.#webhooks.delete(id);
  }

  close(): void {
    this.#file?.close();
  }

  /** Writes to the file first, so that a failed write leaves memory unchanged. */
  #save(webhook: StoredWebhook): void {
    this.#file?.save(webhook);
    this.#webhooks.set(webhook.id, webhook);
  }

  #existing(id: number): StoredWebhook {
    const webhook = this.#webhooks.get(id);
    if (webhook === undefined) {
      throw new RangeError(`The local service has no webhook ${id}.`);
    }
    return webhook;
  }
}

/** No service creates a webhook per microsecond, so the ids of a later start are higher. */
function microsecondsSinceEpoch(): number {
  return Math.floor(1000 * (performance.timeOrigin + performance.now()));
}
