/**
 * The embedded local service: the interface in one process, without an account or a network.
 *
 * Where the interface shows nothing, it does this:
 *
 * | not shown | the local service | taken from |
 * | --- | --- | --- |
 * | status of a creation | 201 | RFC 9110, section 15.3.2 |
 * | status of a deletion | 200 | RFC 9110, section 9.3.5 |
 * | missing or unknown API key | 401 `UNAUTHORIZED`, with `WWW-Authenticate: Bearer` | RFC 9110, section 15.5.2 |
 * | body of a creation that does not fit | 400 `BAD_REQUEST`, the message names every problem | our choice |
 * | `url` | an absolute http or https URL; not called at creation | our choice |
 * | `events` empty; with duplicates; of an unknown kind | 400; stored once; 400 unless `allowUnknownEvents` | our choice |
 * | `tableId` empty or `null` | 400 | our choice |
 * | `Content-Type` other than `application/json` | 415 `UNSUPPORTED_MEDIA_TYPE` | RFC 9110, section 15.5.16 |
 * | body over 1 MiB | 413 `CONTENT_TOO_LARGE` | RFC 9110, section 15.5.14; the limit is our choice |
 * | deletion whose last segment is not a decimal integer | 404 `NOT_FOUND`: no webhook has such an id | our choice |
 * | another method on a known path | 405 `METHOD_NOT_ALLOWED`, with `Allow` | RFC 9110, section 15.5.6 |
 * | unknown path | 404 in plain text, without the error body | our choice: it must not read as "the webhook is gone" |
 * | `Host` that is not a loopback name, on a loopback address without `allowRemote` | 421 in plain text | RFC 9110, section 15.5.20; the rule is our choice (DNS rebinding) |
 * | too many requests, with `rateLimit` | 429 `TOO_MANY_REQUESTS`, with `Retry-After` | RFC 6585, section 4 |
 * | a failure of the service itself | 500 `INTERNAL_SERVER_ERROR` | RFC 9110, section 15.6.1 |
 * | `active` of a new webhook | `true` | our choice |
 * | form of the secret | `whsec_` and 256 random bits in base64 | Standard Webhooks |
 * | listing | 405; with `listing`: `GET …/webhooks` | a public service with this interface |
 * | which databases exist | all of them; a key may be limited to some | our choice |
 * | how an event happens | `emit`, or `POST {base_url}/_local/bases/{databaseId}/events`; nothing else | our choice |
 * | body of a notification | `id`, `type`, `timestamp`, `data`, `metadata` | a public service with this interface |
 * | `id` of an event | `evt_…`, the same in every attempt and for every webhook | a public service with this interface |
 * | `data` when none is given | a sample of what the event is about, in its table or in a made-up one | our choice; the form: a public service with this interface |
 * | signature | `webhook-id` (the event's), `webhook-timestamp` (the attempt's), `webhook-signature` | Standard Webhooks |
 * | answer of a receiver that counts as success | any 2xx; its body means nothing | Standard Webhooks |
 * | redirects | not followed: a failed attempt | Standard Webhooks |
 * | limit of an attempt | 15 s, connection included | Standard Webhooks |
 * | retries | after 0.5, 1, 2, 4, 8, 16, 32, 60 and 60 s, whatever went wrong; then given up | growing waits: Standard Webhooks; the waits are our choice |
 * | attempts at once | 16 to each `url`; receivers do not wait for each other | our choice |
 * | order of notifications | none | our choice |
 * | guarantee | at least once; a repetition has the same `id` | Standard Webhooks |
 * | deleted or inactive webhook | pending deliveries are dropped; an attempt in flight is not aborted | interface section 3; the attempt in flight is our choice |
 * | `emit` and its HTTP call | not in the log of requests, not rate limited, no faults | our choice |
 *
 * A request passes these checks in order: `Host`, rate limit, faults, API key, access to the database, body.
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
