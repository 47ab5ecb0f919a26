import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type Emit, type EmittedEvent, emitterOf, type NewEvent } from "./events.js";
import { type Interceptor, intercept } from "./interceptors.js";
import { defaultApiKey, type LocalServiceOptions } from "./options.js";
import type { StoredWebhook, WebhookChanges } from "./records.js";
import { createRoutes } from "./routes.js";

/**
 * Starts a local service.
 *
 * @throws TypeError if `deliverTo` is not a URL.
 * @throws RangeError if `port` is not one from 0 to 65,535.
 * @throws Error of Node.js if it cannot listen, with the code `EADDRINUSE` if the port is taken.
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const { port = 0, apiKeys = [defaultApiKey] } = options;
  const closing = new AbortController();
  const webhooks = new Map<number, StoredWebhook>();
  const interceptors = new Set<Interceptor>();
  const emit = emitterOf(webhooks, options, closing.signal);
  const routes = createRoutes(webhooks, emit, options);
  const server = createAdaptorServer({
    fetch: intercept(routes, interceptors, apiKeys, closing.signal).fetch,
    // A library must not replace the global Request and Response of the process.
    overrideGlobalObjects: false,
  }) as Server;
  server.listen(port, "127.0.0.1");
  // Rejects if the port is taken.
  await once(server, "listening");
  const apiKey = apiKeys[0] ?? "";
  return new LocalService({ webhooks, interceptors, emit, apiKey }, server, closing);
}

interface ServiceParts {
  readonly webhooks: Map<number, StoredWebhook>;
  readonly interceptors: Set<Interceptor>;
  readonly emit: Emit;
  readonly apiKey: string;
}

/** A running local service. */
export class LocalService implements AsyncDisposable {
  /** The base URL of the service, such as `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** The first API key. */
  readonly apiKey: string;
  readonly #parts: ServiceParts;
  readonly #server: Server;
  readonly #closing: AbortController;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(parts: ServiceParts, server: Server, closing: AbortController) {
    const { port } = server.address() as AddressInfo;
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.apiKey = parts.apiKey;
    this.#parts = parts;
    this.#server = server;
    this.#closing = closing;
  }

  /** A copy of the list of the webhooks that exist now, in the order of their ids. */
  get webhooks(): readonly StoredWebhook[] {
    return [...this.#parts.webhooks.values()];
  }

  /**
   * Emits an event: sends it once to every active webhook that subscribes to it, and waits for the
   * outcomes. Rejects with a TypeError, and sends nothing, when the event is invalid.
   */
  emit(event: NewEvent): Promise<EmittedEvent> {
    return this.#parts.emit(event);
  }

  /**
   * Adds an interceptor, for faults and observations. It is outermost: it gets each request before
   * the interceptors that were added earlier, and each response after them.
   *
   * @returns A function that removes the interceptor. A request that it already has continues
   * through it.
   * @example
   * // The service creates every webhook, and the responses are lost.
   * service.use(async ({ method }, next) => {
   *   const response = await next();
   *   return method === "POST" ? Response.error() : response;
   * });
   */
  use(interceptor: Interceptor): () => void {
    // One more function, because an interceptor can be added twice.
    const added: Interceptor = (request, next) => interceptor(request, next);
    this.#parts.interceptors.add(added);
    return () => void this.#parts.interceptors.delete(added);
  }

  /**
   * Changes a webhook without a request, for example to simulate drift. The changes are not
   * validated.
   *
   * @throws RangeError when there is no webhook with this id.
   */
  updateWebhook(id: number, changes: WebhookChanges): void {
    this.#parts.webhooks.set(id, { ...this.#existing(id), ...changes });
  }

  /**
   * Deletes a webhook without a request.
   *
   * @throws RangeError when there is no webhook with this id.
   */
  removeWebhook(id: number): void {
    this.#parts.webhooks.delete(this.#existing(id).id);
  }

  /**
   * Stops listening, closes every connection and ends deliveries in flight. A second call has no
   * effect.
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
    const serverClosed = new Promise((resolve) => this.#server.close(resolve));
    this.#closing.abort();
    this.#server.closeAllConnections();
    await serverClosed;
  }

  #existing(id: number): StoredWebhook {
    const webhook = this.#parts.webhooks.get(id);
    if (webhook === undefined) {
      throw new RangeError(`The local service has no webhook ${id}.`);
    }
    return webhook;
  }
}
