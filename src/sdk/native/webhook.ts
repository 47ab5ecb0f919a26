import * as pulumi from "@pulumi/pulumi";
import type { EventType } from "../../common/event-types.js";
import type { WebhookArgs } from "../args.js";
import { pluginOptions } from "./plugin-options.js";

const typeToken = "dbwebhooks:index:Webhook";

/**
 * A webhook subscription of a database, on the native plugin.
 *
 * The service cannot change a subscription, so a change of `databaseId`, `url`, `events`, `tableId` or
 * of the configured base URL replaces it: the new one is created first, with a new secret, and the
 * old one is deleted at the end of the update.
 *
 * @example
 * ```ts
 * import * as dbwebhooks from "pulumi-dbwebhooks/native";
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

  /**
   * Reads a webhook that this stack does not manage. Needs the setting `listing`, and the secret in
   * `DBWEBHOOKS_IMPORT_SECRET`.
   *
   * @param name The name of the resource, unique in its stack.
   * @param id The database and the number of the webhook, such as `base_abc123/42`.
   * @param opts Options that all Pulumi resources have.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): Webhook {
    return new Webhook(name, {} as WebhookArgs, { ...opts, id });
  }

  /** Whether a value is a `Webhook`, also one of another copy of this package. */
  static override isInstance(value: unknown): value is Webhook {
    return (value as { __pulumiType?: unknown } | null | undefined)?.__pulumiType === typeToken;
  }

  /**
   * The key to verify the signatures of notifications with. The service shows it once, at creation.
   * Stored as a secret: encrypted in the state and masked in Pulumi's output.
   */
  declare readonly secret: pulumi.Output<string>;
  /** The service's number for the webhook. The `id` is `<databaseId>/<webhookId>`. */
  declare readonly webhookId: pulumi.Output<string>;
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
   * @param opts Options that all Pulumi resources have. `import` takes the id `<databaseId>/<webhookId>`.
   */
  constructor(name: string, args: WebhookArgs, opts?: pulumi.CustomResourceOptions) {
    // A JavaScript program can leave the arguments out: then `pulumi preview` reports what is missing.
    const given: Partial<WebhookArgs> = args ?? {};
    super(
      typeToken,
      name,
      {
        ...outputs,
        ...given,
        ...(given.adopt === undefined ? {} : { adopt: pulumi.secret(given.adopt) }),
      },
      pulumi.mergeOptions(pluginOptions(opts), { additionalSecretOutputs: ["secret"] }),
    );
  }
}

// An output resolves only when it has a place among the properties.
const outputs = {
  databaseId: undefined,
  url: undefined,
  events: undefined,
  tableId: undefined,
  webhookId: undefined,
  secret: undefined,
  baseUrl: undefined,
};
