// The arguments of both `Provider` classes.
import * as pulumi from "@pulumi/pulumi";
import { isDefaultProviderName, isRequiredSetting, settingNames } from "../common/setting-names.js";
import { validateNames } from "../common/unknown-names.js";
import type { ProviderArgs } from "./args.js";
import { assertSupportedNode } from "./supported-node.js";

/**
 * Returns the arguments of a `Provider` as Pulumi's engine expects them: every value as text, and
 * the API key as a secret.
 *
 * @param namePrefix The prefix of each argument's name.
 * @throws RunError for a name that Pulumi gives to default providers, for arguments that do not
 * exist, and for a base URL or a key that is missing or is no text.
 */
export function providerInputs(name: string, args: ProviderArgs, namePrefix = ""): pulumi.Inputs {
  assertSupportedNode();
  // A JavaScript program can omit the arguments.
  const given: Partial<ProviderArgs> = args ?? {};
  const problems = [
    ...validateNames(Object.keys(given), settingNames),
    ...settingNames.flatMap((key) => textProblems(key, given[key])),
  ];
  if (isDefaultProviderName(name)) {
    problems.unshift(
      "Pulumi uses this name for its default provider, so the two could not be told apart; choose another name",
    );
  }
  if (problems.length > 0) {
    throw new pulumi.RunError(`Provider ${name}: ${problems.join("; ")}.`);
  }
  const inputs = Object.entries(given).map(([key, value]) => {
    const text = (pulumi.output(value) as pulumi.Output<unknown>).apply((known) => {
      assertText(name, key, known);
      return textOf(known);
    });
    return [namePrefix + key, key === "apiKey" ? pulumi.secret(text) : text];
  });
  return Object.fromEntries(inputs);
}

/** Throws for a required setting that an Output has turned out to be no text. */
function assertText(name: string, key: string, value: unknown): void {
  const [problem] = textProblems(key, value);
  if (problem !== undefined) {
    throw new pulumi.RunError(`Provider ${name}: ${problem}.`);
  }
}

/**
 * Says why a value cannot be a required setting. What an Output or a promise holds is not known
 * yet.
 */
function textProblems(key: string, value: unknown): string[] {
  if (!isRequiredSetting(key)) {
    return [];
  }
  if (value === undefined || value === null || value === "") {
    return [`${key}: is not set; give ${key} to the Provider`];
  }
  const isKnown = !pulumi.Output.isInstance(value) && !(value instanceof Promise);
  return isKnown && typeof value !== "string" ? [`${key}: must be text`] : [];
}

/**
 * Returns a value as text, as in Pulumi's generated SDKs: values other than strings become JSON.
 */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
