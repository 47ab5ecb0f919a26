// Requests the webhooks of databases.
import { listWebhooks, type WebhookList } from "../../api/client.js";
import { hasMarker } from "../rules/values.js";
import type { Context } from "./operation.js";

/** Requests a list. Pulumi could not store a webhook with one of its markers. */
export function requestList(context: Context, databaseId: string): Promise<WebhookList> {
  return listWebhooks(context, databaseId, (webhook) => !hasMarker(webhook));
}

/**
 * Requests a list for a refresh, once per command: a refresh reads every webhook by itself, and one
 * list serves a whole database.
 */
export function requestRefreshList(context: Context, databaseId: string): Promise<WebhookList> {
  const { refreshLists } = context;
  const list = refreshLists.get(databaseId) ?? requestList(context, databaseId);
  refreshLists.set(databaseId, list);
  return list;
}
