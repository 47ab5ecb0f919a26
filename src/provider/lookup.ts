import { once } from "node:events";
import {
  listWebhooks,
  type NewWebhook,
  type WebhookAddress,
  type WebhookList,
} from "../api/client.js";
import type { ListedWebhook } from "../api/schemas.js";
import { shownValue } from "../common/redact.js";
import { isSame } from "./diff.js";
import { callText, lines, nameOfWebhook } from "./messages.js";
import type { Context } from "./operation.js";
import { normalizeEvents, type Properties } from "./values.js";

// Looking a webhook up in the list of its database, which the service shows with `listing` alone.

/** A list, and what it says of one webhook: one that is not on it is gone only where it is whole. */
export interface Lookup extends WebhookList {
  readonly webhook: ListedWebhook | undefined;
}

/** Asks the service for one webhook. */
export async function lookUp(
  { account, operation }: Context,
  databaseId: string,
  id: string,
): Promise<Lookup> {
  const context = operation.context(account.settings);
  return findIn(await listWebhooks(account, context, databaseId), id);
}

/**
 * Looks a webhook up for a refresh, and says in one line what the state does not show. A refresh asks
 * for each webhook alone, before anything changes: one list of each database serves them all.
 *
 * @returns The properties in which it differs, as far as is known; nothing for a webhook that is gone.
 */
export async function refreshWebhook(
  context: Context,
  { baseUrl, databaseId, id }: WebhookAddress,
  state: Properties,
  isOnlyRead: boolean,
): Promise<Properties | undefined> {
  const { account, ledger, operation } = context;
  const { settings } = account;
  const name = nameOfWebhook(id, databaseId);
  const leaveAsIs = (why: string) => {
    if (!ledger.notLookedUp.has(databaseId)) {
      ledger.notLookedUp.add(databaseId);
      operation.notify(lines.notLookedUp(databaseId, why));
    }
    return {};
  };
  if (baseUrl !== settings.baseUrl) {
    const place = shownValue(baseUrl);
    return leaveAsIs(`they were created at ${place}, and dbwebhooks:baseUrl is another`);
  }
  const list =
    ledger.lists.get(databaseId) ?? listWebhooks(account, operation.context(settings), databaseId);
  ledger.lists.set(databaseId, list);
  const { webhook, isComplete, failure } = findIn(await list, id);
  if (webhook === undefined && isComplete) {
    operation.warn(lines.gone(name, isOnlyRead));
    return undefined;
  }
  if (webhook === undefined) {
    const part = "the service may have listed only a part of them";
    return leaveAsIs(failure === undefined ? part : callText(context, failure));
  }
  const drift = driftOf(webhook, state);
  const properties = Object.keys(drift);
  operation.warn(properties.length === 0 ? undefined : lines.drift(name, properties, isOnlyRead));
  operation.warn(webhook.active ? undefined : lines.inactive(name));
  return drift;
}

/**
 * Looks for what a creation in doubt may have left: with `listing`, once, until Pulumi stops. The
 * webhooks that it finds may belong to somebody else, or to another creation in flight, so they are
 * never deleted.
 *
 * @returns The ids of webhooks like the declared one that this run does not know, and whether the
 * service listed all its webhooks.
 */
export async function lookForLeftovers(
  { account, ledger, engine, operation }: Context,
  webhook: NewWebhook,
): Promise<{ ids: readonly string[]; isComplete: boolean }> {
  const { databaseId } = webhook;
  if (!account.settings.listing) {
    return { ids: [], isComplete: false };
  }
  // The time of the creation may be over.
  const context = operation.withoutTimeLimit().context(account.settings);
  const settled = new AbortController();
  const noList = () => ({ webhooks: [], isComplete: false });
  const { webhooks, isComplete } = await Promise.race([
    listWebhooks(account, context, databaseId),
    once(engine.stopping, "abort", settled).then(noList, noList),
  ]);
  settled.abort();
  const ids = webhooks
    .filter((listed) => Object.keys(driftOf(listed, { ...webhook })).length === 0)
    .map(({ id }) => id)
    .filter((id) => !ledger.knows({ databaseId, id }));
  return { ids, isComplete };
}

/** The properties in which a listed webhook differs, with the values that it has. */
export function driftOf(listed: ListedWebhook, state: Properties): Record<string, unknown> {
  const drift: Record<string, unknown> = {};
  if (!isSameUrl(listed.url, state.url)) {
    drift.url = listed.url;
  }
  if (!isSame(listed.events, state.events)) {
    drift.events = normalizeEvents(listed.events);
  }
  // Several tables are nothing that a program can declare: the text only shows them. An empty list
  // names no table; taken for a change, every update would replace the webhook.
  const tableId = listed.tableIds?.join(", ") || undefined;
  if (!isSame(tableId, state.tableId)) {
    drift.tableId = tableId;
  }
  return drift;
}

function findIn(list: WebhookList, id: string): Lookup {
  return { ...list, webhook: list.webhooks.find((one) => one.id === id) };
}

/** Whether two texts are the same URL; services also store `https://a.example` with a `/` behind it. */
function isSameUrl(listed: string, stored: unknown): boolean {
  const areUrls = typeof stored === "string" && URL.canParse(stored) && URL.canParse(listed);
  return areUrls ? new URL(stored).href === new URL(listed).href : listed === stored;
}
