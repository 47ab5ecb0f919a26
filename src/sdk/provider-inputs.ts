// The arguments of both `Provider` classes.
import * as pulumi from "@pulumi/pulumi";
import { isDefaultProviderName } from "../common/provider-name.js";
import {
  type SettingName,
  settingNames,
  settingsTable,
  validateProviderArgument,
} from "../common/settings-table.js";
import { validateNames } from "../common/unknown-names.js";
import type { ProviderArgs } from "./args.js";
import { givenArgs, isPending } from "./given-args.js";

const defaultNameProblem =
  "Pulumi uses this name for its default provider, so the two could not be told apart; choose another name";

/**
 * Returns the arguments of a `Provider` as Pulumi's engine expects them: numbers and flags as text,
 * and the API key as a secret. Plain values are valid; that of an Output may be any other value.
 *
 * @throws RunError for a name that Pulumi gives to default providers, for arguments that do not
 * exist, and for every plain value that is not valid, all in one error: Pulumi would store and show
 * a password in a base URL before a webhook could refuse it.
 */
export function providerInputs(
  name: string,
  args: ProviderArgs,
): Record<SettingName, pulumi.Output<unknown>> {
  const source = givenArgs(`Provider ${name}`, args);
  // A getter may return another value, or declare another resource, when it is read again.
  const given = forEachSetting<unknown>((setting) => source[setting]);
  const plain = settingNames.filter((setting) => !isPending(given[setting]));
  assertValid(name, [
    ...(isDefaultProviderName(name) ? [defaultNameProblem] : []),
    ...validateNames(Object.keys(source), settingNames),
    ...plain.flatMap((setting) => validateProviderArgument(setting, given[setting])),
  ]);
  return forEachSetting((setting) => {
    const output: pulumi.Output<unknown> = pulumi.output<unknown>(given[setting]);
    const input = settingsTable[setting].isRequired ? output : output.apply(textOf);
    return setting === "apiKey" ? pulumi.secret(input) : input;
  });
}

/**
 * Returns an argument of a `Provider` if it is valid.
 *
 * @throws RunError for any other value.
 */
export function validArgument(provider: string, setting: SettingName, value: unknown): unknown {
  assertValid(provider, validateProviderArgument(setting, value));
  return value;
}

function assertValid(provider: string, problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new pulumi.RunError(
      `Provider ${provider}: ${problems.join("; ")}. The Provider was not registered, and no value was stored.`,
    );
  }
}

function forEachSetting<Value>(read: (setting: SettingName) => Value): Record<SettingName, Value> {
  const entries = settingNames.map((setting) => [setting, read(setting)]);
  return Object.fromEntries(entries) as Record<SettingName, Value>;
}

/**
 * Returns a number or a flag as text, as in Pulumi's generated SDKs. A function becomes text too:
 * Pulumi would drop it, and no check could refuse it.
 */
function textOf(value: unknown): unknown {
  const isPrimitive = ["number", "boolean", "function"].includes(typeof value);
  return isPrimitive ? String(value) : (value ?? undefined);
}
