import type { ListedWebhook } from "../service/bodies.js";
import { type Account, listWebhooks, type WebhookList } from "../service/client.js";
import type { Operation } from "../service/operation.js";

/** What a list says of one webhook. */
export type Lookup =
  | { readonly kind: "listed"; readonly webhook: ListedWebhook }
  | { readonly kind: "absent" }
  /** There is no list, for this reason, or one that may be a part of all webhooks. */
  | { readonly kind: "unknown"; readonly problem: string | undefined };

/** Asks the service for one webhook, by the list of its database. */
export async function lookUp(
  account: Account,
  operation: Operation,
  databaseId: string,
  id: string,
): Promise<Lookup> {
  return findIn(await listWebhooks(account, operation, databaseId), id);
}

/** Looks for a webhook in a list. It is absent only from a list of all webhooks. */
export function findIn({ webhooks, isWhole, problem }: WebhookList, id: string): Lookup {
  const webhook = webhooks?.find((one) => one.id === id);
  if (webhook !== undefined) {
    return { kind: "listed", webhook };
  }
  return isWhole ? { kind: "absent" } : { kind: "unknown", problem };
}

/** Why a list does not tell whether a webhook exists, as a sentence about that webhook. */
export function whyUnknown({ problem }: Lookup & { readonly kind: "unknown" }): string {
  return problem === undefined
    ? "the service does not list it, but may have listed only a part of its webhooks."
    : `it could not be looked up: ${problem}.`;
}
