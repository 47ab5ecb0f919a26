// The arguments that `pulumi-dbwebhooks` and `pulumi-dbwebhooks/native` share;
// `adapters/plugin/schema.json` describes them for other languages. The rules of the API behind
// them stand in `docs/api/README.md#create-a-webhook`.
import type * as pulumi from "@pulumi/pulumi";
import type { EventType } from "../common/event-types.js";

/** The arguments of a {@link Webhook}. `pulumi preview` reports every problem with them at once. */
export interface WebhookArgs {
  /**
   * The identifier of the database whose events are sent, such as `base_abc123`: any text of at
   * most 2,048 characters without control, invisible or damaged characters (U+FFFD) or surrounding
   * white space, except `.` and `..`. The API shows no form of identifiers.
   *
   * Changing this replaces the webhook.
   */
  databaseId: pulumi.Input<string>;
  /**
   * The URL that receives the notifications by HTTP POST: an absolute `https:` URL, or an
   * `http:` URL on a loopback host, of at most 2,048 characters. `allowInsecureUrl` allows `http:`
   * on other hosts. The URL is often a credential: pass it as a secret to have it encrypted in the
   * state.
   *
   * Changing this replaces the webhook.
   */
  url: pulumi.Input<string>;
  /**
   * The events that are sent: at least one of the nine event types. Their order and duplicates do
   * not matter. `allowUnknownEvents` allows further types, of at most 2,048 characters.
   *
   * Changing this replaces the webhook.
   *
   * @remarks A list from elsewhere needs the type `dbwebhooks.EventType[]`, such as
   * `config.requireObject<dbwebhooks.EventType[]>("events")`: a `string[]` does not compile.
   */
  events: pulumi.Input<readonly pulumi.Input<EventType>[]>;
  /**
   * The identifier of the one table whose events are sent, such as `tbl_orders`: any text that
   * `databaseId` could be. Default: all tables of the database.
   *
   * Changing this replaces the webhook.
   */
  tableId?: pulumi.Input<string | undefined>;
  /**
   * Allows event types that this package does not know. Default: `false`.
   *
   * Changing this changes nothing at the service.
   *
   * @remarks Such an event needs a cast: `events: ["view.created" as dbwebhooks.EventType]`.
   */
  allowUnknownEvents?: pulumi.Input<boolean | undefined>;
  /**
   * Allows a `url` with `http:` on a host that is not loopback. Notifications then travel
   * unencrypted. Default: `false`.
   *
   * Changing this changes nothing at the service.
   */
  allowInsecureUrl?: pulumi.Input<boolean | undefined>;
}

/**
 * The arguments of a {@link Provider}. The environment supplies those that are missing, except
 * `baseUrl` and `apiKey`.
 */
export interface ProviderArgs {
  /**
   * The URL of the service, with a path prefix if it has one: `https:`, or `http:` on a
   * loopback host. At most 2,048 characters, without user name, password, query, fragment, and
   * `/api/v1`, which is added to it.
   *
   * This cannot change: for another base URL, declare a second Provider, and pass it to the
   * webhooks. They are created at the new base URL, and the old Provider deletes the old ones.
   *
   * @remarks `pulumi-dbwebhooks/native` refuses another base URL in a preview. With
   * `pulumi-dbwebhooks`, the deletion of the old webhooks fails.
   */
  baseUrl: pulumi.Input<string>;
  /**
   * The bearer key: visible ASCII characters (RFC 9110, section 5.5), without quotes around it.
   * Stored as a secret.
   *
   * Changing this replaces no webhook: later requests have the new key.
   */
  apiKey: pulumi.Input<string>;
  /**
   * The timeout of one HTTP attempt in seconds, connection included: 0.001 to 3,600. Default: 30.
   *
   * Changing this changes nothing at the service.
   */
  timeoutSeconds?: pulumi.Input<number | undefined>;
  /**
   * How long one request may be retried after its first attempt, in seconds: 0 to 86,400. A refused
   * connection is retried for 15 s at most. A creation is retried only if it cannot have reached
   * the service, or after a 429, or a 503 with `Retry-After` and the error body of the service. A
   * deletion that gets 404 can send a second request. The wait before a first attempt, while the
   * service limits the rate of requests, has no limit. Default: 120.
   *
   * Changing this changes nothing at the service.
   */
  retrySeconds?: pulumi.Input<number | undefined>;
  /**
   * Whether to use the service's list operation. `true`: to notice drift during `pulumi refresh`,
   * and to look for a webhook after its deletion got a 404. `false`: never. Default: only
   * after such a 404.
   *
   * Changing this changes nothing at the service.
   */
  listing?: pulumi.Input<boolean | undefined>;
}
