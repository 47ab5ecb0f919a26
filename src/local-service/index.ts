/**
 * The local service: an implementation of the webhook API for tests and for trying out the package.
 *
 * `docs/api/README.md` lists its choices where the description of the API leaves something open.
 *
 * @module pulumi-dbwebhooks/local-service
 */

export { DataFileError } from "./data-file.js";
export type { AwaitedDelivery, Delivery, DeliveryOutcome, EmittedEvent } from "./delivery.js";
export type { DeliveredEvent, NewEvent } from "./events.js";
export type { ChangeBody, Fault, FaultRule, InjectedFault } from "./faults.js";
export type { ApiKeys, DeliveryOptions, LocalServiceOptions, RateLimit } from "./options.js";
export type { AwaitedRequest, ReceivedRequest, RequestMatch, RequestOutcome } from "./requests.js";
export type { LocalService, ServiceCounts } from "./service.js";
export { startLocalService } from "./service.js";
export type { LogEntry } from "./service-emitter.js";
export type { StoredWebhook, WebhookChanges } from "./webhook-store.js";
