import { nameOfWebhook } from "./advice.js";
import { type Account, listWebhooks, type WebhookAddress, type WebhookList } from "./client.js";
import { normalizeEvents } from "./diff.js";
import { memoryOf } from "./memory.js";
import { notify } from "./notify.js";
import { shownValue } from "./redact.js";
import type { ListedWebhook } from "./wire.js";

/** What is compared of a webhook. */
export interface WebhookShape {
  readonly url?: unknown;
  readonly events?: unknown;
  readonly tableId?: unknown;
}

/** What a refresh has found out about a webhook. */
export type Finding =
  | { readonly kind: "gone" | "unknown" }
  | { readonly kind: "found"; readonly drift: Readonly<Record<string, unknown>> };

// A refresh asks for each webhook alone, and before anything changes: one list of each database does.
const listsOf = memoryOf(() => new Map<string, Promise<WebhookList>>());

/** Looks a webhook up for a refresh, and says in one line what the state does not show. */
export async function findWebhook(
  account: Account,
  { baseUrl, databaseId, id }: WebhookAddress,
  state: WebhookShape,
): Promise<Finding> {
  const lists = listsOf(account);
  const key = JSON.stringify([baseUrl, databaseId]);
  const list = lists.get(key) ?? listForRefresh(account, baseUrl, databaseId);
  lists.set(key, list);
  const { webhooks, isWhole } = await list;
  const name = nameOfWebhook(id, databaseId);
  const listed = webhooks?.find((webhook) => webhook.id === id);
  if (listed !== undefined) {
    const drift = driftOf(listed, state);
    const names = Object.keys(drift).join(", ");
    if (names !== "") {
      notify(
        `${name} is not as it was declared: ${names}. The next "pulumi up" replaces it, with a new secret, unless the program says the same by then.`,
      );
    }
    if (!listed.active) {
      notify(`${name} is switched off at the service: it sends no notifications.`);
    }
    return { kind: "found", drift };
  }
  if (isWhole === true) {
    notify(
      `${name} is gone from the service. The next "pulumi up" creates a new one, with a new secret.`,
    );
    return { kind: "gone" };
  }
  return { kind: "unknown" };
}

/** The properties in which a listed webhook differs, with the values that it has. */
export function driftOf(listed: ListedWebhook, state: WebhookShape): Record<string, unknown> {
  const events = normalizeEvents(listed.events);
  const drift: Record<string, unknown> = {};
  if (listed.url !== state.url) {
    drift.url = listed.url;
  }
  if (JSON.stringify(events) !== JSON.stringify(normalizeEvents(state.events))) {
    drift.events = events;
  }
  // Several tables, or none, are nothing that a program can declare: the text only shows them.
  const tableId = listed.tableIds === null ? undefined : listed.tableIds.join(", ");
  if (tableId !== (state.tableId ?? undefined)) {
    drift.tableId = tableId;
  }
  return drift;
}

async function listForRefresh(
  account: Account,
  baseUrl: string,
  databaseId: string,
): Promise<WebhookList> {
  const list =
    baseUrl === account.settings.baseUrl
      ? await listWebhooks(account, databaseId)
      : {
          problem: `they were created at ${shownValue(baseUrl)}, and dbwebhooks:baseUrl is another`,
        };
  const problem =
    list.problem ?? (list.isWhole ? undefined : "the service may have listed only a part of them");
  if (problem !== undefined) {
    notify(
      `Webhooks of database ${shownValue(databaseId)} could not all be looked up: ${problem}. The state of those that were not found stays as it is.`,
    );
  }
  return list;
}
