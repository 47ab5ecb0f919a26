/**
 * The webhook subscriptions of a database, as Pulumi resources on the plugin, which Pulumi calls a
 * native provider. The module exports the same names as `pulumi-dbwebhooks`, and also supports the
 * option `import`.
 *
 * @module pulumi-dbwebhooks/native
 */

export { type EventType, eventTypes } from "./common/event-types.js";
export type { ProviderArgs, WebhookArgs } from "./sdk/args.js";
export { Provider } from "./sdk/plugin/explicit-provider.js";
export { Webhook } from "./sdk/plugin/webhook.js";
