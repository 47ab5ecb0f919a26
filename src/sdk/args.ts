import type * as pulumi from "@pulumi/pulumi";
import type { EventType } from "../common/event-types.js";

// The arguments of both shells, as types only: nothing here is loaded. Sources of the rules: parts 4.1
// (databaseId, url, events, tableId), 5 (the key) and 6 (the events) of the service's interface.

/** The arguments of a {@link Webhook}. `pulumi preview` reports all that is wrong with them. */
export interface WebhookArgs {
  /**
   * The identifier of the database whose events are sent, such as `base_abc123`.
   *
   * Changing this replaces the webhook.
   */
  databaseId: pulumi.Input<string>;
  /**
   * The address that receives the notifications, by HTTP POST: an absolute `https:` URL, or `http:` on
   * a loopback host. `allowInsecureUrl` allows `http:` elsewhere. Often a credential: give it as
   * `pulumi.secret(url)` to have it encrypted in the state.
   *
   * Changing this replaces the webhook.
   */
  url: pulumi.Input<string>;
  /**
   * The events that are sent, at least one of `eventTypes`. Order and duplicates mean nothing.
   * `allowUnknownEvents` allows others. Give a list from elsewhere the type `dbwebhooks.EventType[]`,
   * such as `config.requireObject<dbwebhooks.EventType[]>("events")`: `string[]` does not compile.
   *
   * Changing this replaces the webhook.
   */
  events: pulumi.Input<readonly pulumi.Input<EventType>[]>;
  /**
   * The identifier of the one table whose events are sent, such as `tbl_orders`.
   * Default: all tables of the database.
   *
   * Changing this replaces the webhook.
   */
  tableId?: pulumi.Input<string | undefined>;
  /**
   * Allows events that this package does not know. The compiler takes them with a cast:
   * `events: ["view.created" as dbwebhooks.EventType]`. Default: `false`.
   *
   * Changing this changes nothing at the service.
   */
  allowUnknownEvents?: pulumi.Input<boolean | undefined>;
  /**
   * Allows a `url` with `http:` to a host that is not loopback. Notifications then travel unencrypted.
   * Default: `false`.
   *
   * Changing this changes nothing at the service.
   */
  allowInsecureUrl?: pulumi.Input<boolean | undefined>;
  /**
   * Takes over a webhook that exists already instead of creating one. Nothing is sent, but with the
   * setting `listing` the webhook is looked up. Stored as a secret. Default: a new webhook.
   *
   * Remove this after the first `pulumi up`: removing it changes nothing. Another `id` replaces the
   * webhook, and while the `id` is that of the webhook it cannot be replaced for another reason.
   */
  adopt?: pulumi.Input<AdoptArgs | undefined>;
}

/** A webhook that exists already. */
export interface AdoptArgs {
  /** The service's number for the webhook. */
  id: pulumi.Input<number | string>;
  /** The secret that the service showed when the webhook was created. */
  secret: pulumi.Input<string>;
}

/** The arguments of a {@link Provider}. What is missing is taken from the environment. */
export interface ProviderArgs {
  /**
   * The address of the service, with a path prefix if it has one: `https:`, or `http:` on a loopback
   * host. Default: `DBWEBHOOKS_BASE_URL`; one of the two is required.
   *
   * Changing this replaces all webhooks of the provider.
   */
  baseUrl?: pulumi.Input<string | undefined>;
  /**
   * Base URLs that the same service had before. A webhook that was created at one of them is not
   * replaced; it is deleted and looked up at `baseUrl`. Default: `DBWEBHOOKS_FORMER_BASE_URLS`, with
   * commas between them, or none.
   */
  formerBaseUrls?: pulumi.Input<pulumi.Input<string>[] | undefined>;
  /**
   * The bearer key. Default: `DBWEBHOOKS_API_KEY`; one of the two is required. Stored as a secret.
   */
  apiKey?: pulumi.Input<string | undefined>;
  /** Limit of one HTTP attempt in seconds, connection included: 0.001 to 3,600. Default: 30. */
  timeoutSeconds?: pulumi.Input<number | undefined>;
  /** How long one operation may retry, in seconds: 0 to 86,400. Default: 120. */
  retrySeconds?: pulumi.Input<number | undefined>;
  /**
   * Requests in flight at once: 1 to 1,000. Set `--parallel` of Pulumi to the same number.
   * Default: no limit but that of `--parallel`.
   */
  maxConcurrentRequests?: pulumi.Input<number | undefined>;
  /**
   * Requests begun per second, spread evenly: 0.001 to 10,000. Default: no limit; requests slow down
   * only when the service answers 429.
   */
  requestsPerSecond?: pulumi.Input<number | undefined>;
  /**
   * Uses the service's list operation: to notice drift at `pulumi refresh`, to import, to look up what
   * is adopted, and to find what a doubtful creation left behind. Default: `false`.
   */
  listing?: pulumi.Input<boolean | undefined>;
  /**
   * Allows a `baseUrl` with `http:` to a host that is not loopback. The key then travels unencrypted.
   * Default: `false`.
   */
  allowInsecureBaseUrl?: pulumi.Input<boolean | undefined>;
}
