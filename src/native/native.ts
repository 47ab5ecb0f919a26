/**
 * The webhook subscriptions of a database, as Pulumi resources on the native plugin: the names of
 * `pulumi-dbwebhooks`, and `Webhook.get`, the option `import` and the output `webhookId` besides.
 *
 * @module pulumi-dbwebhooks/native
 */

export { type EventType, eventTypes } from "../common/event-types.js";
export type { AdoptArgs, ProviderArgs, WebhookArgs } from "../program/args.js";
export { Provider } from "./provider-resource.js";
export { Webhook } from "./webhook.js";
