import { once } from "node:events";
import { isApiKey } from "../common/api-key.js";
import { isLoopbackAddress } from "../common/url.js";
import { readDeliveryOptions } from "../local-service/deliveries/delivery-options.js";
import {
  type DeliveryOptions,
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../local-service/index.js";
import { defaultApiKey } from "./defaults.js";
import { LogLines } from "./log-lines.js";
import { UsageError } from "./usage-error.js";

const lastWordsMs = 1_000;
const wildcards: readonly string[] = ["0.0.0.0", "[::]"];

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
}

/** `pulumi-dbwebhooks serve`: runs the local service until it is told to stop. */
export async function serve(words: ServeWords): Promise<void> {
  const options = readOptions(words);
  const lines = new LogLines(Object.keys(options.apiKeys));
  const service = await start({
    ...options,
    onRequest: (request) => print(lines.ofRequest(request)),
    onEvent: (event) => print(lines.ofEvent(event)),
    onDelivery: (delivery) => print(lines.ofDelivery(delivery)),
  });
  // Registered before the text is printed: a reader may stop the service at once.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  print(startText(service, options));

  await stopped;
  await service.close();
  const { pending } = service.counts;
  const fate = options.data === undefined ? "lost" : `kept in ${options.data}`;
  print(pending === 0 ? "Stopped." : `Stopped. Deliveries still pending are ${fate}: ${pending}.`);
  // Without a reader, output in a pipe would keep the process alive for ever.
  setTimeout(() => process.exit(), lastWordsMs).unref();
}

interface ServeOptions extends LocalServiceOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKeys: Readonly<Record<string, readonly string[] | "*">>;
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
    apiKeys: readApiKeys(words.apiKey ?? [defaultApiKey]),
    listing: words.listing ?? false,
    allowUnknownEvents: words.allowUnknownEvents ?? false,
    ...(data !== undefined && { data }),
    ...(deliverTo !== undefined && { deliveries: readDeliverTo(deliverTo) }),
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

function readDeliverTo(deliverTo: string): DeliveryOptions {
  try {
    readDeliveryOptions({ deliverTo });
  } catch {
    throw new UsageError("--deliver-to: must be an origin, such as http://127.0.0.1:9000.");
  }
  return { deliverTo };
}

function readApiKeys(words: readonly string[]): Record<string, readonly string[] | "*"> {
  const entries = words.map((word): [string, readonly string[] | "*"] => {
    const [key = "", databases, ...more] = word.split("=");
    const ids = databases?.split(",");
    if (!isApiKey(key) || more.length > 0 || ids?.includes("")) {
      throw new UsageError("--api-key: must be KEY or KEY=DATABASE,DATABASE; KEY without = in it.");
    }
    return [key, ids ?? "*"];
  });
  const keys = Object.fromEntries(entries);
  if (Object.keys(keys).length < entries.length) {
    throw new UsageError("--api-key: the same key is given twice.");
  }
  return keys;
}

async function start(options: ServeOptions): Promise<LocalService> {
  try {
    return await startLocalService(options);
  } catch (error) {
    throw new Error(explanationOf(error as NodeJS.ErrnoException, options), { cause: error });
  }
}

function explanationOf({ code, message }: NodeJS.ErrnoException, options: ServeOptions): string {
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

function startText(service: LocalService, { data, apiKeys, host }: ServeOptions): string {
  const { baseUrl, apiKey, webhooks, counts } = service;
  // A chosen key may be secret. Pulumi asks for it when it is left out.
  const shownKey = apiKey === defaultApiKey ? ` ${apiKey}` : "";
  const memory =
    data === undefined
      ? "It forgets everything when it stops; --data FILE keeps it."
      : `Kept in ${data}. Webhooks: ${webhooks.length}, pending deliveries: ${counts.pending}.`;
  const keyCount = Object.keys(apiKeys).length;
  return `The local service listens at ${baseUrl}${isLoopbackAddress(host) ? "" : ", for everybody who can reach it"}
API keys: ${keyCount}. ${memory}

Configure a stack with:

${configurationOf(baseUrl, host)}
  pulumi config set --secret dbwebhooks:apiKey${shownKey}

Stop it with ^C.
`;
}

/** The commands that configure the address, in the form that other machines need. */
function configurationOf(baseUrl: string, host: string): string {
  const isWildcard = wildcards.includes(new URL(baseUrl).hostname);
  const reachable = isWildcard ? baseUrl.replace(/\/\/.*:/, "//ADDRESS_OF_THIS_MACHINE:") : baseUrl;
  const lines = [`  pulumi config set dbwebhooks:baseUrl ${reachable}`];
  if (!isLoopbackAddress(host)) {
    lines.push("  pulumi config set dbwebhooks:allowInsecureBaseUrl true");
  }
  return lines.join("\n");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
