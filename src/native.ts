/**
 * The webhook subscriptions of a database, as Pulumi resources on the native plugin: the same names as in
 * `pulumi-dbwebhooks`, and also `Webhook.get`, the option `import` and the output `webhookId`.
 *
 * @module pulumi-dbwebhooks/native
 */

export { type EventType, eventTypes } from "./common/event-types.js";
export type { AdoptArgs, ProviderArgs, WebhookArgs } from "./sdk/args.js";
export { Provider } from "./sdk/native/provider.js";
export { Webhook } from "./sdk/native/webhook.js";
