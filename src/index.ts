/**
 * The webhook subscriptions of a database, as Pulumi resources.
 *
 * @module pulumi-dbwebhooks
 */

export { type EventType, eventTypes } from "./common/event-types.js";
export { Provider, type ProviderArgs } from "./dynamic/provider-resource.js";
export {
  type AdoptArgs,
  Webhook,
  type WebhookArgs,
} from "./dynamic/webhook.js";
