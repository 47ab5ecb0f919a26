// What one run of a configured provider remembers. A run is one Pulumi command, such as `pulumi up`.
import type { WebhookAddress, WebhookList } from "../api/client.js";
import type { Properties } from "./values.js";

/** What a run remembers of one webhook. */
class WebhookRecord {
  /** The resources that have this webhook and stay, by URN where Pulumi gives one. */
  readonly owners = new Set<string>();
  /** Whether an argument `adopt` of the program names this webhook. */
  isNamedByAdopt = false;
  isAdopted = false;
  hasFailedToAdopt = false;
  /** Whether this run created it. */
  isCreated = false;
  /**
   * Whether a deletion of this run must not reach it, although this run created it: the service may have
   * returned the webhook of the resource that is replaced, or of another one.
   */
  isPossiblyShared = false;
  isDeleted = false;
}

/** Why a deletion must not reach a webhook. */
export type Protection = "adopted" | "created" | "owned";

/** What a run of one configured provider remembers. */
export class RunState {
  /** Whether a webhook was read, which happens only in a refresh. */
  hasRead = false;
  /** Whether arguments were checked, which happens only when the program runs. */
  hasChecked = false;
  /** The old arguments that were checked, by URN. A resource that is created after that is replaced. */
  readonly oldArguments = new Map<string, Properties>();
  /** The first webhook that was imported with a secret that the variable gives to every import. */
  importedWithSharedSecret: string | undefined;
  /** The webhooks that were read for resources unknown to Pulumi, by URN. */
  readonly imported = new Map<string, WebhookAddress>();
  /** The lists that a refresh has read, by database. */
  readonly lists = new Map<string, Promise<WebhookList>>();
  /** The databases for which a refresh has warned that it could not look up every webhook. */
  readonly warnedDatabases = new Set<string>();
  readonly #known = new Set<string>();
  readonly #records = new Map<string, WebhookRecord>();

  /** Whether this run knows a webhook: from the state, from the program, or because it created it. */
  knows({ baseUrl, databaseId, id }: WebhookAddress): boolean {
    return this.#records.has(keyOf(baseUrl, databaseId, id));
  }

  /** Whether this run knows such a webhook at any base URL: the same service may have had another one. */
  knowsAnywhere({ databaseId, id }: Omit<WebhookAddress, "baseUrl">): boolean {
    return this.#known.has(keyOf(databaseId, id));
  }

  /** The record of a webhook. From now on this run knows the webhook. */
  recordOf({ baseUrl, databaseId, id }: WebhookAddress): WebhookRecord {
    this.#known.add(keyOf(databaseId, id));
    const key = keyOf(baseUrl, databaseId, id);
    const record = this.#records.get(key) ?? new WebhookRecord();
    this.#records.set(key, record);
    return record;
  }

  /**
   * Notes that a resource has a webhook and stays, because a comparison found it unchanged or because it
   * was imported. A deletion after that comes from another resource.
   *
   * @returns All resources that have the webhook.
   */
  noteOwner(webhook: WebhookAddress, resource: string): readonly string[] {
    const { owners } = this.recordOf(webhook);
    owners.add(resource);
    return [...owners];
  }

  /**
   * Why a deletion by a resource must not reach a webhook; `undefined` if it may. A resource that was
   * found unchanged and is replaced all the same (`--replace`) deletes its own webhook. Without a URN
   * nothing tells it from another resource, so the webhook stays.
   */
  protectionOf(webhook: WebhookAddress, urn: string | undefined): Protection | undefined {
    const { isNamedByAdopt, isPossiblyShared, owners } = this.recordOf(webhook);
    if (isNamedByAdopt) {
      return "adopted";
    }
    if (isPossiblyShared) {
      return "created";
    }
    return [...owners].some((owner) => owner !== urn) ? "owned" : undefined;
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
