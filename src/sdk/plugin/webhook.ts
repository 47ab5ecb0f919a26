import * as pulumi from "@pulumi/pulumi";
import { namespace } from "../../common/settings-table.js";
import { dynamicWebhookType, pluginWebhookType } from "../../common/type-tokens.js";
import { version } from "../../common/version.js";
import type { WebhookArgs } from "../args.js";
import { isResourceOfType, WebhookResource } from "../resource-base.js";

const webhookModule = {
  module: "pulumi-dbwebhooks/native",
  type: pluginWebhookType,
  otherType: dynamicWebhookType,
  packageName: namespace,
};

/**
 * A webhook subscription of a database.
 *
 * The documented API cannot change a subscription, so a change of an argument that the service gets
 * replaces it: by default the new one is created first, with a new secret, and the old one is
 * deleted at the end of the update.
 */
export class Webhook extends WebhookResource {
  /** @internal */
  static readonly __pulumiType: string = pluginWebhookType;

  /** Whether a value is a `Webhook`, possibly of another copy of this package. */
  static override isInstance(value: unknown): value is Webhook {
    return isResourceOfType(value, pluginWebhookType);
  }

  /**
   * Declares a webhook subscription.
   *
   * @param name The name of the resource, unique in its stack.
   * @param args The subscription.
   * @param opts Options that all Pulumi resources have. `import` takes the id of a webhook that
   * `DBWEBHOOKS_IMPORT` describes.
   * @throws RunError for the option `id`, and for a provider of any other package (that of
   * `pulumi-dbwebhooks` included).
   */
  constructor(name: string, args: WebhookArgs, opts?: pulumi.CustomResourceOptions) {
    super(webhookModule, name, args, {}, pulumi.mergeOptions({ version }, opts));
  }
}
