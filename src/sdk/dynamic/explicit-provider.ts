import * as pulumi from "@pulumi/pulumi";
import { explicitProviderKey, namespace, type SettingName } from "../../common/settings-table.js";
import type { ProviderArgs } from "../args.js";
import { providerInputs, validArgument } from "../provider-inputs.js";

/**
 * An account of the service, for programs that use several accounts or regions. Pass it to a
 * webhook as the resource option `provider`. Its own arguments win over the environment, which
 * supplies neither `baseUrl` nor `apiKey`; the stack's configuration is not used.
 *
 * @example
 * ```ts
 * const eu = new dbwebhooks.Provider("eu", {
 *   baseUrl: "https://eu-tables.fillout.com",
 *   apiKey: config.requireSecret("euApiKey"),
 * });
 * new dbwebhooks.Webhook("orders", args, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * Declares an account.
   *
   * @param name The name of the provider, unique in its stack. Pulumi reserves `default`, and
   * `default_` followed by a version.
   * @param args The settings of the account. One that is not valid ends the program before Pulumi
   * stores it.
   * @param opts Options that all Pulumi resources have.
   * @throws RunError for a reserved name, and for arguments that do not exist or are not valid.
   */
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    // Nothing but the program can check an Output before Pulumi stores it.
    const inputs = Object.entries(providerInputs(name, args)).map(([setting, input]) => [
      `${namespace}:${setting}`,
      input.apply((value) => validArgument(name, setting as SettingName, value)),
    ]);
    const marked = { ...Object.fromEntries(inputs), [explicitProviderKey]: "true" };
    super("pulumi-nodejs", name, marked, opts);
  }
}
