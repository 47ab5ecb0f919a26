import type { WebhookAddress, WebhookList } from "../api/client.js";

/** What a run remembers of one webhook. */
class Entry {
  /** The resources that have it and stay: what tells them apart. */
  readonly keepers = new Set<string>();
  /** Whether the program names it in `adopt`. */
  isNamed = false;
  isAdopted = false;
  hasFailedToAdopt = false;
  isDeleted = false;
}

/** What a run of one configured provider remembers. */
export class Ledger {
  /** Whether a webhook was read, as only a refresh does. */
  hasRead = false;
  /** Whether arguments were checked, as only happens when the program runs. */
  hasChecked = false;
  /** The first webhook that was imported with a secret that is not for it alone. */
  importedWithOneSecret: string | undefined;
  /** The webhooks that were read for resources that Pulumi did not know, by URN. */
  readonly imported = new Map<string, WebhookAddress>();
  /** The lists that a refresh has read, by database. */
  readonly lists = new Map<string, Promise<WebhookList>>();
  /** The databases of which it was said that not all webhooks could be looked up. */
  readonly notLookedUp = new Set<string>();
  readonly #known = new Set<string>();
  readonly #entries = new Map<string, Entry>();

  /**
   * Whether this run knows a webhook: from the state, from the program, or by creating it. The base URL
   * does not count: the same service may have had another one.
   */
  knows({ databaseId, id }: Pick<WebhookAddress, "databaseId" | "id">): boolean {
    return this.#known.has(keyOf(databaseId, id));
  }

  /** The entry of a webhook, which this run knows from now on. */
  entryOf({ baseUrl, databaseId, id }: WebhookAddress): Entry {
    this.#known.add(keyOf(databaseId, id));
    const key = keyOf(baseUrl, databaseId, id);
    const entry = this.#entries.get(key) ?? new Entry();
    this.#entries.set(key, entry);
    return entry;
  }

  /**
   * Notes that a resource has a webhook and keeps it, because a comparison found it unchanged, or
   * because it was imported: a deletion after that is another resource's. Returns all that have it.
   */
  noteKeeper(webhook: WebhookAddress, resource: string): readonly string[] {
    const { keepers } = this.entryOf(webhook);
    keepers.add(resource);
    return [...keepers];
  }

  /**
   * Why a deletion must not reach a webhook: the program names it in `adopt`, or another resource has
   * it. A resource that was found unchanged and is replaced in spite of it deletes its own webhook;
   * without a URN nothing tells it from another resource, so the webhook stays.
   */
  protectionOf(webhook: WebhookAddress, urn: string | undefined): "named" | "kept" | undefined {
    const { isNamed, keepers } = this.entryOf(webhook);
    if (isNamed) {
      return "named";
    }
    return [...keepers].some((keeper) => keeper !== urn) ? "kept" : undefined;
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
