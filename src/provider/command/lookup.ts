// Finds webhooks in the list of their database.
import { listWebhooks, type WebhookList, type WebhookRef } from "../../api/client.js";
import type { ListedWebhook } from "../../api/schemas.js";
import { hasMarker } from "../rules/values.js";
import type { Context } from "./operation.js";

/** A list, and the webhook in question. A webhook that a complete list does not hold is absent. */
export interface Lookup extends WebhookList {
  readonly webhook: ListedWebhook | undefined;
}

/** Requests the list of a webhook's database, and finds the webhook in it. */
export async function lookUp(context: Context, { databaseId, id }: WebhookRef): Promise<Lookup> {
  return findIn(await requestList(context, databaseId), id);
}

/**
 * Looks up a webhook for a refresh, which reads every webhook by itself: one list serves a whole
 * database.
 */
export async function lookUpForRefresh(
  context: Context,
  { databaseId, id }: WebhookRef,
): Promise<Lookup> {
  const { refreshLists } = context;
  const list = refreshLists.get(databaseId) ?? requestList(context, databaseId);
  refreshLists.set(databaseId, list);
  return findIn(await list, id);
}

/** Requests a list. Pulumi could not store a webhook with one of its markers. */
function requestList(context: Context, databaseId: string): Promise<WebhookList> {
  return listWebhooks(context, databaseId, (webhook) => !hasMarker(webhook));
}

function findIn(list: WebhookList, id: string): Lookup {
  return { ...list, webhook: list.webhooks.find((one) => one.id === id) };
}
