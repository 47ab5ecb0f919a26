import { jsonFileText } from "../../common/json.js";
import type { DatabaseList, WebhookRow } from "../../provider/list.js";
import type { StackState } from "../../provider/rules/exported-state.js";

/**
 * Formats lists as JSON.
 *
 * @param states Without one, the resources that have the webhooks are not known.
 */
export function jsonOf(lists: readonly DatabaseList[], states: readonly StackState[]): string {
  const hasStates = states.length > 0;
  const databases = lists.map((list) => databaseOf(list, hasStates));
  const pendingCreations = states.flatMap((state) => state.pendingCreations);
  return jsonFileText({ databases, ...(hasStates && { pendingCreations }) });
}

function databaseOf({ databaseId, ...list }: DatabaseList, hasStates: boolean) {
  if (list.error !== undefined) {
    return { databaseId, error: list.error.message };
  }
  const webhooks = list.rows.map((row) => ({
    ...webhookOf(row),
    ...(hasStates && { resources: resourcesOf(row) }),
  }));
  return { databaseId, isComplete: list.isComplete, webhooks };
}

function webhookOf({ id, listed }: WebhookRow) {
  if (typeof listed === "string") {
    return { id, status: listed };
  }
  const { url, events, tables, active } = listed;
  return { id, status: "listed", url, events, ...(tables && { tables }), active };
}

function resourcesOf({ holders }: WebhookRow) {
  return holders.map(({ urn, address, isPendingDeletion, isElsewhere }) => {
    return { urn, baseUrl: address.baseUrl, isElsewhere, isPendingDeletion };
  });
}
