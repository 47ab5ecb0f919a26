import type { ListedWebhook } from "../api/schemas.js";
import { differencesFrom, type ListedProperties, lookUpInCachedList } from "./lookup.js";
import { nameOfWebhook } from "./messages/names.js";
import {
  absentFromListText,
  driftText,
  inactiveText,
  lookupProblems,
  notLookedUpText,
} from "./messages/refresh.js";
import { callText } from "./messages/requests.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";
import type { WebhookState } from "./state.js";

/** The properties that differ from the state, with the values that the service has. */
export type Drift = Partial<ListedProperties>;

/**
 * Looks up a webhook for a refresh, and warns of its differences from the state and of a switched-off webhook.
 * A failed lookup finds no drift.
 *
 * @param declared The arguments of the last update, where Pulumi passes them.
 * @returns `"absent"` if the service no longer has the webhook.
 */
export async function refreshWebhook(
  context: Context,
  address: WebhookAddress,
  state: WebhookState,
  declared: WebhookState | undefined,
): Promise<Drift | "absent"> {
  const { settings, runState, operation } = context;
  const { baseUrl, databaseId, id } = address;
  if (baseUrl !== settings.baseUrl) {
    warnNotLookedUp(context, databaseId, lookupProblems.otherBaseUrl(baseUrl));
    return {};
  }
  const name = nameOfWebhook(id, databaseId);
  const { webhook, isComplete, failure } = await lookUpInCachedList(context, address);
  if (webhook === undefined && isComplete) {
    runState.recordGone(address);
    operation.warn(absentFromListText(name));
    return "absent";
  }
  if (webhook === undefined) {
    const why = failure
      ? lookupProblems.listFailed(callText(context, failure))
      : lookupProblems.incompleteList;
    warnNotLookedUp(context, databaseId, why);
    return {};
  }
  const drift = differencesFrom(webhook, state);
  const properties = Object.keys(drift);
  if (properties.length > 0) {
    operation.warn(driftText(name, properties, isAsDeclared(webhook, declared)));
  }
  if (!webhook.active) {
    operation.warn(inactiveText(name));
  }
  return drift;
}

function isAsDeclared(
  webhook: ListedWebhook,
  declared: WebhookState | undefined,
): boolean | undefined {
  return declared && Object.keys(differencesFrom(webhook, declared)).length === 0;
}

/**
 * Warns once for each database: a refresh that could look up nothing must not look like one that found no
 * drift.
 */
function warnNotLookedUp({ runState, operation }: Context, databaseId: string, why: string): void {
  if (!runState.warnedDatabases.has(databaseId)) {
    runState.warnedDatabases.add(databaseId);
    operation.warn(notLookedUpText(databaseId, why));
  }
}
