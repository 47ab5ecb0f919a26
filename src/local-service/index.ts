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
 * | last segment of a deletion that is no decimal integer | 404 `NOT_FOUND`: no subscription has such an id | our choice |
 * | another method on a known path | 405 `METHOD_NOT_ALLOWED`, with `Allow` | RFC 9110, section 15.5.6 |
 * | unknown path | 404 in plain text, without the error body | our choice: it must not read as "the webhook is gone" |
 * | too many requests, with `rateLimit` | 429 `TOO_MANY_REQUESTS`, with `Retry-After` | RFC 6585, section 4 |
 * | a failure of the service itself | 500 `INTERNAL_SERVER_ERROR` | RFC 9110, section 15.6.1 |
 * | `active` of a new subscription | `true` | our choice |
 * | form of the secret | `whsec_` and 256 random bits in base64 | Standard Webhooks |
 * | listing | 405; with `listing`: `GET …/webhooks` | a public service with this interface |
 * | which databases exist | all of them; a key may be limited to some | our choice |
 *
 * A request passes through: rate limit, faults, API key, access to the database, body.
 *
 * @module
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { ApiKeyRing } from "./api-keys.js";
import { FaultRules } from "./fault-rules.js";
import type { LocalServiceOptions } from "./options.js";
import { RequestLog } from "./requests.js";
import { createRoutes } from "./routes.js";
import type { LocalService } from "./service.js";
import { WebhookStore } from "./store.js";

export type { ApiKeys } from "./api-keys.js";
export type { Fault, FaultRule, InjectedFault } from "./faults.js";
export type { LocalServiceOptions } from "./options.js";
export type { RateLimit } from "./rate-limit.js";
export type { AwaitedRequest, ReceivedRequest, RequestMatch, RequestOutcome } from "./requests.js";
export type { LocalService, ServiceCounts } from "./service.js";
export type { StoredWebhook, WebhookChanges } from "./store.js";

/** Starts a local service on 127.0.0.1. Rejects when an option does not fit or the port is taken. */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const { port = 0, pathPrefix = "", apiKeys = ["local-api-key"], maxRequests = 10_000 } = options;
  if (!/^(\/[\w.~-]+)*$/.test(pathPrefix)) {
    throw new TypeError('pathPrefix must be "" or like "/tables/eu".');
  }
  const store = new WebhookStore();
  const keys = new ApiKeyRing(apiKeys);
  const log = new RequestLog(maxRequests);
  const rules = new FaultRules();
  const closing = new AbortController();
  for (const rule of options.faults ?? []) {
    rules.add(rule);
  }
  const routes = createRoutes({
    store,
    keys,
    log,
    rules,
    closing: closing.signal,
    now: options.now ?? Date.now,
    rateLimit: options.rateLimit,
    pathPrefix,
    allowUnknownEvents: options.allowUnknownEvents ?? false,
    listing: options.listing ?? false,
  });
  // A library leaves the process's global Request and Response alone.
  const adaptor = { fetch: routes.fetch, overrideGlobalObjects: false };
  const server = createAdaptorServer(adaptor) as Server;
  server.on("connection", (socket) => log.connected(socket));
  const boundPort = await listen(server, port);

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise((resolve) => {
      server.close(() => {
        store.close();
        resolve();
      });
      closing.abort();
      log.close();
      server.closeAllConnections();
    });
    return closed;
  };

  return {
    baseUrl: `http://127.0.0.1:${boundPort}${pathPrefix}`,
    port: boundPort,
    apiKey: keys.first,
    get requests() {
      return log.requests;
    },
    get webhooks() {
      return store.list();
    },
    get counts() {
      const { createdCount: created, count } = store;
      return { ...log.counts, created, deleted: created - count };
    },
    clearRequests: () => log.clear(),
    nextRequest: (awaited = {}) => log.next(awaited),
    inject: (rule) => rules.add(rule),
    clearFaults: () => rules.clear(),
    updateWebhook: (id, changes) => mustExist(id, store.update(id, changes)),
    removeWebhook: (id) => mustExist(id, store.delete(id)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function mustExist(id: number, exists: boolean): void {
  if (!exists) {
    throw new RangeError(`The local service has no webhook ${id}.`);
  }
}
