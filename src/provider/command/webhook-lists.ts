// Requests the webhooks of databases.
import { type ClientContext, listWebhooks, type WebhookList } from "../../api/client.js";
import { hasMarker } from "../rules/values.js";

/** Requests a list. Pulumi could not store a webhook with one of its markers. */
export function requestList(context: ClientContext, databaseId: string): Promise<WebhookList> {
  return listWebhooks(context, databaseId, (webhook) => !hasMarker(webhook));
}

/**
 * The lists for the refreshes of one command: a refresh reads every webhook by itself, and one list
 * serves a whole database.
 */
export class RefreshLists {
  readonly #lists = new Map<string, Promise<WebhookList>>();

  request(context: ClientContext, databaseId: string): Promise<WebhookList> {
    const list = this.#lists.get(databaseId) ?? requestList(context, databaseId);
    this.#lists.set(databaseId, list);
    return list;
  }
}
