/**
 * The webhook subscriptions of a database, as Pulumi resources on the dynamic provider.
 * `pulumi-dbwebhooks/native` has the same resources on the plugin.
 *
 * @module pulumi-dbwebhooks
 */

export { type EventType, eventTypes } from "./common/event-types.js";
export type { ProviderArgs, WebhookArgs } from "./sdk/args.js";
export { Provider } from "./sdk/dynamic/explicit-provider.js";
export { Webhook } from "./sdk/dynamic/webhook.js";
