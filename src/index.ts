/**
 * The webhook subscriptions of a database, as Pulumi resources.
 *
 * @module pulumi-dbwebhooks
 */

export { type EventType, eventTypes } from "./common/event-types.js";
export { Provider } from "./dynamic/provider-resource.js";
export { Webhook } from "./dynamic/webhook.js";
export type { AdoptArgs, ProviderArgs, WebhookArgs } from "./program/args.js";
