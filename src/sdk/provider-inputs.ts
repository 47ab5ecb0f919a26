// The arguments of both `Provider` classes.
import * as pulumi from "@pulumi/pulumi";
import { isDefaultProviderName } from "../common/provider-name.js";
import { isRequiredSetting, type SettingName, settingNames } from "../common/settings-table.js";
import { validateNames } from "../common/unknown-names.js";
import type { ProviderArgs } from "./args.js";

/**
 * Returns the arguments of a `Provider` as Pulumi's engine expects them: every value as text, and
 * the API key as a secret. A base URL or a key that is missing or is no text ends the program with
 * a RunError once it is known, and the provider is not registered.
 *
 * @param namePrefix The prefix of each argument's name.
 * @throws RunError for a name that Pulumi gives to default providers, and for arguments that do not
 * exist.
 */
export function providerInputs(name: string, args: ProviderArgs, namePrefix = ""): pulumi.Inputs {
  // A JavaScript program can omit the arguments.
  const given: Partial<ProviderArgs> = args ?? {};
  const problems = validateNames(Object.keys(given), settingNames);
  if (isDefaultProviderName(name)) {
    problems.unshift(
      "Pulumi uses this name for its default provider, so the two could not be told apart; choose another name",
    );
  }
  if (problems.length > 0) {
    throw new pulumi.RunError(`Provider ${name}: ${problems.join("; ")}.`);
  }
  const inputs = settingNames.map((setting) => {
    const value: pulumi.Output<unknown> = pulumi.output<unknown>(given[setting]);
    const text = value.apply((known) => textOf(known, setting, name));
    return [namePrefix + setting, setting === "apiKey" ? pulumi.secret(text) : text];
  });
  return Object.fromEntries(inputs);
}

/**
 * Returns a value as text, as in Pulumi's generated SDKs: values other than strings become JSON.
 * Throws for a required setting, which must be text.
 */
function textOf(value: unknown, setting: SettingName, provider: string): string | undefined {
  if (isRequiredSetting(setting) && (typeof value !== "string" || value === "")) {
    throw new pulumi.RunError(`Provider ${provider}: ${setting}: must be text that is not empty.`);
  }
  return typeof value === "string" ? value : JSON.stringify(value ?? undefined);
}
