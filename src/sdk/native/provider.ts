import * as pulumi from "@pulumi/pulumi";
import { namespace } from "../../common/setting-names.js";
import type { ProviderArgs } from "../args.js";
import { pluginOptions } from "./plugin-options.js";

/**
 * An account of the service, for programs that use several accounts or regions: pass it to a webhook
 * as the resource option `provider`. Its own arguments win over the environment; the stack's
 * configuration is not used.
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
   * @param name The name of the provider, unique in its stack. Not `default`, which Pulumi uses itself.
   * @param args Its settings. `pulumi preview` reports all that is wrong with them.
   * @param opts Options that all Pulumi resources have.
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const inputs = Object.entries(args).map(([key, value]) => [
      key,
      key === "apiKey" ? pulumi.secret(asText(value)) : asText(value),
    ]);
    super(namespace, name, Object.fromEntries(inputs), pluginOptions(opts));
  }
}

/** What is no text is JSON in it, as in the SDKs that Pulumi generates. */
function asText(value: ProviderArgs[keyof ProviderArgs]): pulumi.Output<string | undefined> {
  return pulumi
    .output<string | number | boolean | pulumi.Input<string>[] | null | undefined>(value)
    .apply((known) => {
      if (known === undefined || known === null) {
        return undefined;
      }
      return typeof known === "string" ? known : JSON.stringify(known);
    });
}
