import { shownValue } from "../common/redact.js";
import { nameOfWebhook } from "../service/advice.js";
import {
  type Account,
  listWebhooks,
  type WebhookAddress,
  type WebhookList,
} from "../service/client.js";
import type { Operation } from "../service/operation.js";
import { driftOf, type WebhookShape } from "./drift.js";
import type { Ledger } from "./ledger.js";
import { findIn } from "./lookup.js";

/** What a refresh has found out about a webhook. */
export type Finding =
  | { readonly kind: "gone" | "unknown" }
  | { readonly kind: "found"; readonly drift: Readonly<Record<string, unknown>> };

/**
 * Looks a webhook up for a refresh, and says in one line what the state does not show. A refresh asks
 * for each webhook alone, before anything changes: one list of each database serves them all.
 */
export async function findWebhook(
  account: Account,
  ledger: Ledger,
  operation: Operation,
  address: WebhookAddress,
  state: WebhookShape,
): Promise<Finding> {
  const { databaseId, id } = address;
  const entry = ledger.listOf(address, () => listAt(account, operation, address));
  const found = findIn(await entry.list, id);
  const name = nameOfWebhook(id, databaseId);
  if (found.kind === "listed") {
    const { webhook: listed } = found;
    const drift = driftOf(listed, state);
    const names = Object.keys(drift).join(", ");
    if (names !== "") {
      operation.warn(
        `Drift of ${name}: ${names}. The next "pulumi up" replaces it, with a new secret, unless the program then declares the same.`,
      );
    }
    if (!listed.active) {
      operation.warn(`The service has switched off ${name}: it sends no notifications.`);
    }
    return { kind: "found", drift };
  }
  if (found.kind === "absent") {
    operation.warn(
      `The service no longer has ${name}. The next "pulumi up" creates a new one, with a new secret.`,
    );
    return { kind: "gone" };
  }
  if (!entry.isReported) {
    entry.isReported = true;
    const why = found.problem ?? "the service may have listed only a part of them";
    operation.notify(
      `Not all webhooks of database ${shownValue(databaseId)} could be looked up: ${why}. The state of those that were not found stays as it is.`,
    );
  }
  return { kind: "unknown" };
}

async function listAt(
  account: Account,
  operation: Operation,
  { baseUrl, databaseId }: WebhookAddress,
): Promise<WebhookList> {
  return baseUrl === account.settings.baseUrl
    ? listWebhooks(account, operation, databaseId)
    : {
        problem: `they were created at ${shownValue(baseUrl)}, and dbwebhooks:baseUrl is another`,
      };
}
