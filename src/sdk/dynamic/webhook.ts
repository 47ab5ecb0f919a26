import * as pulumi from "@pulumi/pulumi";
import { dynamicWebhookType } from "../../common/type-tokens.js";
import type { WebhookArgs } from "../args.js";
import { isResourceOfType, WebhookResource } from "../resource-base.js";
import { warnAboutConfiguration } from "./configuration-warnings.js";
import { providerText } from "./provider-text.js";

/**
 * A webhook subscription of a database.
 *
 * The documented API cannot change a subscription, so a change of `databaseId`, `url`, `events` or
 * `tableId` replaces it: by default the new one is created first, with a new secret, and the old one is
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

  /**
   * Does not work with the dynamic provider: use `pulumi-dbwebhooks/native`.
   *
   * @throws RunError always: a dynamic provider cannot read a webhook that it did not create.
   */
  static get(name: string, ..._: unknown[]): never {
    throw importError(name, "Webhook.get");
  }

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
   * @throws RunError for the options `import` and `id`: a dynamic provider cannot read a webhook that it
   * did not create.
   */
  constructor(name: string, args: WebhookArgs, opts?: pulumi.CustomResourceOptions) {
    if (opts?.import !== undefined || opts?.id !== undefined) {
      throw importError(name, "The options import and id");
    }
    super(dynamicWebhookType, name, args, { __provider: providerText }, opts);
    warnAboutConfiguration();
  }
}

function importError(name: string, feature: string): pulumi.RunError {
  return new pulumi.RunError(
    `Webhook ${name}: ${feature} cannot work with the dynamic provider. Use the Webhook of "pulumi-dbwebhooks/native" instead, or take over the existing webhook with the argument adopt.`,
  );
}
