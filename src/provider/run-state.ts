// What one Pulumi command remembers: definite events only. No comparison protects a webhook, because Pulumi
// compares a resource several times, and deletes a moment later what looked unchanged.
import type { WebhookKey, WebhookList } from "../api/client.js";

/** Identifies a webhook across services. */
export interface WebhookAddress extends WebhookKey {
  readonly baseUrl: string;
  /** Whether the state holds a former base URL of the service, for which `baseUrl` stands. */
  readonly isFormer?: boolean;
}

const conflicts = ["adoptionFailed", "returnedInDoubt"] as const;
const protections = ["namedByAdopt", "adopted", "imported", "created"] as const;
// What no longer holds of a webhook that is gone.
const transient = ["inState", "read", "deletionSent", "created", "adopted", "imported"] as const;

/**
 * What happened to a webhook. `read`: a refresh has read it. `deletionSkipped`: its deletion was not sent, so the
 * state no longer has it. `namedByAdopt`: the program adopts it. `stillNamedByAdopt`: the last update adopted it
 * too. `returnedInDoubt`: the service returned it for a creation, and it may not be new.
 */
export type WebhookEvent =
  | (typeof conflicts)[number]
  | (typeof protections)[number]
  | (typeof transient)[number]
  | "stillNamedByAdopt"
  | "deletionSkipped";

/** Why a deletion would be wrong, so that it fails. */
export type DeletionConflict = (typeof conflicts)[number] | "sameNumberAtFormerBaseUrl";

/** Why a webhook has another resource now, so that its deletion is skipped. */
export type DeletionProtection = (typeof protections)[number];

/** What one Pulumi command knows about its webhooks. */
export class RunState {
  /** The URNs whose arguments were checked. The dynamic adapter gets none, so there "" stands for all resources. */
  readonly checkedUrns = new Set<string>();
  /** The webhooks that were imported, by the URN of their resource. */
  readonly imports = new Map<string, WebhookAddress>();
  /** The lists that a refresh has read, by database. */
  readonly lists = new Map<string, Promise<WebhookList>>();
  /** The databases for which a refresh has warned that it could not look up every webhook. */
  readonly warnedDatabases = new Set<string>();
  readonly #webhooks = new Map<string, ReturnType<typeof newRecord>>();
  #deletionCount = 0;

  record(event: WebhookEvent, address: WebhookAddress): void {
    const webhook = this.#recordOf(address);
    if (event !== "inState" || webhook.goneAt === 0) {
      webhook.events.add(event);
    }
    webhook.isAtCurrentBaseUrl ||= event === "inState" && !address.isFormer;
  }

  /** Records that a webhook no longer exists. Services reuse numbers, so a new one can get its number. */
  recordGone(address: WebhookAddress): void {
    const webhook = this.#recordOf(address);
    this.#deletionCount += 1;
    webhook.goneAt = this.#deletionCount;
    transient.forEach((event) => void webhook.events.delete(event));
  }

  has(event: WebhookEvent, address: WebhookAddress): boolean {
    return this.#recordOf(address).events.has(event);
  }

  /** Whether a webhook no longer exists, or may be gone at any moment. */
  isGoneOrGoing(address: WebhookAddress): boolean {
    return this.#recordOf(address).goneAt > 0 || this.has("deletionSent", address);
  }

  /** The current moment, for {@link isKnown}. */
  get now(): number {
    return this.#deletionCount;
  }

  /**
   * Whether this run knows a webhook, or knew it at `since`. A response with its number may then refer to that
   * webhook.
   */
  isKnown(address: WebhookAddress, since: number): boolean {
    const { events, goneAt } = this.#recordOf(address);
    return events.size > 0 || goneAt > since;
  }

  /** Returns why a deletion must not be sent, if it must not. */
  obstacleToDeletion(address: WebhookAddress): DeletionConflict | DeletionProtection | undefined {
    const { events, isAtCurrentBaseUrl } = this.#recordOf(address);
    const obstacle = [...conflicts, ...protections].find((event) => events.has(event));
    // An adoption or an import names the webhook on purpose; another webhook just has the same number.
    const isOther = obstacle === "created" || (obstacle === undefined && isAtCurrentBaseUrl);
    return address.isFormer && isOther ? "sameNumberAtFormerBaseUrl" : obstacle;
  }

  /** Records a resource of the program that has a webhook, and returns all of them. */
  holdersWith(address: WebhookAddress, urn: string): readonly string[] {
    return [...this.#recordOf(address).holders.add(urn)];
  }

  #recordOf({ baseUrl, databaseId, id }: WebhookAddress): ReturnType<typeof newRecord> {
    const key = JSON.stringify([baseUrl, databaseId, id]);
    const webhook = this.#webhooks.get(key) ?? newRecord();
    this.#webhooks.set(key, webhook);
    return webhook;
  }
}

function newRecord() {
  return {
    events: new Set<WebhookEvent>(),
    /** The number of the deletion after which the webhook no longer existed; 0 for none. */
    goneAt: 0,
    isAtCurrentBaseUrl: false,
    /** The URNs of the resources of the program that have the webhook. */
    holders: new Set<string>(),
  };
}
