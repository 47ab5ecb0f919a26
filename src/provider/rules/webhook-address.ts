// Where a webhook lives: at one base URL, which is stored with it and never changes.
import type { WebhookRef } from "../../api/client.js";
import { isIdentifier, webhookIdOf } from "../../common/identifier.js";
import type { Settings } from "./settings.js";
import type { StateEntry } from "./state.js";

/** Identifies a webhook across services. */
export interface WebhookAddress extends WebhookRef {
  readonly baseUrl: string;
}

/**
 * Returns where a webhook is, or `undefined` if its id and its state do not say so, because
 * somebody has edited them.
 */
export function addressOf(webhook: StateEntry): WebhookAddress | undefined {
  const id = webhookIdOf(webhook.id);
  const { databaseId = "", baseUrl } = webhook.state;
  return id !== undefined && baseUrl !== undefined && isIdentifier(databaseId)
    ? { baseUrl, databaseId, id }
    : undefined;
}

/**
 * Whether a webhook lives at another base URL than that of the provider. State can be edited by
 * others, so a URL from the state must never receive the key: the provider sends nothing about such
 * a webhook.
 *
 * A refresh and a deletion fail, and so does a comparison by the default provider: it has one base
 * URL and one key, so it could create a new webhook, but not delete the old one. A comparison by an
 * explicit provider reports a difference, because the webhook may come from another provider, which
 * deletes it.
 */
export function isElsewhere(
  { baseUrl }: WebhookAddress,
  settings: Pick<Settings, "baseUrl">,
): boolean {
  return baseUrl !== settings.baseUrl;
}
