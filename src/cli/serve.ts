import { once } from "node:events";
import { serveApiKeysVariable } from "../common/setting-names.js";
import { isHttpOrigin, isLoopbackAddress } from "../common/url.js";
import { type LocalServiceOptions, startLocalService } from "../local-service/index.js";
import { defaultApiKey, readApiKeys, readNumber, UsageError } from "./options.js";
import { logLine, recordOf, startText } from "./serve-log.js";

/** The options of `serve`, as the command line passes them. */
export interface ServeOptions {
  readonly port: string;
  readonly host: string;
  readonly allowRemote?: true;
  readonly apiKey?: readonly string[];
  readonly data?: string;
  readonly listing?: true;
  readonly rateLimit?: string;
  readonly deliverTo?: string;
  readonly allowUnknownEvents?: true;
  readonly json?: true;
}

/** `pulumi-dbwebhooks serve`: runs the local service until it receives SIGINT or SIGTERM. */
export async function serve(options: ServeOptions): Promise<void> {
  const write = (record: object, text: string) => {
    const json = JSON.stringify({ time: new Date().toISOString(), ...record });
    process.stdout.write(`${options.json ? json : text}\n`);
  };
  const serviceOptions = readOptions(options);
  const keys = Object.keys(serviceOptions.apiKeys);
  const service = await start({
    ...serviceOptions,
    // `serve` never reads the requests and deliveries that the service remembers.
    maxRequests: 0,
    onLog: (entry) => {
      const record = recordOf(entry, keys);
      write(record, logLine(record));
    },
  });
  // Comes before the first output: a program that reads it may stop the service at once.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const { listing, allowRemote, allowUnknownEvents, rateLimit, deliveries, data } = serviceOptions;
  const started = {
    type: "started",
    baseUrl: service.baseUrl,
    apiKeys: keys.length,
    listing,
    allowRemote,
    allowUnknownEvents,
    requestsPerSecond: rateLimit?.requestsPerSecond,
    deliverTo: deliveries?.deliverTo,
    dataFile: data,
    webhooks: service.webhooks.length,
  };
  // Only the default key is printed, because another one may be secret.
  write(started, startText(started, keys.includes(defaultApiKey) ? defaultApiKey : ""));

  await stopped;
  const { pending: pendingDeliveries } = service.counts;
  await service.close();
  const lost = ` Deliveries still pending are lost: ${pendingDeliveries}.`;
  write({ type: "stopped", pendingDeliveries }, `Stopped.${pendingDeliveries > 0 ? lost : ""}`);
}

function readOptions(options: ServeOptions) {
  const { host, data, deliverTo, rateLimit } = options;
  const { allowRemote = false, listing = false, allowUnknownEvents = false } = options;
  if (!isLoopbackAddress(host) && !allowRemote) {
    throw new UsageError(
      "--host: this address is reachable from other machines, and API keys and secrets would travel in clear text. Add --allow-remote to allow that.",
    );
  }
  const apiKeys = readApiKeys(options.apiKey);
  if (allowRemote && apiKeys.has(defaultApiKey)) {
    throw new UsageError(
      `--allow-remote: needs an API key of your own, because everybody knows the default key. Set ${serveApiKeysVariable} or --api-key.`,
    );
  }
  if (deliverTo !== undefined && !isHttpOrigin(deliverTo)) {
    throw new UsageError("--deliver-to: must be an origin, such as http://127.0.0.1:9000.");
  }
  return {
    port: readNumber("--port", options.port, { min: 0, max: 65_535, isInteger: true }),
    // Accept an IPv6 address as a URL writes it.
    host: host.replace(/^\[(.*)\]$/, "$1"),
    allowRemote,
    apiKeys: Object.fromEntries(apiKeys),
    listing,
    allowUnknownEvents,
    ...(data !== undefined && { data }),
    ...(deliverTo !== undefined && { deliveries: { deliverTo } }),
    ...(rateLimit !== undefined && {
      rateLimit: {
        requestsPerSecond: readNumber("--rate-limit", rateLimit, { min: 0.001, max: 1e6 }),
      },
    }),
  };
}

async function start(options: LocalServiceOptions) {
  try {
    return await startLocalService(options);
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException;
    // Only errors of the network name a system call.
    const advice = syscall === undefined ? "" : ". Choose another address with --port or --host.";
    throw new Error(message + advice, { cause: error });
  }
}
