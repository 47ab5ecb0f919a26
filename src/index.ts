/**
 * The webhook subscriptions of a database, as Pulumi resources.
 *
 * @module pulumi-dbwebhooks
 */
export { Provider, type ProviderArgs } from "./account.js";
export { type EventType, eventTypes } from "./event-types.js";
export {
  type AdoptArgs,
  type AnyEventsArgs,
  type CommonWebhookArgs,
  type KnownEventsArgs,
  Webhook,
  type WebhookArgs,
} from "./webhook.js";
