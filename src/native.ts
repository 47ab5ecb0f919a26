/**
 * The webhook subscriptions of a database, as Pulumi resources on the native provider (plugin). The module
 * exports the same names as `pulumi-dbwebhooks`, and also supports the option `import` and the output
 * `webhookId`.
 *
 * @module pulumi-dbwebhooks/native
 */

export { type EventType, eventTypes } from "./common/event-types.js";
export type { ProviderArgs, WebhookArgs } from "./sdk/args.js";
export { Provider } from "./sdk/native/provider.js";
export { Webhook } from "./sdk/native/webhook.js";
