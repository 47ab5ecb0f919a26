import { isDefaultProviderName } from "../../common/provider-name.js";
import type { SettingsSource } from "../../provider/rules/settings.js";
import { type Properties, withUnwrappedSecrets } from "../../provider/rules/values.js";

/**
 * Returns where the settings of a provider come from.
 *
 * @param name The name of the provider, by which alone Pulumi tells a default provider from an
 * explicit one. Older versions of Pulumi check the default provider without a name.
 * @param args The stack's configuration, or the arguments of an explicit provider. Some versions of
 * Pulumi wrap secrets.
 */
export function settingsSourceOf(name: string, args: Properties): SettingsSource {
  const settings = withUnwrappedSecrets(args);
  return {
    get: (setting) => settings[setting],
    isExplicit: () => name !== "" && !isDefaultProviderName(name),
    environment: process.env,
  };
}
