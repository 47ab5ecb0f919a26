// Finds webhooks in the list of their database.
import { listWebhooks, type WebhookKey, type WebhookList } from "../../api/client.js";
import type { ListedWebhook } from "../../api/schemas.js";
import { maxTextLength } from "../../common/plain-text.js";
import { normalizeEvents } from "../rules/arguments.js";
import { isSame } from "../rules/differences.js";
import type { WebhookState } from "../rules/state.js";
import { isUnknown } from "../rules/values.js";
import type { Context } from "./operation.js";

/** A list, and the webhook in question. A webhook that a complete list does not hold is absent. */
export interface Lookup extends WebhookList {
  readonly webhook: ListedWebhook | undefined;
}

/** The properties of a webhook that a list shows. */
export interface ListedProperties {
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId: string | undefined;
}

/** Requests the list of a webhook's database, and finds the webhook in it. */
export async function lookUp(context: Context, { databaseId, id }: WebhookKey): Promise<Lookup> {
  return findIn(await requestList(context, databaseId), id);
}

/**
 * Looks up a webhook for a refresh, which reads every webhook by itself: one list serves a whole
 * database.
 */
export async function lookUpForRefresh(
  context: Context,
  { databaseId, id }: WebhookKey,
): Promise<Lookup> {
  const { refreshLists } = context;
  const list = refreshLists.get(databaseId) ?? requestList(context, databaseId);
  refreshLists.set(databaseId, list);
  return findIn(await list, id);
}

/**
 * Returns the properties in which a listed webhook differs, with the values that the service has.
 */
export function differencesFrom(
  listed: ListedWebhook,
  expected: WebhookState,
): Partial<ListedProperties> {
  // No program can declare several tables: joined, they differ from every argument and can be
  // shown. An empty list counts as no table, because an update could not end a difference from it.
  const tables = listed.tableIds?.join(", ") ?? "";
  const tableId = tables.slice(0, maxTextLength).toWellFormed() || undefined;
  const { url, events } = listed;
  const current: ListedProperties = { url, events: normalizeEvents(events), tableId };
  const names = Object.keys(current) as (keyof ListedProperties)[];
  return Object.fromEntries(
    names
      .filter((name) => !isSame(name, current[name], expected[name]))
      .map((name) => [name, current[name]]),
  );
}

/** Requests a list. Pulumi could not store a webhook with one of its markers. */
function requestList(context: Context, databaseId: string): Promise<WebhookList> {
  return listWebhooks(context, databaseId, (webhook) => !isUnknown(webhook));
}

function findIn(list: WebhookList, id: string): Lookup {
  return { ...list, webhook: list.webhooks.find((one) => one.id === id) };
}
