import * as pulumi from "@pulumi/pulumi";
import type { EventType } from "../../common/event-types.js";
import type { WebhookArgs } from "../args.js";
import { refuseOldNode, warnAboutConfig } from "./stack-config.js";
import { providerText, typeToken } from "./type-token.js";

/**
 * A webhook subscription of a database.
 *
 * The service cannot change a subscription, so a change of `databaseId`, `url`, `events`, `tableId` or
 * of the configured base URL replaces it: the new one is created first, with a new secret, and the
 * old one is deleted at the end of the update.
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
export class Webhook extends pulumi.CustomResource {
  /** @internal */
  static readonly __pulumiType: string = typeToken;

  /** Whether a value is a `Webhook`, also one of another copy of this package. */
  static override isInstance(value: unknown): value is Webhook {
    return (value as { __pulumiType?: unknown } | null | undefined)?.__pulumiType === typeToken;
  }

  /**
   * The key to verify the signatures of notifications with. The service shows it once, at creation.
   * Stored as a secret: encrypted in the state and masked in Pulumi's output.
   */
  declare readonly secret: pulumi.Output<string>;
  /** The identifier of the database. */
  declare readonly databaseId: pulumi.Output<string>;
  /** The address that receives the notifications. */
  declare readonly url: pulumi.Output<string>;
  /** The events that are sent, sorted and without duplicates. */
  declare readonly events: pulumi.Output<EventType[]>;
  /** The identifier of the one table whose events are sent; `undefined` for all tables. */
  declare readonly tableId: pulumi.Output<string | undefined>;
  /** The base URL of the service that the webhook was created at. */
  declare readonly baseUrl: pulumi.Output<string>;

  /**
   * Declares a webhook subscription.
   *
   * @param name The name of the resource, unique in its stack.
   * @param args What is subscribed to.
   * @param opts Options that all Pulumi resources have.
   * @throws Error for the options `import` and `id`: Pulumi cannot read this resource from the service.
   */
  constructor(name: string, args: WebhookArgs, opts?: pulumi.CustomResourceOptions) {
    if (opts?.import !== undefined || opts?.id !== undefined) {
      throw new pulumi.RunError(
        `Webhook ${name}: the options import and id cannot work, because the service does not show the secret of a webhook that exists. Leave them out to create a new webhook, or name an existing one and its secret with the argument adopt.`,
      );
    }
    refuseOldNode();
    warnAboutConfig();
    // A JavaScript program can leave the arguments out: then `pulumi preview` reports what is missing.
    const given: Partial<WebhookArgs> = args ?? {};
    super(
      typeToken,
      name,
      {
        // An output resolves from the state only when it has a place here.
        baseUrl: undefined,
        secret: undefined,
        tableId: undefined,
        ...given,
        ...(given.adopt === undefined ? {} : { adopt: pulumi.secret(given.adopt) }),
        __provider: providerText,
      },
      pulumi.mergeOptions(opts, { additionalSecretOutputs: ["secret"] }),
    );
  }
}
