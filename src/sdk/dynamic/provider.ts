import * as pulumi from "@pulumi/pulumi";
import { explicitKey, namespace, problemsOfSettingNames } from "../../common/setting-names.js";
import type { ProviderArgs } from "../args.js";
import { refuseOldNode } from "./stack-config.js";

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
   * @param name The name of the provider, unique in its stack.
   * @param args Its settings. What is wrong with them is reported by the webhooks that use it.
   * @param opts Options that all Pulumi resources have.
   * @throws Error for an argument that does not exist.
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    refuseOldNode();
    const problems = problemsOfSettingNames(Object.keys(args));
    if (problems.length > 0) {
      throw new pulumi.RunError(`Provider ${name}: ${problems.join("; ")}.`);
    }
    const inputs = Object.entries(args).map(([key, value]) => [
      `${namespace}:${key}`,
      key === "apiKey" ? pulumi.secret(asText(value)) : asText(value),
    ]);
    super("pulumi-nodejs", name, { ...Object.fromEntries(inputs), [explicitKey]: "true" }, opts);
  }
}

/** Pulumi hands only text to dynamic providers; a list is one with commas. */
function asText(value: ProviderArgs[keyof ProviderArgs]): pulumi.Output<string | undefined> {
  return pulumi
    .output<string | number | boolean | pulumi.Input<string>[] | null | undefined>(value)
    .apply((known) => (known === undefined || known === null ? undefined : String(known)));
}
