import { shownValue } from "../common/redact.js";
import { nameOfWebhook } from "../service/advice.js";
import type { ListedWebhook } from "../service/bodies.js";
import {
  type Account,
  listWebhooks,
  type WebhookAddress,
  type WebhookList,
} from "../service/client.js";
import { notify } from "../service/notify.js";
import { normalizeEvents } from "./diff.js";
import { memoryOf } from "./memory.js";

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
const memory = memoryOf(() => ({
  lists: new Map<string, Promise<WebhookList>>(),
  /** Lists of which it was said that they do not show all. */
  reported: new Set<string>(),
}));

/** Looks a webhook up for a refresh, and says in one line what the state does not show. */
export async function findWebhook(
  account: Account,
  { baseUrl, databaseId, id }: WebhookAddress,
  state: WebhookShape,
): Promise<Finding> {
  const { lists, reported } = memory(account);
  const key = JSON.stringify([baseUrl, databaseId]);
  const asked = lists.get(key) ?? listForRefresh(account, baseUrl, databaseId);
  lists.set(key, asked);
  const { webhooks, isWhole, problem } = await asked;
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
  if (!reported.has(key)) {
    reported.add(key);
    const why = problem ?? "the service may have listed only a part of them";
    notify(
      `Webhooks of database ${shownValue(databaseId)} could not all be looked up: ${why}. The state of those that were not found stays as it is.`,
    );
  }
  return { kind: "unknown" };
}

/** The properties in which a listed webhook differs, with the values that it has. */
export function driftOf(listed: ListedWebhook, state: WebhookShape): Record<string, unknown> {
  const events = normalizeEvents(listed.events);
  const drift: Record<string, unknown> = {};
  if (!isSameUrl(listed.url, state.url)) {
    drift.url = listed.url;
  }
  if (JSON.stringify(events) !== JSON.stringify(normalizeEvents(state.events))) {
    drift.events = events;
  }
  // Several tables are nothing that a program can declare: the text only shows them. An empty list is
  // no table in particular; taken for a change, it would have every update replace the webhook.
  const tableId = listed.tableIds?.join(", ") || undefined;
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
  return baseUrl === account.settings.baseUrl
    ? listWebhooks(account, databaseId)
    : {
        problem: `they were created at ${shownValue(baseUrl)}, and dbwebhooks:baseUrl is another`,
      };
}

/** Whether two texts are the same URL; services also store `https://a.example` with a `/` behind it. */
function isSameUrl(listed: string, stored: unknown): boolean {
  const areUrls = typeof stored === "string" && URL.canParse(stored) && URL.canParse(listed);
  return areUrls ? new URL(stored).href === new URL(listed).href : listed === stored;
}
