import { failure } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import {
  absentFromListText,
  driftText,
  inactiveText,
  notLookedUpText,
  notReadText,
} from "./messages/notices.js";
import { callText } from "./messages/requests.js";
import type { ConfigResult } from "./rules/config.js";
import type { WebhookState } from "./rules/state.js";
import { differencesFrom, type ListedProperties, lookUpForRefresh } from "./run/lookup.js";
import type { Context, Operation } from "./run/operation.js";
import type { WebhookAddress } from "./run/run-state.js";

/** The properties that differ from the state, with the values that the service has. */
export type Drift = Partial<ListedProperties>;

/**
 * Whether the configuration lets a refresh read a webhook. Warns once if it does not. Throws if the provider has another
 * base URL than the webhook.
 */
export function isReadable(
  { baseUrl }: WebhookAddress,
  { settings, address: provider, problems }: ConfigResult,
  operation: Operation,
): boolean {
  if (provider !== undefined && provider.baseUrl !== baseUrl) {
    // With --run-program, Pulumi would store this provider for the webhook, and never delete it.
    throw failure("otherBaseUrlOfRefresh", operation, { provider, baseUrl });
  }
  if (settings === undefined) {
    operation.warnOnce(notReadText(problems));
  }
  return settings !== undefined;
}

/**
 * Reads a webhook for a refresh. The API does not describe how to read one (docs/api/README.md#other-operations), so
 * nothing is sent unless the setting `listing` is on: then the webhook is looked up. Warns of its differences from the
 * state and of a switched-off webhook. A failed lookup finds no drift.
 *
 * @returns `"absent"` if the service no longer has the webhook.
 */
export async function readWebhook(
  context: Context,
  address: WebhookAddress,
  state: WebhookState,
): Promise<Drift | "absent"> {
  const { settings, runState, operation } = context;
  const { databaseId, id } = address;
  if (!settings.listing) {
    return {};
  }
  const name = nameOfWebhook(id, databaseId);
  const lookup = await lookUpForRefresh(context, address);
  const { webhook } = lookup;
  if (webhook === undefined) {
    if (lookup.isComplete) {
      runState.noteAbsent(address);
      operation.warn(absentFromListText(name));
      return "absent";
    }
    const failedCall = lookup.failure && callText(context, lookup.failure);
    // A refresh that could look up nothing must not look like one that found no drift.
    operation.warnOnce(notLookedUpText(databaseId, failedCall));
    return {};
  }
  const drift = differencesFrom(webhook, state);
  const properties = Object.keys(drift);
  if (properties.length > 0) {
    operation.warn(driftText(name, properties));
  }
  if (!webhook.active) {
    operation.warn(inactiveText(name));
  }
  return drift;
}
