import { shownValue } from "../common/redact.js";
import { differencesFrom, lookUpInCachedList } from "./lookup.js";
import { callText, messageParts, messages, nameOfWebhook } from "./messages.js";
import type { Context, OperationOptions } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";
import type { Properties } from "./values.js";

/**
 * Looks up a webhook for a refresh, and warns of its differences from the state and of a switched-off webhook.
 *
 * @returns The properties that differ, with the values that the service has; `undefined` if the webhook is
 * gone. No property differs if the lookup fails.
 */
export async function refreshWebhook(
  context: Context,
  address: WebhookAddress,
  state: Properties,
  { declared, isExternal = false }: Pick<OperationOptions, "declared" | "isExternal">,
): Promise<Properties | undefined> {
  const { settings, operation } = context;
  const { baseUrl, databaseId, id } = address;
  if (baseUrl !== settings.baseUrl) {
    warnNotLookedUp(context, databaseId, messageParts.createdElsewhere(shownValue(baseUrl)));
    return {};
  }
  const name = nameOfWebhook(id, databaseId);
  const { webhook, isComplete, failure } = await lookUpInCachedList(context, address);
  if (webhook === undefined && isComplete) {
    operation.warn(messages.gone(name, isExternal));
    return undefined;
  }
  if (webhook === undefined) {
    const why = failure
      ? messageParts.listFailed(callText(context, failure))
      : messageParts.incompleteList;
    warnNotLookedUp(context, databaseId, why);
    return {};
  }
  const drift = differencesFrom(webhook, state);
  const properties = Object.keys(drift);
  if (properties.length > 0) {
    const isAsDeclared = declared && Object.keys(differencesFrom(webhook, declared)).length === 0;
    operation.warn(
      isAsDeclared
        ? messages.driftResolved(name, properties)
        : messages.drift(name, properties, isExternal),
    );
  }
  operation.warn(webhook.active ? undefined : messages.inactive(name));
  return drift;
}

/**
 * Warns once for each database: a refresh that could look up nothing must not look like one that found no
 * drift.
 */
function warnNotLookedUp({ runState, operation }: Context, databaseId: string, why: string): void {
  if (!runState.warnedDatabases.has(databaseId)) {
    runState.warnedDatabases.add(databaseId);
    operation.warn(messages.notLookedUp(databaseId, why));
  }
}
