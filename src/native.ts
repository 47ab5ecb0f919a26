/**
 * The webhook subscriptions of a database, as Pulumi resources on the native plugin: the names of
 * `pulumi-dbwebhooks`, and `Webhook.get`, the option `import` and the output `webhookId` besides.
 *
 * @module pulumi-dbwebhooks/native
 */

export { type EventType, eventTypes } from "./common/event-types.js";
export type { AdoptArgs, ProviderArgs, WebhookArgs } from "./sdk/args.js";
export { Provider } from "./sdk/native/provider.js";
export { Webhook } from "./sdk/native/webhook.js";
