// What one run of a configured provider remembers. A run is one Pulumi command, such as `pulumi up`.
import type { WebhookKey, WebhookList } from "../api/client.js";
import type { Properties } from "./values.js";

/** Identifies a webhook across services. */
export interface WebhookAddress extends WebhookKey {
  readonly baseUrl: string;
}

/** A webhook as this run remembers it. */
export class WebhookRecord {
  /**
   * The resources that manage this webhook and that this update neither replaces nor deletes, by URN where
   * Pulumi gives one.
   */
  readonly owners = new Set<string>();
  /** Whether an argument `adopt` of the program names this webhook. */
  isAdoptDeclared = false;
  /** Whether a creation of this run has adopted it. */
  isAdopted = false;
  hasFailedToAdopt = false;
  /**
   * Whether no deletion of this run may reach it, because the service returned it for a creation: it may be
   * the webhook of another resource, or the one that the creation replaces.
   */
  isProtectedByCreation = false;
  isDeleted = false;

  /**
   * Records a resource that a comparison found unchanged, or that was imported: this update does not delete
   * its webhook. Returns all owners.
   */
  addOwner(resource: string): readonly string[] {
    return [...this.owners.add(resource)];
  }

  /**
   * Why a deletion must not reach this webhook, if it must not. A deletion is no exception if it comes from
   * the owner itself: Pulumi then deletes an old entry of the same resource, which a failed update left in
   * the state.
   */
  get protection(): Protection | undefined {
    if (this.isAdoptDeclared) {
      return "adopted";
    }
    if (this.isProtectedByCreation) {
      return "created";
    }
    return this.owners.size > 0 ? "owned" : undefined;
  }
}

/** Why a deletion must not reach a webhook. */
export type Protection = "adopted" | "created" | "owned";

/** What one Pulumi command knows about its webhooks. */
export class RunState {
  /** Whether a webhook was read, which happens only in a refresh. */
  hasRead = false;
  /** Whether arguments were checked, which happens only when the program runs. */
  hasChecked = false;
  /** Whether this run compares nothing with the program. */
  get isRefresh(): boolean {
    return this.hasRead && !this.hasChecked;
  }

  /** The old arguments of the resources in the state, by URN, where Pulumi gives one. */
  readonly oldArguments = new Map<string, Properties>();
  /** The name of the first webhook that was imported with the one secret in `DBWEBHOOKS_IMPORT_SECRET`. */
  firstImportWithSharedSecret: string | undefined;
  /** The webhooks that were read for resources unknown to Pulumi, by URN. */
  readonly imported = new Map<string, WebhookAddress>();
  /** The lists that a refresh has read, by database. */
  readonly lists = new Map<string, Promise<WebhookList>>();
  /** The databases for which a refresh has warned that it could not look up every webhook. */
  readonly warnedDatabases = new Set<string>();
  readonly #knownAnywhere = new Set<string>();
  readonly #records = new Map<string, WebhookRecord>();

  /**
   * Records the webhook that the service returned for a creation. While the program runs, no deletion reaches
   * it: a deletion that follows is part of a replacement, and if the service returned the very webhook that is
   * replaced, the deletion would remove it.
   *
   * @returns Whether the webhook is new: this run does not know it from the state, from the program or from
   * an earlier creation. Services reuse ids, so a webhook that this run has deleted counts as new.
   */
  recordCreation(address: WebhookAddress): { readonly isNew: boolean } {
    const { baseUrl, databaseId, id } = address;
    const isKnown = this.#records.has(keyOf(baseUrl, databaseId, id));
    const record = this.remember(address);
    const isExisting = isKnown && !record.isDeleted;
    record.isDeleted = false;
    record.isProtectedByCreation = isExisting || this.hasChecked;
    return { isNew: !isExisting };
  }

  /** Whether this run knows a webhook of this number, at any base URL that the service may have had. */
  knowsAtAnyBaseUrl(databaseId: string, id: string): boolean {
    return this.#knownAnywhere.has(keyOf(databaseId, id));
  }

  /** Returns the record of a webhook. From now on this run knows the webhook. */
  remember({ baseUrl, databaseId, id }: WebhookAddress): WebhookRecord {
    this.#knownAnywhere.add(keyOf(databaseId, id));
    const key = keyOf(baseUrl, databaseId, id);
    const record = this.#records.get(key) ?? new WebhookRecord();
    this.#records.set(key, record);
    return record;
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
