// What one Pulumi command remembers: the webhooks that it knows, and a verdict on the deletion of some of them.
// Whoever learns a fact stores the verdict, and a deletion obeys it. No comparison protects a webhook, because
// Pulumi compares a resource several times, and deletes a moment later what looked unchanged.
import type { WebhookKey } from "../api/client.js";

/** Identifies a webhook across services. */
export interface WebhookAddress extends WebhookKey {
  readonly baseUrl: string;
}

/** How a webhook got another resource in this command. */
export type SpareReason = "namedByAdopt" | "adopted" | "imported" | "created";

/**
 * Why the entry of a webhook must stay in the state. `returnedInDoubt`: the service returned it for a creation, and it
 * may not be new. `adoptedWithUnknowns`: the program adopts it with arguments that are not known yet.
 */
export type RefusalReason = "adoptionFailed" | "returnedInDoubt" | "adoptedWithUnknowns";

/** What a deletion does, without a request. `spared`: it counts as done. `refused`: it fails. */
export type Verdict =
  | { readonly kind: "spared"; readonly reason: SpareReason }
  | { readonly kind: "refused"; readonly reason: RefusalReason };

/** A check that names a webhook in `adopt`. */
interface AdoptionCheck {
  /** Identifies the resource; empty in the dynamic adapter. */
  readonly urn: string;
  /** Whether the check has old arguments, and these do not adopt the webhook. */
  readonly isFirstOfTwo: boolean;
  /** Whether the check has no old arguments. */
  readonly isSecondOfTwo: boolean;
}

/** What one Pulumi command knows about its webhooks. */
export class RunState {
  /** The URNs whose arguments were checked. The dynamic adapter gets none, so there "" stands for all resources. */
  readonly checkedUrns = new Set<string>();
  /** The URNs of the resources that this command has imported. */
  readonly importedUrns = new Set<string>();
  /** The webhooks that a refresh has read. */
  readonly readWebhooks = new WebhookSet();
  /** What a refresh has warned of once for several webhooks. */
  readonly refreshWarnings = new Set<string>();
  /** The webhooks whose deletion was sent, so that they may be gone at any moment. */
  readonly deletingWebhooks = new WebhookSet();
  /** The webhooks whose deletion counted as done without a request, so that Pulumi removes their entry. */
  readonly sparedWebhooks = new WebhookSet();
  readonly #known = new WebhookSet();
  /** When a webhook was noted as absent last: the number of that absence. */
  readonly #absences = new WebhookMap<number>();
  readonly #verdicts = new WebhookMap<Verdict>();
  /** The webhooks that a check names in `adopt`, each with the resource whose second check may name it too. */
  readonly #claims = new WebhookMap<{ readonly firstUrn: string | undefined }>();
  #absenceCount = 0;

  /** Notes that the state holds a webhook, unless it is already known to be absent. */
  noteInState(address: WebhookAddress): void {
    if (!this.#absences.has(address)) {
      this.#known.add(address);
    }
  }

  /** Notes that a webhook no longer exists. Services reuse numbers, so a new one can get its number. */
  noteAbsent(address: WebhookAddress): void {
    this.#absenceCount += 1;
    this.#absences.set(address, this.#absenceCount);
    this.deletingWebhooks.delete(address);
    if (this.isHeld(address)) {
      this.#verdicts.delete(address);
    }
    // The number of a creation in doubt stays known: the webhook in doubt may be the new one.
    if (!this.#verdicts.has(address)) {
      this.#known.delete(address);
    }
  }

  /** Whether a webhook no longer exists, or may be gone at any moment. */
  isAbsentOrGoing(address: WebhookAddress): boolean {
    return this.#absences.has(address) || this.deletingWebhooks.has(address);
  }

  /** The current moment, for {@link isKnown}. */
  get now(): number {
    return this.#absenceCount;
  }

  /**
   * Whether this run knows a webhook, or knew it at `since`. A response with its number may then refer to that
   * webhook.
   */
  isKnown(address: WebhookAddress, since: number): boolean {
    return this.#known.has(address) || (this.#absences.get(address) ?? 0) > since;
  }

  /** Lets every deletion of a webhook count as done, because the webhook has another resource now. */
  spare(address: WebhookAddress, reason: SpareReason): void {
    this.#known.add(address);
    if (reason === "created") {
      this.#absences.delete(address);
    }
    if (this.verdictOn(address)?.kind !== "refused") {
      this.#verdicts.set(address, { kind: "spared", reason });
    }
  }

  /** Lets every deletion of a webhook fail. This wins over {@link spare}. */
  refuse(address: WebhookAddress, reason: RefusalReason): void {
    this.#known.add(address);
    this.#verdicts.set(address, { kind: "refused", reason });
  }

  verdictOn(address: WebhookAddress): Verdict | undefined {
    return this.#verdicts.get(address);
  }

  /** Whether this command has created, adopted or imported a webhook for a resource. */
  isHeld(address: WebhookAddress): boolean {
    const verdict = this.verdictOn(address);
    return verdict?.kind === "spared" && verdict.reason !== "namedByAdopt";
  }

  /**
   * Notes that a check names a webhook in `adopt`. Before the replacement of a resource that has another webhook, or of
   * one whose deletion an earlier command has done, Pulumi checks twice: with the old arguments, and without them.
   *
   * @param adoption The URN of the resource, and which of the two checks this may be.
   * @returns Whether no other check has named the webhook, except the first of these two.
   */
  claimForAdoption(
    address: WebhookAddress,
    { urn, isFirstOfTwo, isSecondOfTwo }: AdoptionCheck,
  ): boolean {
    const claim = this.#claims.get(address);
    const firstUrn = claim === undefined && isFirstOfTwo ? urn : undefined;
    this.#claims.set(address, { firstUrn });
    if (!this.isHeld(address)) {
      this.spare(address, "namedByAdopt");
    }
    return claim === undefined || (isSecondOfTwo && claim.firstUrn === urn);
  }
}

/** A map of webhooks. */
class WebhookMap<Value> {
  readonly #values = new Map<string, Value>();

  get(address: WebhookAddress): Value | undefined {
    return this.#values.get(keyOf(address));
  }

  has(address: WebhookAddress): boolean {
    return this.#values.has(keyOf(address));
  }

  set(address: WebhookAddress, value: Value): void {
    this.#values.set(keyOf(address), value);
  }

  delete(address: WebhookAddress): void {
    this.#values.delete(keyOf(address));
  }
}

/** A set of webhooks. */
class WebhookSet extends WebhookMap<true> {
  add(address: WebhookAddress): void {
    this.set(address, true);
  }
}

function keyOf({ baseUrl, databaseId, id }: WebhookAddress): string {
  return JSON.stringify([baseUrl, databaseId, id]);
}
