import type { WebhookAddress, WebhookList } from "../service/client.js";

/** What a run remembers of one webhook. */
export interface LedgerEntry {
  /**
   * How a resource of the program has the webhook: it takes it over in this run, or it keeps it from
   * the state, with or without naming it in `adopt`.
   */
  owner?: "adopting" | "naming" | "silent" | undefined;
  /** Whether the program names it in `adopt`. */
  isNamed?: boolean;
  /** Whether an adoption of it failed. */
  hasFailedToAdopt?: boolean;
  /** Whether it was deleted. */
  isDeleted?: boolean;
  /** The resources of the program that have it: what tells them apart. */
  readonly keepers: Set<string>;
}

/** The list of a database's webhooks, as a refresh reads it once. */
export interface LedgerList {
  readonly list: Promise<WebhookList>;
  /** Whether the person who runs Pulumi knows that it does not show all. */
  isReported: boolean;
}

/** What a run of one configured provider remembers. */
export class Ledger {
  /** Whether a webhook was read, as only a refresh does. */
  hasRead = false;
  /** Whether arguments were checked, as only happens when the program runs. */
  hasChecked = false;
  /** The first webhook that was imported with a secret that is not for it alone. */
  importedWithOneSecret: string | undefined;
  /** The resources that this run creates, for the first time or as a replacement. */
  readonly createdAnew = new Set<string>();
  /** The webhooks that were read for resources that Pulumi did not know, by URN. */
  readonly imported = new Map<string, WebhookAddress>();
  readonly #webhooks = new Map<string, LedgerEntry>();
  readonly #met = new Set<string>();
  readonly #lists = new Map<string, LedgerList>();

  /**
   * Whether this run has met a webhook: in the state, in the program, or by creating it. The base URL
   * does not count: the same service may have had another one.
   */
  knows({ databaseId, id }: Pick<WebhookAddress, "databaseId" | "id">): boolean {
    return this.#met.has(keyOf(databaseId, id));
  }

  /** The entry of a webhook, which this run knows from now on. */
  entryOf({ baseUrl, databaseId, id }: WebhookAddress): LedgerEntry {
    this.#met.add(keyOf(databaseId, id));
    return entryIn(this.#webhooks, keyOf(baseUrl, databaseId, id), () => ({ keepers: new Set() }));
  }

  /** The list of a database's webhooks, read by the first call. */
  listOf({ baseUrl, databaseId }: WebhookAddress, read: () => Promise<WebhookList>): LedgerList {
    return entryIn(this.#lists, keyOf(baseUrl, databaseId), () => ({
      list: read(),
      isReported: false,
    }));
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function entryIn<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
