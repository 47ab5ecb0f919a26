/**
 * The local service: an implementation of the webhook API for tests and for trying out the package.
 *
 * `docs/api/README.md` lists its choices where the description of the API leaves something open.
 *
 * @module pulumi-dbwebhooks/local-service
 */

export { DataFileError } from "./data-file.js";
export type { Delivery, DeliveryOutcome, EmittedEvent } from "./deliveries.js";
export type { DeliveredEvent, NewEvent } from "./events.js";
export type { Interceptor, ResponseOptions } from "./interceptors.js";
export { connectionReset, delay, loseResponse, respondWith, times } from "./interceptors.js";
export type { LogEntry, ServiceCounts } from "./log.js";
export type { ApiKeys, DeliveryOptions, LocalServiceOptions, RateLimit } from "./options.js";
export type { ReceivedRequest, RequestOutcome } from "./requests.js";
export type { LocalService } from "./service.js";
export { startLocalService } from "./service.js";
export type { StoredWebhook, WebhookChanges } from "./webhook-store.js";
