// The names of webhooks and settings in messages.
import { shownValue } from "../../common/plain-text.js";
import { namespace, type SettingName, settingsTable } from "../../common/settings-table.js";
import type { Settings } from "../rules/settings.js";

/** Returns the name of a webhook in messages. */
export function nameOfWebhook(id: string, databaseId: string | undefined): string {
  return `webhook ${shownValue(id)} of database ${shownValue(databaseId ?? "?")}`;
}

/** Returns the name of a setting, with its variable if the environment has set it. */
export function nameOfSetting(
  { namesFromEnvironment, isExplicit }: Settings,
  name: SettingName,
): string {
  const { variable } = settingsTable[name];
  const setBy = namesFromEnvironment.includes(name) ? ` (set by ${variable})` : "";
  return `${isExplicit ? "the Provider's " : `${namespace}:`}${name}${setBy}`;
}
