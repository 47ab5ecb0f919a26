import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { versions } from "node:process";
import { createAdaptorServer } from "@hono/node-server";
import { assertNodeVersion } from "../common/node-version.js";
import { KnownApiKeys } from "./access.js";
import { openDataFile } from "./data-file.js";
import { Deliveries } from "./deliveries.js";
import type { AwaitedDelivery, Delivery, EmittedEvent } from "./delivery.js";
import type { NewEvent } from "./events.js";
import { type FaultRule, FaultRules, type InjectedFault } from "./faults.js";
import { assertServiceOptions, type LocalServiceOptions } from "./options.js";
import { RequestLog } from "./request-log.js";
import { type AwaitedRequest, matches, type ReceivedRequest } from "./requests.js";
import { createRoutes, type ServiceParts } from "./routes.js";
import { ServiceEmitter } from "./service-emitter.js";
import {
  type DataFile,
  type StoredWebhook,
  type WebhookChanges,
  WebhookStore,
} from "./webhook-store.js";

/**
 * The timeouts of Node's server for the headers of a request and for the complete request, and how often it
 * checks them, in milliseconds. After a timeout it responds with 408 and closes the connection.
 */
const serverTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
};

/** What the service has counted since it started; `created` and `deleted` since its data file was made. */
export interface ServiceCounts {
  /** Requests of any method and outcome. */
  readonly requests: number;
  /** `POST` requests among them. */
  readonly posts: number;
  /** `DELETE` requests among them. */
  readonly deletes: number;
  /** TCP connections accepted. */
  readonly connections: number;
  /** Webhooks ever stored, also by earlier services with the same file. */
  readonly created: number;
  /** Webhooks ever deleted, by request or by `removeWebhook`, also by earlier services with the same file. */
  readonly deleted: number;
  /** Deliveries that have not finished. */
  readonly pending: number;
}

/**
 * Starts a local service. Rejects when an option is invalid, when the port is taken, and with a
 * {@link DataFileError} when the file of `data` cannot be used.
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  assertNodeVersion("pulumi-dbwebhooks", versions.node);
  assertServiceOptions(options);
  const file = options.data === undefined ? undefined : await openDataFile(options.data);
  try {
    const service = new LocalService(options, file);
    await service.listen(options);
    return service;
  } catch (error) {
    file?.close();
    throw error;
  }
}

/** A running local service. */
export class LocalService implements AsyncDisposable {
  readonly #parts: ServiceParts;
  readonly #server: Server;
  readonly #closing = new AbortController();
  #baseUrl = "";
  #port = 0;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(options: LocalServiceOptions, file: DataFile | undefined) {
    const { apiKeys = ["local-api-key"], faults = [], maxRequests = 10_000, onLog } = options;
    const emitter = new ServiceEmitter(this.#closing.signal);
    if (onLog !== undefined) {
      // In a microtask, so that an error in `onLog` is an uncaught exception and never breaks a request.
      emitter.on("log", (entry) => queueMicrotask(() => onLog(entry)));
    }
    const webhooks = new WebhookStore(file);
    this.#parts = {
      emitter,
      webhooks,
      keys: new KnownApiKeys(apiKeys),
      requests: new RequestLog(maxRequests, emitter),
      deliveries: new Deliveries(webhooks, { ...options, maxRequests }, emitter),
      faults: new FaultRules(),
      closing: this.#closing.signal,
    };
    for (const rule of faults) {
      this.inject(rule);
    }
    this.#server = createAdaptorServer({
      fetch: createRoutes(this.#parts, options).fetch,
      // A library must not replace the global Request and Response of the process.
      overrideGlobalObjects: false,
      serverOptions: serverTimeouts,
    }) as Server;
    this.#server.on("connection", () => {
      this.#parts.requests.counts.connections += 1;
    });
  }

  /**
   * Starts to listen.
   *
   * @internal
   */
  async listen({ port = 0, host = "127.0.0.1" }: LocalServiceOptions): Promise<void> {
    this.#server.listen(port, host);
    // Rejects if the port is taken.
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#baseUrl = `http://${isIPv6(host) ? `[${host}]` : host}:${this.#port}`;
  }

  /** The base URL of the service, such as `http://127.0.0.1:PORT`; it contains `host` if that is set. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  /** TCP port that the service listens on. */
  get port(): number {
    return this.#port;
  }

  /** The first API key. */
  get apiKey(): string {
    return this.#parts.keys.first;
  }

  /** A copy of the list of the newest requests, in order of arrival. Its entries change as the requests proceed. */
  get requests(): readonly ReceivedRequest[] {
    return [...this.#parts.requests.newest];
  }

  /** A copy of the list of the webhooks that exist now, in the order of their ids. */
  get webhooks(): readonly StoredWebhook[] {
    return this.#parts.webhooks.list();
  }

  /** A copy of the list of the newest deliveries, in the order of their events. Its entries change as they proceed. */
  get deliveries(): readonly Delivery[] {
    return [...this.#parts.deliveries.newest];
  }

  /** The totals. `clearRequests` does not change them. */
  get counts(): ServiceCounts {
    const { webhooks, requests, deliveries } = this.#parts;
    const { created } = webhooks;
    const deleted = created - webhooks.list().length;
    return { ...requests.counts, created, deleted, pending: deliveries.pending.size };
  }

  /** Empties `requests`; `counts` and faults stay as they are. */
  clearRequests(): void {
    this.#parts.requests.newest.length = 0;
  }

  /**
   * Waits for the next matching request to reach `stage`. Rejects when the service closes first. Without an
   * argument it waits for the next request that is received.
   */
  nextRequest(awaited: AwaitedRequest = {}): Promise<ReceivedRequest> {
    const { stage = "received", ...match } = awaited;
    return this.#parts.emitter.next(stage, (request) => matches(match, request));
  }

  /**
   * Waits for the next matching delivery to finish, whatever its outcome. Rejects when the service closes first.
   * Without an argument it waits for the next delivery.
   */
  nextDelivery(awaited: AwaitedDelivery = {}): Promise<Delivery> {
    const { type, webhookId, where } = awaited;
    return this.#parts.emitter.next(
      "deliveryFinished",
      (delivery) =>
        (type === undefined || type === delivery.event.type) &&
        (webhookId === undefined || webhookId === delivery.webhookId) &&
        (where === undefined || where(delivery)),
    );
  }

  /**
   * Emits an event: starts to deliver it to every active webhook that subscribes to it. Throws a TypeError,
   * and delivers nothing, when the event is invalid.
   */
  emit(event: NewEvent): EmittedEvent {
    const problems = this.#parts.deliveries.validateEvent(event);
    if (problems.length > 0) {
      throw new TypeError(`Invalid event: ${problems.join("; ")}.`);
    }
    return this.#parts.deliveries.emit(event);
  }

  /**
   * Adds a fault rule. Of the rules that match a request and have not yet applied to `times` requests, only
   * the one that was added first applies to it. Throws a TypeError when the rule is invalid.
   */
  inject(rule: FaultRule): InjectedFault {
    return this.#parts.faults.add(rule);
  }

  /** Removes all fault rules, and releases the requests that they hold. */
  clearFaults(): void {
    this.#parts.faults.clear();
  }

  /**
   * Changes a webhook without a request, for example to simulate drift. Throws a RangeError when there is
   * none with this id.
   */
  updateWebhook(id: number, changes: WebhookChanges): void {
    this.#parts.webhooks.update(id, changes);
    if (changes.active === false) {
      this.#parts.deliveries.drop(id);
    }
  }

  /** Deletes a webhook without a request. Throws a RangeError when there is none with this id. */
  removeWebhook(id: number): void {
    this.#parts.webhooks.delete(id);
    this.#parts.deliveries.drop(id);
  }

  /**
   * Stops listening, closes every connection and ends pending deliveries. Webhooks stay in the data
   * file, and are lost without one. A second call has no effect.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { deliveries, webhooks } = this.#parts;
    const serverClosed = new Promise((resolve) => this.#server.close(resolve));
    this.#closing.abort();
    this.#server.closeAllConnections();
    await Promise.all([serverClosed, deliveries.close()]);
    webhooks.close();
  }
}
