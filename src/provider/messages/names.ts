// The names of webhooks and settings in messages.
import { shownValue } from "../../common/plain-text.js";
import { environmentVariables, namespace, type SettingName } from "../../common/setting-names.js";
import type { ProviderLocation } from "../rules/config.js";

/** Returns the name of a webhook in messages. */
export function nameOfWebhook(id: string, databaseId: string | undefined): string {
  return `webhook ${shownValue(id)} of database ${shownValue(databaseId ?? "?")}`;
}

/** Returns the name of a setting, with its variable if the environment has set it. */
export function nameOfSetting(
  { namesFromEnvironment, isExplicit }: Omit<ProviderLocation, "baseUrl">,
  name: SettingName,
): string {
  const setBy = namesFromEnvironment.includes(name)
    ? ` (set by ${environmentVariables[name]})`
    : "";
  return `${isExplicit ? "the Provider's " : `${namespace}:`}${name}${setBy}`;
}
