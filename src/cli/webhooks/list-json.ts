import { jsonFileText } from "../../common/json.js";
import type { Settings } from "../../provider/rules/settings.js";
import {
  creationsIn,
  type DatabaseList,
  type Holder,
  holdersElsewhere,
  type StateReadings,
  type WebhookRow,
} from "./comparison.js";

/** Formats lists as JSON. Without a state, the resources that have the webhooks are not known. */
export function jsonOf(
  lists: readonly DatabaseList<WebhookRow>[],
  { before, after }: StateReadings,
  settings: Pick<Settings, "baseUrl">,
): string {
  if (after.length === 0) {
    return jsonFileText({ databases: lists.map((list) => databaseOf(list, webhookOf)) });
  }
  const listed = lists.map(({ databaseId }) => databaseId);
  const creations = creationsIn(listed, [...after, ...before]);
  return jsonFileText({
    databases: lists.map((list) => databaseOf(list, webhookWithResourcesOf)),
    pendingCreations: creations.map(({ state, urn, databaseId }) => {
      return { state: state.name, urn, databaseId };
    }),
    resourcesElsewhere: holdersElsewhere(after, settings).map((holder) => {
      const { id, databaseId } = holder.address;
      return { state: holder.state.name, databaseId, id, ...resourceOf(holder) };
    }),
  });
}

function databaseOf(
  { databaseId, ...list }: DatabaseList<WebhookRow>,
  format: (row: WebhookRow) => object,
) {
  return list.error === undefined
    ? { databaseId, isComplete: list.isComplete, webhooks: list.webhooks.map(format) }
    : { databaseId, error: list.error };
}

function webhookWithResourcesOf(row: WebhookRow) {
  const resources = row.holders.map(resourceOf);
  return { ...webhookOf(row), resources, isUnmanaged: row.isUnmanaged };
}

function webhookOf({ id, listed }: WebhookRow) {
  if (typeof listed === "string") {
    return { id, status: listed };
  }
  const { url, events, tables, active } = listed;
  return { id, status: "listed", url, events, ...(tables && { tables }), active };
}

function resourceOf({ urn, address, isPendingDeletion, isElsewhere }: Holder) {
  return { urn, baseUrl: address.baseUrl, isElsewhere, isPendingDeletion };
}
