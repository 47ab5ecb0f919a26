// Finds webhooks in the list of their database, which needs the setting `listing`.
import { once } from "node:events";
import { listWebhooks, type NewWebhook, type WebhookKey, type WebhookList } from "../api/client.js";
import type { ListedWebhook } from "../api/schemas.js";
import { normalizeEvents } from "./arguments.js";
import { isSame } from "./diff.js";
import type { Context } from "./operation.js";
import type { Properties } from "./values.js";

/** A list, and the webhook in question. A webhook that a complete list does not hold is gone. */
export interface Lookup extends WebhookList {
  readonly webhook: ListedWebhook | undefined;
}

/** Finds a webhook in the list of its database, which is requested unless it is given. */
export async function lookUp(
  context: Context,
  { databaseId, id }: WebhookKey,
  list = listWebhooks(context, databaseId),
): Promise<Lookup> {
  const result = await list;
  return { ...result, webhook: result.webhooks.find((one) => one.id === id) };
}

/**
 * Looks up a webhook for a refresh. A refresh asks for every webhook separately, before anything changes,
 * so one list of each database serves all of them.
 */
export function lookUpInCachedList(context: Context, webhook: WebhookKey): Promise<Lookup> {
  const { databaseId } = webhook;
  const { lists } = context.runState;
  const list = lists.get(databaseId) ?? listWebhooks(context, databaseId);
  lists.set(databaseId, list);
  return lookUp(context, webhook, list);
}

/**
 * Looks for webhooks that a creation in doubt may have left behind. Requests one list if the setting `listing`
 * is on, and gives up when Pulumi stops. The webhooks that it finds are never deleted: they may belong to
 * another stack or to another creation in flight.
 *
 * @returns The ids of the webhooks that are like the declared one and unknown to this run, and whether the
 * list was complete.
 */
export async function lookForOrphans(
  context: Context,
  webhook: NewWebhook,
): Promise<{ ids: readonly string[]; isComplete: boolean }> {
  const { settings, runState, engineMonitor, operation } = context;
  const { databaseId } = webhook;
  if (!settings.listing) {
    return { ids: [], isComplete: false };
  }
  // The deadline of the creation may have passed.
  const contextWithoutDeadline = { ...context, operation: operation.withoutDeadline() };
  const raceEnd = new AbortController();
  const noList = () => ({ webhooks: [], isComplete: false });
  const { webhooks, isComplete } = await Promise.race([
    listWebhooks(contextWithoutDeadline, databaseId),
    once(engineMonitor.stopping, "abort", raceEnd).then(noList, noList),
  ]);
  raceEnd.abort();
  const ids = webhooks
    .filter((listed) => Object.keys(differencesFrom(listed, { ...webhook })).length === 0)
    .map(({ id }) => id)
    .filter((id) => !runState.knowsAtAnyBaseUrl(databaseId, id));
  return { ids, isComplete };
}

/** Returns the properties in which a listed webhook differs, with the values that the service has. */
export function differencesFrom(
  listed: ListedWebhook,
  expected: Properties,
): Record<string, unknown> {
  // No program can declare several tables: joined, they differ from every argument and can be shown. An empty
  // list counts as no table, because an update could not end a difference from it.
  const tableId = listed.tableIds?.join(", ") || undefined;
  const current = { url: listed.url, events: normalizeEvents(listed.events), tableId };
  return Object.fromEntries(
    Object.entries(current).filter(([name, value]) => !isSame(name, value, expected[name])),
  );
}
