import { once } from "node:events";
import { isApiKey } from "../common/identifier.js";
import { serveApiKeysVariable } from "../common/setting-names.js";
import { isLoopbackAddress } from "../common/url.js";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../local-service/index.js";
import { isHttpOrigin } from "../local-service/options.js";
import { defaultApiKey, UsageError } from "./options.js";
import { logLine, recorder, type StartRecord, startText } from "./serve-log.js";

const outputTimeoutMs = 1_000;

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
  const serviceOptions = readOptions(options);
  const keys = Object.keys(serviceOptions.apiKeys);
  const recordOf = recorder(keys);
  const write = (record: object, text: () => string) => {
    const json = () => JSON.stringify({ time: new Date().toISOString(), ...record });
    process.stdout.write(`${options.json ? json() : text()}\n`);
  };
  const service = await start({
    ...serviceOptions,
    // `serve` never reads the requests and deliveries that the service remembers.
    maxRequests: 0,
    onLog: (entry) => {
      const record = recordOf(entry);
      write(record, () => logLine(record));
    },
  });
  // Comes before the first output: a program that reads it may stop the service at once.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const started = startRecord(service, serviceOptions);
  // Only the default key is printed, because another one may be secret.
  const shownKey = keys.includes(defaultApiKey) ? defaultApiKey : "";
  write(started, () => startText(started, serviceOptions.host, shownKey));

  await stopped;
  const { pending: pendingDeliveries } = service.counts;
  await service.close();
  const record = { type: "stopped", pendingDeliveries } as const;
  write(record, () => logLine(record));
  // A pipe that nothing reads would keep the process alive forever.
  setTimeout(() => process.exit(), outputTimeoutMs).unref();
}

interface ServiceOptions extends LocalServiceOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKeys: Readonly<Record<string, readonly string[] | "*">>;
  readonly listing: boolean;
  readonly allowRemote: boolean;
  readonly allowUnknownEvents: boolean;
}

function readOptions(options: ServeOptions): ServiceOptions {
  const { host, data, deliverTo, rateLimit } = options;
  const { allowRemote = false, listing = false, allowUnknownEvents = false } = options;
  if (!isLoopbackAddress(host) && !allowRemote) {
    throw new UsageError(
      "--host: others could reach this address, and keys and secrets would travel in clear text. Add --allow-remote to allow that.",
    );
  }
  if (deliverTo !== undefined && !isHttpOrigin(deliverTo)) {
    throw new UsageError("--deliver-to: must be an origin, such as http://127.0.0.1:9000.");
  }
  const keys = options.apiKey ??
    process.env[serveApiKeysVariable]?.match(/\S+/g) ?? [defaultApiKey];
  return {
    port: readNumber("--port", options.port, [0, 65_535]),
    // Accept an IPv6 address as a URL writes it.
    host: host.replace(/^\[(.*)\]$/, "$1"),
    apiKeys: readApiKeys(keys),
    ...{ allowRemote, listing, allowUnknownEvents },
    ...(data !== undefined && { data }),
    ...(deliverTo !== undefined && { deliveries: { deliverTo } }),
    ...(rateLimit !== undefined && {
      rateLimit: {
        requestsPerSecond: readNumber("--rate-limit", rateLimit, [0.001, 1e6], /^\d+(\.\d+)?$/),
      },
    }),
  };
}

function readNumber(
  option: string,
  text: string,
  [min, max]: readonly [number, number],
  pattern = /^\d+$/,
): number {
  if (!pattern.test(text) || Number(text) < min || Number(text) > max) {
    throw new UsageError(`${option}: must be a number from ${min} to ${max}. See --help.`);
  }
  return Number(text);
}

/** Reads keys in the form `KEY` or `KEY=DATABASE,DATABASE`. */
function readApiKeys(texts: readonly string[]): Record<string, readonly string[] | "*"> {
  const databasesOf = new Map<string, readonly string[] | "*">();
  for (const text of texts) {
    const [key = "", databases, ...more] = text.split("=");
    const ids = databases?.split(",");
    if (!isApiKey(key) || more.length > 0 || ids?.includes("")) {
      throw new UsageError(
        `--api-key (or ${serveApiKeysVariable}): must be KEY or KEY=DATABASE,DATABASE; KEY without = in it.`,
      );
    }
    if (databasesOf.has(key)) {
      throw new UsageError(`--api-key (or ${serveApiKeysVariable}): the same key is given twice.`);
    }
    databasesOf.set(key, ids ?? "*");
  }
  return Object.fromEntries(databasesOf);
}

async function start(options: ServiceOptions): Promise<LocalService> {
  const { host, port } = options;
  const notHere = `${host} is not an address of this machine. Choose another with --host.`;
  const problems: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken. Choose another with --port, or 0 for any free one.`,
    EACCES: `You are not allowed to use port ${port} of ${host}. Choose another with --port.`,
    EADDRNOTAVAIL: notHere,
    ENOTFOUND: notHere,
  };
  try {
    return await startLocalService(options);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new Error(problems[code] ?? message, { cause: error });
  }
}

function startRecord(service: LocalService, options: ServiceOptions): StartRecord {
  const { listing, allowRemote, allowUnknownEvents, rateLimit, deliveries, data } = options;
  return {
    type: "started",
    baseUrl: service.baseUrl,
    apiKeys: Object.keys(options.apiKeys).length,
    ...{ listing, allowRemote, allowUnknownEvents },
    requestsPerSecond: rateLimit?.requestsPerSecond,
    deliverTo: deliveries?.deliverTo,
    dataFile: data,
    webhooks: service.webhooks.length,
  };
}
