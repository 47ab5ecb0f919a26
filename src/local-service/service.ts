import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { versions } from "node:process";
import { createAdaptorServer } from "@hono/node-server";
import { assertNodeVersion } from "../common/node-version.js";
import { KnownApiKeys } from "./access.js";
import { openDataFile } from "./data-file.js";
import { Deliveries, type Delivery, type EmittedEvent } from "./deliveries.js";
import type { NewEvent } from "./events.js";
import { type Interceptor, Interceptors } from "./interceptors.js";
import { type ServiceCounts, ServiceLog } from "./log.js";
import { assertServiceOptions, type LocalServiceOptions } from "./options.js";
import type { ReceivedRequest } from "./requests.js";
import { createRoutes, type ServiceParts } from "./routes.js";
import { type StoredWebhook, type WebhookChanges, WebhookStore } from "./webhook-store.js";

/**
 * The timeouts of Node's server for the headers of a request and for the complete request, and how often it
 * checks them, in milliseconds. After a timeout it responds with 408 and closes the connection.
 */
const serverTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * Starts a local service. Rejects when an option is invalid, when the port is taken, and with a
 * {@link DataFileError} when the file of `data` cannot be used.
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  assertNodeVersion("pulumi-dbwebhooks", versions.node);
  assertServiceOptions(options);
  const { port = 0, host = "127.0.0.1", data } = options;
  const webhooks = new WebhookStore(data === undefined ? undefined : await openDataFile(data));
  const closing = new AbortController();
  const parts = createParts(options, webhooks, closing.signal);
  const server = createAdaptorServer({
    fetch: createRoutes(parts, options).fetch,
    // A library must not replace the global Request and Response of the process.
    overrideGlobalObjects: false,
    serverOptions: serverTimeouts,
  }) as Server;
  try {
    server.listen(port, host);
    // Rejects if the port is taken.
    await once(server, "listening");
  } catch (error) {
    webhooks.close();
    throw error;
  }
  return new LocalService(parts, server, closing);
}

function createParts(
  options: LocalServiceOptions,
  webhooks: WebhookStore,
  closing: AbortSignal,
): ServiceParts {
  const { apiKeys = ["local-api-key"], intercept, maxRequests = 10_000, onLog } = options;
  const log = new ServiceLog(maxRequests, closing);
  if (onLog !== undefined) {
    // In a microtask, so that an error in `onLog` is an uncaught exception and never breaks a request.
    log.on("entry", (entry) => queueMicrotask(() => onLog(entry)));
  }
  const interceptors = new Interceptors();
  if (intercept !== undefined) {
    interceptors.add(intercept);
  }
  const deliveries = new Deliveries(webhooks, options, log);
  return { webhooks, keys: new KnownApiKeys(apiKeys), log, deliveries, interceptors, closing };
}

/** A running local service. */
export class LocalService implements AsyncDisposable {
  /** The base URL of the service, such as `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly #parts: ServiceParts;
  readonly #server: Server;
  readonly #closing: AbortController;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(parts: ServiceParts, server: Server, closing: AbortController) {
    const { address, family, port } = server.address() as AddressInfo;
    this.baseUrl = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
    this.#parts = parts;
    this.#server = server;
    this.#closing = closing;
  }

  /** The first API key. */
  get apiKey(): string {
    return this.#parts.keys.first;
  }

  /** A copy of the list of the newest requests, in order of arrival. Its entries change as the requests proceed. */
  get requests(): readonly ReceivedRequest[] {
    return [...this.#parts.log.requests];
  }

  /** A copy of the list of the webhooks that exist now, in the order of their ids. */
  get webhooks(): readonly StoredWebhook[] {
    return this.#parts.webhooks.list();
  }

  /** A copy of the list of the newest deliveries, in the order of their events. Its entries change as they proceed. */
  get deliveries(): readonly Delivery[] {
    return [...this.#parts.log.deliveries];
  }

  /** The totals. `clearRequests` does not change them. */
  get counts(): ServiceCounts {
    const { webhooks, log, deliveries } = this.#parts;
    const { requests, posts, deletes } = log.counts;
    const { created } = webhooks;
    const deleted = created - webhooks.list().length;
    return { requests, posts, deletes, created, deleted, pending: deliveries.pending.size };
  }

  /** Empties `requests`; `counts` and interceptors stay as they are. */
  clearRequests(): void {
    this.#parts.log.requests.length = 0;
  }

  /**
   * Waits for the next request that matches. The function is called when a request has been received, when it
   * has stored or deleted a webhook (`committed`), and when its `outcome` is known. Rejects when the service
   * closes first.
   */
  nextRequest(matches: (request: ReceivedRequest) => boolean): Promise<ReceivedRequest> {
    return this.#parts.log.next("request", matches);
  }

  /** Waits for the next delivery that matches to finish, whatever its outcome. Rejects when the service closes first. */
  nextDelivery(matches: (delivery: Delivery) => boolean): Promise<Delivery> {
    return this.#parts.log.next("delivery", matches);
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
   * Adds an interceptor, for faults and observations. It is outermost: it gets each request before the
   * interceptors that were added earlier, and each response after them.
   *
   * @returns A function that removes the interceptor. A request that it already has continues through it.
   * @example
   * // The service makes the next webhook, and the response is lost.
   * service.use(times(1, loseResponse(), ({ method }) => method === "POST"));
   */
  use(interceptor: Interceptor): () => void {
    return this.#parts.interceptors.add(interceptor);
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
