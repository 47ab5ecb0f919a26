import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import type { DatabaseSync } from "node:sqlite";
import { createAdaptorServer } from "@hono/node-server";
import { isLoopbackAddress } from "../common/url.js";
import { DataFileError, openDatabase } from "./data/database.js";
import { DeliveryStore, type PendingDelivery } from "./data/delivery-store.js";
import { type WebhookChanges, WebhookStore } from "./data/webhook-store.js";
import { Deliverer } from "./deliveries/deliverer.js";
import { type AwaitedDelivery, DeliveryLog, type EmittedEvent } from "./deliveries/delivery-log.js";
import { readDeliveryOptions } from "./deliveries/delivery-options.js";
import { completeEvent, eventReader } from "./deliveries/event.js";
import { FaultRules } from "./faults/fault-rules.js";
import { ApiKeyRing } from "./http/api-keys.js";
import { requestLimits } from "./http/request-limits.js";
import { RequestLog } from "./http/request-log.js";
import { createRoutes } from "./http/routes.js";
import { guardListeners } from "./listeners.js";
import type { LocalServiceOptions } from "./options.js";
import type { Checked } from "./problems.js";
import type { LocalService, ServiceCounts } from "./service.js";

/**
 * Starts a local service. Rejects when an option does not fit, when the port is taken, and with a
 * {@link DataFileError} when the file of `data` cannot be used.
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  if (!/^(\/[\w.~-]+)*$/.test(options.pathPrefix ?? "")) {
    throw new TypeError('pathPrefix must be "" or like "/tables/eu".');
  }
  const database = openDatabase(options.data);
  try {
    return await startOn(database, options);
  } catch (error) {
    if (database.isOpen) {
      database.close();
    }
    throw error;
  }
}

async function startOn(
  database: DatabaseSync,
  options: LocalServiceOptions,
): Promise<LocalService> {
  const { port = 0, host = "127.0.0.1", pathPrefix = "", allowUnknownEvents = false } = options;
  const { apiKeys = ["local-api-key"], maxRequests = 10_000, now = Date.now } = options;
  const { onRequest, onEvent, onDelivery, onError } = guardListeners(options);
  const keys = new ApiKeyRing(apiKeys);
  const log = new RequestLog(maxRequests, onRequest);
  const rules = new FaultRules();
  for (const rule of options.faults ?? []) {
    rules.add(rule);
  }
  const store = new WebhookStore(database);
  const deliveryStore = new DeliveryStore(database);
  // Before it listens, so that a file that cannot be read fails the start.
  const pending = readPending(deliveryStore, options.data);
  const deliveryLog = new DeliveryLog(maxRequests, onDelivery);
  const deliverer = new Deliverer(
    { webhooks: store, store: deliveryStore, log: deliveryLog, now, onError },
    readDeliveryOptions(options.deliveries),
  );
  const closing = new AbortController();

  const readEvent = eventReader(allowUnknownEvents);
  const emit = (newEvent: unknown): Checked<EmittedEvent> => {
    const read = readEvent(newEvent);
    if (read.problems !== undefined) {
      return read;
    }
    const event = deliverer.store(completeEvent(read.value, now()));
    onEvent(event);
    deliverer.begin(event.deliveries);
    return { value: event };
  };
  const remove = (id: number) => {
    mustExist(id, store.delete(id));
    deliverer.drop(id);
  };
  const update = (id: number, changes: WebhookChanges) => {
    mustExist(id, store.update(id, changes));
    if (changes.active === false) {
      deliverer.drop(id);
    }
  };

  const routes = createRoutes({
    ...{ store, remove, emit, keys, log, rules, now, pathPrefix, allowUnknownEvents },
    closing: closing.signal,
    rateLimit: options.rateLimit,
    listing: options.listing ?? false,
    allowRemote: options.allowRemote || !isLoopbackAddress(host),
  });
  // A library leaves the process's global Request and Response alone.
  const adaptor = {
    fetch: routes.fetch,
    overrideGlobalObjects: false,
    serverOptions: requestLimits,
  };
  const server = createAdaptorServer(adaptor) as Server;
  server.on("connection", (socket) => log.connected(socket));
  const boundPort = await listen(server, port, host);

  const count = (): ServiceCounts => {
    const { createdCount: created, count } = store;
    return { ...log.counts, created, deleted: created - count, pending: deliveryStore.count };
  };
  let countsAtEnd: ServiceCounts | undefined;
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      const serverClosed = new Promise((resolve) => server.close(resolve));
      closing.abort();
      log.close();
      server.closeAllConnections();
      await Promise.all([serverClosed, deliverer.close()]);
      try {
        countsAtEnd = count();
      } finally {
        database.close();
      }
    })();
    return closed;
  };
  try {
    deliverer.resume(pending);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    baseUrl: `http://${isIPv6(host) ? `[${host}]` : host}:${boundPort}${pathPrefix}`,
    port: boundPort,
    apiKey: keys.first,
    get requests() {
      return log.requests;
    },
    get webhooks() {
      return store.list();
    },
    get counts() {
      return countsAtEnd ?? count();
    },
    clearRequests: () => log.clear(),
    nextRequest: (awaited = {}) => log.next(awaited),
    emit: (event) => mustFit(emit(event)),
    get deliveries() {
      return deliveryLog.deliveries;
    },
    nextDelivery: (awaited: AwaitedDelivery = {}) => deliveryLog.next(awaited),
    inject: (rule) => rules.add(rule),
    clearFaults: () => rules.clear(),
    updateWebhook: update,
    removeWebhook: remove,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function readPending(store: DeliveryStore, file = ":memory:"): PendingDelivery[] {
  try {
    return store.list();
  } catch (error) {
    throw new DataFileError(
      file,
      "a pending delivery in it cannot be read. Use another file, or a copy that is whole",
      { cause: error },
    );
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
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

function mustFit(emitted: Checked<EmittedEvent>): EmittedEvent {
  if (emitted.problems !== undefined) {
    throw new TypeError(`The event does not fit: ${emitted.problems.join("; ")}.`);
  }
  return emitted.value;
}
