/**
 * The embedded local service: the interface in one process, without an account or a network.
 *
 * What it does where the interface shows nothing stands in one table in `docs/contributing/interface.md`.
 *
 * A request passes these checks in order: `Host`, `Origin`, rate limit, faults, API key, access to the
 * database, body. A body is read only when the key is known and may use the database.
 *
 * @module pulumi-dbwebhooks/local-service
 */

export { DataFileError } from "./data/database.js";
export type { StoredWebhook, WebhookChanges } from "./data/webhook-store.js";
export type {
  AwaitedDelivery,
  Delivery,
  DeliveryOutcome,
  EmittedEvent,
} from "./deliveries/delivery-log.js";
export type { DeliveryOptions } from "./deliveries/delivery-options.js";
export type { NewEvent, StoredEvent } from "./deliveries/event.js";
export type { Fault, FaultRule, InjectedFault } from "./faults/faults.js";
export type { ApiKeys } from "./http/api-keys.js";
export type { RateLimit } from "./http/rate-limit.js";
export type {
  AwaitedRequest,
  ReceivedRequest,
  RequestMatch,
  RequestOutcome,
} from "./http/request-log.js";
export type { LocalServiceOptions } from "./options.js";
export type { LocalService, ServiceCounts } from "./service.js";
export { startLocalService } from "./start.js";
