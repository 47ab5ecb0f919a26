// Finds webhooks in the list of their database, which needs the setting `listing`.
import { once } from "node:events";
import { listWebhooks, type NewWebhook, type WebhookKey, type WebhookList } from "../api/client.js";
import type { ListedWebhook } from "../api/schemas.js";
import { normalizeEvents } from "./arguments.js";
import { isSame } from "./differences.js";
import type { Context } from "./operation.js";
import type { WebhookState } from "./state.js";
import { isUnknown } from "./values.js";

/** A list, and the webhook in question. A webhook that a complete list does not hold is absent. */
export interface Lookup extends WebhookList {
  readonly webhook: ListedWebhook | undefined;
}

/** The properties of a webhook that a list shows. Only the table can be missing. */
export type ListedProperties = Required<Pick<WebhookState, "url" | "events" | "tableId">>;

/** Requests the list of a webhook's database, and finds the webhook in it. */
export async function lookUp(context: Context, { databaseId, id }: WebhookKey): Promise<Lookup> {
  return findIn(await requestList(context, databaseId), id);
}

/** Looks up a webhook for a refresh. */
export async function lookUpForRefresh(
  context: Context,
  { databaseId, id }: WebhookKey,
): Promise<Lookup> {
  const request = () => requestList(context, databaseId);
  return findIn(await context.sharedLists.forRefresh(databaseId, request), id);
}

/** Looks up a webhook of which the service has just responded that it does not exist. */
export async function lookUpAfterDeletion(
  context: Context,
  { databaseId, id }: WebhookKey,
): Promise<Lookup> {
  const request = () => requestList(context, databaseId);
  return findIn(await context.sharedLists.afterNow(databaseId, request), id);
}

/**
 * Looks for webhooks that a creation in doubt may have left behind. Requests one list if the setting `listing`
 * is on, and gives up when Pulumi stops. The webhooks that it finds are never deleted: a resource that a forced
 * replacement replaces may have them, another stack, or another creation in flight.
 *
 * @param startedAt The moment at which the creation began.
 * @returns The ids of the webhooks that are like the declared one and that this run neither knows nor knew when the
 * creation began, and whether the list was complete.
 */
export async function findCandidates(
  context: Context,
  webhook: NewWebhook,
  startedAt: number,
): Promise<{ ids: readonly string[]; isComplete: boolean }> {
  const { settings, runState, engineMonitor } = context;
  const { databaseId } = webhook;
  if (!settings.listing) {
    return { ids: [], isComplete: false };
  }
  const raceEnd = new AbortController();
  const noList = () => ({ webhooks: [], isComplete: false });
  const { webhooks, isComplete } = await Promise.race([
    requestList(context, databaseId),
    once(engineMonitor.stopping, "abort", raceEnd).then(noList, noList),
  ]);
  raceEnd.abort();
  const ids = webhooks
    .filter((listed) => Object.keys(differencesFrom(listed, webhook)).length === 0)
    .map(({ id }) => id)
    .filter((id) => !runState.isKnown({ baseUrl: settings.baseUrl, databaseId, id }, startedAt));
  return { ids, isComplete };
}

/** Returns the properties in which a listed webhook differs, with the values that the service has. */
export function differencesFrom(
  listed: ListedWebhook,
  expected: WebhookState,
): Partial<ListedProperties> {
  // No program can declare several tables: joined, they differ from every argument and can be shown. An empty
  // list counts as no table, because an update could not end a difference from it.
  const tableId = listed.tableIds?.join(", ") || undefined;
  const current = { url: listed.url, events: normalizeEvents(listed.events), tableId };
  const names = Object.keys(current) as (keyof typeof current)[];
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
