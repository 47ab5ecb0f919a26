import type { WebhookAddress, WebhookList } from "../service/client.js";

/** What a run remembers of one webhook. */
interface Entry {
  /** The resources that have it and stay: what tells them apart. */
  readonly keepers: Set<string>;
  /** Whether the program names it in `adopt`. */
  isNamed: boolean;
  /** Whether a resource takes it over in this run. */
  isAdopted: boolean;
  /** Whether an adoption of it failed. */
  hasFailedToAdopt: boolean;
  /** Whether it was deleted. */
  isDeleted: boolean;
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
  readonly #known = new Set<string>();
  readonly #entries = new Map<string, Entry>();
  readonly #lists = new Map<string, Promise<WebhookList>>();
  readonly #reported = new Set<string>();

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
    const entry = this.#entries.get(key) ?? {
      keepers: new Set(),
      isNamed: false,
      isAdopted: false,
      hasFailedToAdopt: false,
      isDeleted: false,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  /**
   * Notes that a resource has a webhook and keeps it, because a comparison found it unchanged, or
   * because it was imported: a deletion after that is another resource's.
   *
   * @param resource What tells resources apart; see `resourceKey` in `provider.ts`.
   * @returns The resources that have it, when there is more than one.
   */
  noteKeeper(webhook: WebhookAddress, resource: string): readonly string[] {
    const { keepers } = this.entryOf(webhook);
    keepers.add(resource);
    return keepers.size > 1 ? [...keepers] : [];
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

  /** The list of a database's webhooks, read by the first call. */
  listOf(databaseId: string, read: () => Promise<WebhookList>): Promise<WebhookList> {
    const list = this.#lists.get(databaseId) ?? read();
    this.#lists.set(databaseId, list);
    return list;
  }

  /** Reports something of a database once in a run. */
  reportOnce(databaseId: string, report: () => void): void {
    if (!this.#reported.has(databaseId)) {
      this.#reported.add(databaseId);
      report();
    }
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
