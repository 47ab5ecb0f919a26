import { nameOfWebhook } from "../service/advice.js";
import type { WebhookAddress } from "../service/client.js";
import { WebhookError } from "../service/errors.js";
import type { Ledger } from "./ledger.js";
import { idToAdopt } from "./state.js";
import type { Properties } from "./values.js";

/**
 * What tells the resources of a program apart: the URN. Where Pulumi does not give it, all are one, and
 * what they declare does not tell either: `ignoreChanges` holds for a comparison, not for a replacement.
 */
export function resourceKeyOf(urn: string | undefined): string {
  return urn ?? "";
}

/** Notes that the program names a webhook: no deletion in this run may reach it. */
export function noteAdopt(ledger: Ledger, baseUrl: string, inputs: Properties): void {
  const id = idToAdopt(inputs);
  const { databaseId } = inputs;
  if (id !== undefined && typeof databaseId === "string") {
    ledger.entryOf({ baseUrl, databaseId, id }).isNamed = true;
  }
}

/** Fails when a resource is to keep its webhook, but another resource of the program adopts it. */
export function claimWebhook(ledger: Ledger, address: WebhookAddress, news: Properties): void {
  const entry = ledger.entryOf(address);
  const isNaming = idToAdopt(news) !== undefined;
  if (entry.owner === "adopting" || (isNaming ? entry.owner === "silent" : entry.isNamed)) {
    throw new WebhookError(
      `Compare ${nameOfWebhook(address.id, address.databaseId)} failed: two resources of this program manage it, one of them with adopt, and each would delete it. Remove adopt, or one of them. If both are in the state, first remove one from it with "pulumi state delete", which deletes no webhook.`,
    );
  }
  entry.owner = isNaming ? "naming" : "silent";
}

/**
 * Notes that a resource of the program has this webhook, so that no deletion of another resource
 * reaches it.
 *
 * @returns A warning when another resource has the same webhook.
 */
export function keepWebhook(
  ledger: Ledger,
  address: WebhookAddress,
  resource: string,
): string | undefined {
  const { keepers } = ledger.entryOf(address);
  keepers.add(resource);
  const others = [...keepers].filter((keeper) => keeper !== resource);
  return others.length === 0
    ? undefined
    : `Two resources manage ${nameOfWebhook(address.id, address.databaseId)}: ${[...others, resource].join(" and ")}. Remove one of them from the program, and from the state with "pulumi state delete", which deletes no webhook.`;
}

/**
 * Gives up a webhook whose resource is deleted. Returns why it must stay at the service; nothing where
 * it must not.
 *
 * `adopted`: the deletion is a part of the replacement of a webhook by itself, because `adopt` names it.
 * Pulumi gives no other hint, and comes back to that deletion in a later run when the run that replaced
 * the webhook has failed. Fails when the adoption has failed.
 *
 * `shared`: another resource of the program has it too.
 */
export function releaseWebhook(
  ledger: Ledger,
  address: WebhookAddress,
): "adopted" | "shared" | undefined {
  const entry = ledger.entryOf(address);
  if (!entry.isNamed && [...entry.keepers].some((keeper) => !ledger.createdAnew.has(keeper))) {
    return "shared";
  }
  entry.owner = undefined;
  if (entry.isNamed && entry.hasFailedToAdopt) {
    throw new WebhookError(
      `Delete ${nameOfWebhook(address.id, address.databaseId)} failed: the program adopts it, and the adoption failed in this run. Nothing was sent, and the webhook stays in the state.`,
    );
  }
  return entry.isNamed ? "adopted" : undefined;
}
