// The knowledge of one Pulumi command about its webhooks. No comparison protects the webhook of the
// resource that is compared: Pulumi compares one resource several times, and deletes a moment later
// what looked unchanged.
import type { WebhookAddress } from "../rules/webhook-address.js";
import type { WebhookError } from "./errors.js";

/** The facts about one webhook besides its id. */
interface KnownWebhook {
  /** How this command got it, if it has created or imported it. */
  readonly origin?: "created" | "imported";
  /** The URN of the resource that a comparison without differences has found to have it. */
  readonly holder?: string;
}

/** The webhooks that one Pulumi command has met, and its creations in doubt. */
export class KnownWebhooks {
  readonly #webhooks = new Map<string, KnownWebhook>();
  readonly #doubts = new Map<string, readonly WebhookError[]>();

  /**
   * Notes that an id is taken: the state holds it, or a response to a creation has named it. It
   * remains so after a deletion, because a service uses each id of a database once
   * (docs/api/README.md#ids).
   */
  noteId(address: WebhookAddress): void {
    this.#note(address, {});
  }

  noteCreated(address: WebhookAddress): void {
    this.#note(address, { origin: "created" });
  }

  /** Notes that this command has imported a webhook, which it may have created before. */
  noteImported(address: WebhookAddress): void {
    this.#note(address, { origin: this.#find(address)?.origin ?? "imported" });
  }

  noteHolder(address: WebhookAddress, urn: string): void {
    this.#note(address, { holder: urn });
  }

  /** Whether the command has met the id of a webhook, which no new webhook can have. */
  isKnown(address: WebhookAddress): boolean {
    return this.#webhooks.has(keyOf(address));
  }

  /** Whether this command has created or imported a webhook, so that it must not delete it. */
  isOwn(address: WebhookAddress): boolean {
    return this.#find(address)?.origin !== undefined;
  }

  /**
   * Whether this command has created a webhook, so that no older entry of the state may have it.
   */
  isCreated(address: WebhookAddress): boolean {
    return this.#find(address)?.origin === "created";
  }

  /** Whether a comparison has found a webhook at another resource than this one. */
  hasOtherHolder(address: WebhookAddress, urn: string | undefined): boolean {
    const holder = this.#find(address)?.holder;
    return holder !== undefined && holder !== urn;
  }

  /** Notes the error of a creation that may have left a webhook at the service. */
  noteDoubt(creation: string, error: WebhookError): void {
    this.#doubts.set(creation, [...this.doubtsOf(creation), error]);
  }

  /** Returns the errors of a creation that may have left webhooks at the service. */
  doubtsOf(creation: string): readonly WebhookError[] {
    return this.#doubts.get(creation) ?? [];
  }

  #find(address: WebhookAddress): KnownWebhook | undefined {
    return this.#webhooks.get(keyOf(address));
  }

  #note(address: WebhookAddress, facts: KnownWebhook): void {
    this.#webhooks.set(keyOf(address), { ...this.#find(address), ...facts });
  }
}

function keyOf({ baseUrl, databaseId, id }: WebhookAddress): string {
  return JSON.stringify([baseUrl, databaseId, id]);
}
