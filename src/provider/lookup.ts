// Finds webhooks in the list of their database, which needs the setting `listing`.
import { once } from "node:events";
import { listWebhooks, type NewWebhook, type WebhookList } from "../api/client.js";
import type { ListedWebhook } from "../api/schemas.js";
import { normalizeEvents } from "./arguments.js";
import { isSame } from "./diff.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";
import type { Properties } from "./values.js";

/** A list, and the webhook in question. A webhook that a complete list does not hold is gone. */
export interface Lookup extends WebhookList {
  readonly webhook: ListedWebhook | undefined;
}

/** Requests the list of a database and finds one webhook in it. */
export async function lookUp(context: Context, databaseId: string, id: string): Promise<Lookup> {
  return findIn(await listWebhooks(context, databaseId), id);
}

/**
 * Looks up a webhook for a refresh. A refresh asks for every webhook separately, before anything changes,
 * so one list of each database serves all of them.
 */
export async function lookUpOnce(
  context: Context,
  { databaseId, id }: WebhookAddress,
): Promise<Lookup> {
  const { lists } = context.runState;
  const list = lists.get(databaseId) ?? listWebhooks(context, databaseId);
  lists.set(databaseId, list);
  return findIn(await list, id);
}

/**
 * Looks for webhooks that a creation in doubt may have left: with `listing`, once, until Pulumi stops. The
 * webhooks may also come from another stack or from another creation in flight, so they are never deleted.
 *
 * @returns The ids of the webhooks like the declared one that this run does not know, and whether the list
 * was complete.
 */
export async function lookForLeftovers(
  context: Context,
  webhook: NewWebhook,
): Promise<{ ids: readonly string[]; isComplete: boolean }> {
  const { settings, runState, engine, operation } = context;
  const { databaseId } = webhook;
  if (!settings.listing) {
    return { ids: [], isComplete: false };
  }
  // The deadline of the creation may have passed.
  const lookup = { ...context, operation: operation.withoutDeadline() };
  const settled = new AbortController();
  const noList = () => ({ webhooks: [], isComplete: false });
  const { webhooks, isComplete } = await Promise.race([
    listWebhooks(lookup, databaseId),
    once(engine.stopping, "abort", settled).then(noList, noList),
  ]);
  settled.abort();
  const ids = webhooks
    .filter((listed) => Object.keys(driftOf(listed, { ...webhook })).length === 0)
    .map(({ id }) => id)
    .filter((id) => !runState.knowsAnywhere(databaseId, id));
  return { ids, isComplete };
}

/** Returns the properties in which a listed webhook differs, with the values that the service has. */
export function driftOf(listed: ListedWebhook, expected: Properties): Record<string, unknown> {
  // A program cannot declare several tables, so their text only shows them. An empty list names no table;
  // if it counted as drift, every update would replace the webhook.
  const tableId = listed.tableIds?.join(", ") || undefined;
  const current = { url: listed.url, events: normalizeEvents(listed.events), tableId };
  return Object.fromEntries(
    Object.entries(current).filter(([name, value]) => !isSame(name, value, expected[name])),
  );
}

function findIn(list: WebhookList, id: string): Lookup {
  return { ...list, webhook: list.webhooks.find((one) => one.id === id) };
}
