import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type EmittedEvent, emitterOf, type NewEvent } from "./events.js";
import { type Interceptor, intercept } from "./interceptors.js";
import { defaultApiKey, type LocalServiceOptions } from "./options.js";
import { createRoutes } from "./routes.js";
import type { StoredWebhook, WebhookStore } from "./webhooks.js";

/** A running local service. */
export interface LocalService extends AsyncDisposable {
  /** The base URL of the service, such as `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** The first API key. */
  readonly apiKey: string;
  /**
   * The webhooks that exist now, in the order of their ids. Every change replaces the list. Assign
   * another list to change webhooks without a request, for example to simulate drift. It is not
   * validated.
   */
  webhooks: readonly StoredWebhook[];
  /**
   * Emits an event: sends it once to every active webhook that subscribes to it, and waits for the
   * outcomes. Rejects with a TypeError, and sends nothing, when the event is invalid.
   */
  emit(event: NewEvent): Promise<EmittedEvent>;
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
  use(interceptor: Interceptor): () => void;
  /**
   * Stops listening, closes every connection and ends deliveries in flight. A second call has no
   * effect.
   */
  close(): Promise<void>;
}

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
  const store: WebhookStore = { webhooks: [] };
  const interceptors = new Set<Interceptor>();
  const emit = emitterOf(store, options, closing.signal);
  const routes = createRoutes(store, emit, options);
  const server = createAdaptorServer({
    fetch: intercept(routes, interceptors, apiKeys, closing.signal).fetch,
    // A library must not replace the global Request and Response of the process.
    overrideGlobalObjects: false,
  }) as Server;
  server.listen(port, "127.0.0.1");
  // Rejects if the port is taken.
  await once(server, "listening");

  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const close = () => {
    closing.abort();
    server.close();
    server.closeAllConnections();
    return closed;
  };
  const use = (interceptor: Interceptor) => {
    // One more function, because an interceptor can be added twice.
    const added: Interceptor = (request, next) => interceptor(request, next);
    interceptors.add(added);
    return () => void interceptors.delete(added);
  };
  return Object.assign(store, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: apiKeys[0] ?? "",
    emit,
    use,
    close,
    [Symbol.asyncDispose]: close,
  });
}
