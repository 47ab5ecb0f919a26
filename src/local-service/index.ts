/**
 * The embedded local service: the webhook API in one process, without an account or a network.
 *
 * `docs/contributing/api.md` lists the choices that it makes where the API is not specified.
 *
 * @module pulumi-dbwebhooks/local-service
 */

export type { ApiKeys } from "./access.js";
export type { LogEntry } from "./activity.js";
export type { AwaitedDelivery, Delivery, DeliveryOutcome, EmittedEvent } from "./deliveries.js";
export type { NewEvent, StoredEvent } from "./events.js";
export type { ChangeBody, Fault, FaultRule, InjectedFault } from "./faults.js";
export type { DeliveryOptions, LocalServiceOptions, RateLimit } from "./options.js";
export type { AwaitedRequest, ReceivedRequest, RequestMatch, RequestOutcome } from "./requests.js";
export type { LocalService, ServiceCounts } from "./service.js";
export { startLocalService } from "./service.js";
export { DataFileError } from "./webhook-file.js";
export type { StoredWebhook, WebhookChanges } from "./webhook-store.js";
