/**
 * The local service: an implementation of the webhook API for tests and for trying out the package.
 *
 * `docs/local-service.md` lists its choices where the description of the API leaves something open.
 *
 * @module pulumi-dbwebhooks/local-service
 */

export type { EmittedEvent, NewEvent } from "./events.js";
export type { Interceptor, ServiceRequest } from "./interceptors.js";
export type { LocalServiceOptions } from "./options.js";
export type { LocalService } from "./service.js";
export { startLocalService } from "./service.js";
export type { StoredWebhook } from "./webhooks.js";
