import * as pulumi from "@pulumi/pulumi";
import { explicitKey, namespace, problemsOfSettingNames } from "../common/setting-names.js";
import { refuseOldNode } from "./stack-config.js";

/** The arguments of a {@link Provider}. What is missing is taken from the environment. */
export interface ProviderArgs {
  /**
   * The address of the service, with a path prefix if it has one: `https:`, or `http:` on a loopback
   * host. Default: `DBWEBHOOKS_BASE_URL`; one of the two is required.
   * Changing this replaces all webhooks of the provider.
   *
   * Source: `{base_url}`, part 4 of the service's interface.
   */
  baseUrl?: pulumi.Input<string | undefined>;
  /**
   * Base URLs that the same service had before. A webhook that was created at one of them is no
   * difference; it is deleted and looked up at `baseUrl`. Default: `DBWEBHOOKS_FORMER_BASE_URLS`, or none.
   * Changing this changes no webhook.
   */
  formerBaseUrls?: pulumi.Input<pulumi.Input<string>[] | undefined>;
  /**
   * The bearer key. Default: `DBWEBHOOKS_API_KEY`; one of the two is required. Stored as a secret.
   * Changing this changes no webhook.
   *
   * Source: part 5 of the service's interface.
   */
  apiKey?: pulumi.Input<string | undefined>;
  /** Limit of one HTTP attempt in seconds, connection included. Default: 30. */
  timeoutSeconds?: pulumi.Input<number | undefined>;
  /** How long one operation may go on retrying, in seconds. Default: 120. */
  retrySeconds?: pulumi.Input<number | undefined>;
  /** Requests in flight at once. Default: 16. */
  maxConcurrentRequests?: pulumi.Input<number | undefined>;
  /** Requests begun per second, spread evenly. Default: no limit but the service's own. */
  requestsPerSecond?: pulumi.Input<number | undefined>;
  /**
   * Uses the service's list operation: to notice at `pulumi refresh` what was changed outside, to look
   * up what is adopted, and to find what a doubtful creation left behind. Default: `false`.
   *
   * Source: not described by the service's interface (part 4.3), but by a public service that has it.
   */
  listing?: pulumi.Input<boolean | undefined>;
  /** Allows a `baseUrl` with `http:` that is not loopback; the key then travels unencrypted. Default: `false`. */
  allowInsecureBaseUrl?: pulumi.Input<boolean | undefined>;
}

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
