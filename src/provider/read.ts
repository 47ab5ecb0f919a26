import { shownValue } from "../common/redact.js";
import { driftOf, lookUpOnce } from "./lookup.js";
import { callText, messages, nameOfWebhook, reasons } from "./messages.js";
import type { Context } from "./operation.js";
import type { WebhookAddress } from "./run-state.js";
import type { Properties } from "./values.js";

/** A webhook that is refreshed, as Pulumi knows it. */
export interface KnownWebhook {
  readonly state: Properties;
  /** The arguments that the program declared, where Pulumi gives them. */
  readonly declared: Properties | undefined;
  /** Whether the program only reads the webhook. */
  readonly isExternal: boolean;
}

/**
 * Looks up a webhook for a refresh, and reports in one line how it differs from the state.
 *
 * @returns The properties that differ, with the values that the service has; `undefined` if the webhook is
 * gone. No property differs if the lookup fails.
 */
export async function refreshWebhook(
  context: Context,
  address: WebhookAddress,
  { state, declared, isExternal }: KnownWebhook,
): Promise<Properties | undefined> {
  const { settings, operation } = context;
  const { baseUrl, databaseId, id } = address;
  if (baseUrl !== settings.baseUrl) {
    warnNotLookedUp(context, databaseId, reasons.createdElsewhere(shownValue(baseUrl)));
    return {};
  }
  const name = nameOfWebhook(id, databaseId);
  const { webhook, isComplete, failure } = await lookUpOnce(context, address);
  if (webhook === undefined && isComplete) {
    operation.warn(messages.gone(name, isExternal));
    return undefined;
  }
  if (webhook === undefined) {
    const why = failure ? reasons.listFailed(callText(context, failure)) : reasons.incompleteList;
    warnNotLookedUp(context, databaseId, why);
    return {};
  }
  const drift = driftOf(webhook, state);
  const properties = Object.keys(drift);
  if (properties.length > 0) {
    const isAsDeclared = declared && Object.keys(driftOf(webhook, declared)).length === 0;
    operation.warn(
      isAsDeclared
        ? messages.driftUndone(name, properties)
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
