import * as pulumi from "@pulumi/pulumi";
import { withProviderText } from "../../common/provider-text.js";
import { dynamicWebhookType, pluginWebhookType } from "../../common/type-tokens.js";
import type { WebhookArgs } from "../args.js";
import { isResourceOfType, WebhookResource } from "../resource-base.js";
import { warnAboutPlainKey } from "./plain-key-warning.js";

const webhookModule = {
  module: "pulumi-dbwebhooks",
  type: dynamicWebhookType,
  otherType: pluginWebhookType,
  packageName: "pulumi-nodejs",
};

/**
 * A webhook subscription of a database.
 *
 * The documented API cannot change a subscription, so a change of an argument that the service gets
 * replaces it: by default the new one is created first, with a new secret, and the old one is
 * deleted at the end of the update.
 *
 * @example
 * ```ts
 * import * as dbwebhooks from "pulumi-dbwebhooks";
 *
 * const orders = new dbwebhooks.Webhook("orders", {
 *   databaseId: "base_abc123",
 *   tableId: "tbl_orders",
 *   url: "https://example.com/hooks/orders",
 *   events: ["record.created", "record.updated"],
 * });
 *
 * export const ordersSecret = orders.secret;
 * ```
 */
export class Webhook extends WebhookResource {
  /** @internal */
  static readonly __pulumiType: string = dynamicWebhookType;

  /** Whether a value is a `Webhook`, possibly of another copy of this package. */
  static override isInstance(value: unknown): value is Webhook {
    return isResourceOfType(value, dynamicWebhookType);
  }

  /**
   * Declares a webhook subscription.
   *
   * @param name The name of the resource, unique in its stack.
   * @param args The subscription.
   * @param opts Options that all Pulumi resources have.
   * @throws RunError for the options `import` and `id`, and for a provider of any other package
   * (that of `pulumi-dbwebhooks/native` included).
   */
  constructor(name: string, args: WebhookArgs, opts?: pulumi.CustomResourceOptions) {
    if (opts?.import !== undefined) {
      throw new pulumi.RunError(
        `Webhook ${name}: the option import cannot work with the dynamic provider. Use the Webhook of "pulumi-dbwebhooks/native" instead.`,
      );
    }
    super(webhookModule, name, args, withProviderText({}), opts);
    warnAboutPlainKey();
  }
}
