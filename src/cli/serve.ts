import { once } from "node:events";
import { isApiKey } from "../common/identifier.js";
import { isLoopbackAddress } from "../common/url.js";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../local-service/index.js";
import { isHttpOrigin } from "../local-service/options.js";
import { apiKeysVariable, defaultApiKey } from "./defaults.js";
import { logLine, recorder, type StartRecord, startText } from "./serve-log.js";
import { UsageError } from "./usage-error.js";

const lastWordsMs = 1_000;

/** The options of `serve`, as the command line gives them. */
export interface ServeWords {
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

/** `pulumi-dbwebhooks serve`: runs the local service until it is told to stop. */
export async function serve(words: ServeWords): Promise<void> {
  const options = readOptions(words);
  const keys = Object.keys(options.apiKeys);
  const recordOf = recorder(keys);
  const write = (record: object, text: () => string) => {
    const json = () => JSON.stringify({ time: new Date().toISOString(), ...record });
    process.stdout.write(`${words.json ? json() : text()}\n`);
  };
  const service = await start({
    ...options,
    // Nothing here looks at the requests and deliveries that the service remembers.
    maxRequests: 0,
    onLog: (entry) => {
      const record = recordOf(entry);
      write(record, () => logLine(record));
    },
  });
  // Registered before the start is printed: a reader may stop the service at once.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const started = startRecord(service, options);
  // Only the default key is printed: a chosen one may be secret, and Pulumi asks for it when it is left out.
  write(started, () =>
    startText(
      started,
      options.host,
      keys.find((key) => key === defaultApiKey),
    ),
  );

  await stopped;
  const { pending: pendingDeliveries } = service.counts;
  await service.close();
  const record = { type: "stopped", pendingDeliveries } as const;
  write(record, () => logLine(record));
  // Without a reader, output in a pipe would keep the process alive for ever.
  setTimeout(() => process.exit(), lastWordsMs).unref();
}

interface ServeOptions extends LocalServiceOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKeys: Readonly<Record<string, readonly string[] | "*">>;
  readonly listing: boolean;
  readonly allowRemote: boolean;
  readonly allowUnknownEvents: boolean;
}

function readOptions(words: ServeWords): ServeOptions {
  const { host, data, deliverTo, rateLimit } = words;
  if (!isLoopbackAddress(host) && !words.allowRemote) {
    throw new UsageError(
      "--host: others could reach this address, and keys and secrets would travel in clear. Add --allow-remote if that is what you want.",
    );
  }
  return {
    port: readNumber("--port", words.port, [0, 65_535]),
    // Accept an IPv6 address as a URL writes it.
    host: host.replace(/^\[(.*)\]$/, "$1"),
    allowRemote: words.allowRemote ?? false,
    apiKeys: readApiKeys(
      words.apiKey ?? process.env[apiKeysVariable]?.match(/\S+/g) ?? [defaultApiKey],
    ),
    listing: words.listing ?? false,
    allowUnknownEvents: words.allowUnknownEvents ?? false,
    ...(data !== undefined && { data }),
    ...(deliverTo !== undefined && { deliveries: { deliverTo: readOrigin(deliverTo) } }),
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
  shape = /^\d+$/,
): number {
  if (!shape.test(text) || Number(text) < min || Number(text) > max) {
    throw new UsageError(`${option}: must be a number from ${min} to ${max}. See --help.`);
  }
  return Number(text);
}

function readOrigin(deliverTo: string): string {
  if (!isHttpOrigin(deliverTo)) {
    throw new UsageError("--deliver-to: must be an origin, such as http://127.0.0.1:9000.");
  }
  return deliverTo;
}

function readApiKeys(words: readonly string[]): Record<string, readonly string[] | "*"> {
  const entries = words.map((word): [string, readonly string[] | "*"] => {
    const [key = "", databases, ...more] = word.split("=");
    const ids = databases?.split(",");
    if (!isApiKey(key) || more.length > 0 || ids?.includes("")) {
      throw new UsageError(
        `--api-key (or ${apiKeysVariable}): must be KEY or KEY=DATABASE,DATABASE; KEY without = in it.`,
      );
    }
    return [key, ids ?? "*"];
  });
  const keys = Object.fromEntries(entries);
  if (Object.keys(keys).length < entries.length) {
    throw new UsageError(`--api-key (or ${apiKeysVariable}): the same key is given twice.`);
  }
  return keys;
}

async function start(options: ServeOptions): Promise<LocalService> {
  try {
    return await startLocalService(options);
  } catch (error) {
    throw new Error(explainStart(error as NodeJS.ErrnoException, options), { cause: error });
  }
}

function explainStart({ code, message }: NodeJS.ErrnoException, options: ServeOptions): string {
  const address = `Port ${options.port} of ${options.host}`;
  switch (code) {
    case "EADDRINUSE":
      return `${address} is taken. Choose another with --port, or 0 for any free one.`;
    case "EACCES":
      return `${address} may not be used by you. Choose another with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${options.host} is no address of this machine. Choose another with --host.`;
    default:
      return message;
  }
}

function startRecord(service: LocalService, options: ServeOptions): StartRecord {
  const { listing, allowRemote, allowUnknownEvents, rateLimit, deliveries } = options;
  return {
    type: "started",
    baseUrl: service.baseUrl,
    apiKeys: Object.keys(options.apiKeys).length,
    ...{ listing, allowRemote, allowUnknownEvents },
    requestsPerSecond: rateLimit?.requestsPerSecond,
    deliverTo: deliveries?.deliverTo,
    dataFile: options.data,
    webhooks: service.webhooks.length,
  };
}
