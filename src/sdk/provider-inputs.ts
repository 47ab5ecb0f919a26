// The arguments of both `Provider` classes.
import * as pulumi from "@pulumi/pulumi";
import { isDefaultProviderName } from "../common/provider-name.js";
import {
  type SettingName,
  settingNames,
  validateProviderArgument,
} from "../common/settings-table.js";
import { validateNames } from "../common/unknown-names.js";
import type { ProviderArgs } from "./args.js";
import { givenArgs, isPending } from "./given-args.js";

const defaultNameProblem =
  "Pulumi uses this name for its default provider, so the two could not be told apart; choose another name";

/**
 * Returns the arguments of a `Provider` as Pulumi's engine expects them: every value as text, and
 * the API key as a secret. An Output whose value is not valid ends the program with a RunError once
 * it is known, and the provider is not registered: Pulumi would store and show a password in a base
 * URL before a webhook could refuse it.
 *
 * @param namePrefix The prefix of each argument's name.
 * @throws RunError for a name that Pulumi gives to default providers, for arguments that do not
 * exist, and for every other value that is not valid, all in one error.
 */
export function providerInputs(name: string, args: ProviderArgs, namePrefix = ""): pulumi.Inputs {
  const given: Partial<Record<SettingName, unknown>> = givenArgs(`Provider ${name}`, args);
  const plain = settingNames.filter((setting) => !isPending(given[setting]));
  assertValid(name, [
    ...(isDefaultProviderName(name) ? [defaultNameProblem] : []),
    ...validateNames(Object.keys(given), settingNames),
    ...plain.flatMap((setting) => validateProviderArgument(setting, given[setting])),
  ]);
  const inputs = settingNames.map((setting) => {
    const output: pulumi.Output<unknown> = pulumi.output<unknown>(given[setting]);
    const text = output.apply((value) => {
      assertValid(name, validateProviderArgument(setting, value));
      return textOf(value);
    });
    return [namePrefix + setting, setting === "apiKey" ? pulumi.secret(text) : text];
  });
  return Object.fromEntries(inputs);
}

function assertValid(provider: string, problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new pulumi.RunError(
      `Provider ${provider}: ${problems.join("; ")}. The Provider was not registered, and no value was stored.`,
    );
  }
}

/** Returns a value as text, as in Pulumi's generated SDKs: values other than strings become JSON. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value ?? undefined);
}
