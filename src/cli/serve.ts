import { once } from "node:events";
import { readDeliveryOptions } from "../local-service/deliveries/delivery-options.js";
import {
  type DeliveryOptions,
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../local-service/index.js";
import { readArguments, UsageError } from "./arguments.js";
import { LogLines } from "./log-lines.js";
import { defaultApiKey, defaultPort, isApiKey, serveOptions } from "./options.js";

const lastWordsMs = 1_000;
const wildcards: readonly string[] = ["0.0.0.0", "[::]"];

/** `pulumi-dbwebhooks serve`: runs the local service until it is told to stop. */
export async function serve(words: readonly string[]): Promise<void> {
  const options = readServeArguments(words);
  const lines = new LogLines(Object.keys(options.apiKeys));
  const service = await start({
    ...options,
    onRequest: (request) => print(lines.ofRequest(request)),
    onEvent: (event) => print(lines.ofEvent(event)),
    onDelivery: (delivery) => print(lines.ofDelivery(delivery)),
  });
  // Before the text: whoever has read it may stop the service.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  print(startText(service, options));

  await stopped;
  const { pending } = service.counts;
  await service.close();
  const fate = options.data === undefined ? "lost" : `kept in ${options.data}`;
  print(pending === 0 ? "Stopped." : `Stopped. Deliveries still pending are ${fate}: ${pending}.`);
  // What nobody reads from a pipe cannot be written, and would keep the process alive for ever.
  setTimeout(() => process.exit(), lastWordsMs).unref();
}

interface ServeOptions extends LocalServiceOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKeys: Readonly<Record<string, readonly string[] | "*">>;
}

/** Reads the words behind `serve`. */
export function readServeArguments(words: readonly string[]): ServeOptions {
  const { values, positionals } = readArguments(words, serveOptions);
  if (positionals.length > 0) {
    throw new UsageError("serve takes options only. See --help.");
  }
  const { host = "127.0.0.1", data, "deliver-to": deliverTo, listing = false } = values;
  if (!isLoopback(host) && values["allow-remote"] !== true) {
    throw new UsageError(
      "--host: others could reach this address, and keys and secrets would travel in clear. Add --allow-remote if that is what you want.",
    );
  }
  const port = readNumber("--port", values.port ?? String(defaultPort), [0, 65_535]);
  const rateLimit = values["rate-limit"];
  return {
    port,
    host,
    apiKeys: readApiKeys(values["api-key"] ?? [defaultApiKey]),
    listing,
    allowUnknownEvents: values["allow-unknown-events"] ?? false,
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
  // A key that somebody chose may be secret: Pulumi asks for it when it is left out.
  const shownKey = apiKey === defaultApiKey ? ` ${apiKey}` : "";
  const memory =
    data === undefined
      ? "It forgets everything when it stops; --data FILE keeps it."
      : `Kept in ${data}. Webhooks: ${webhooks.length}, pending deliveries: ${counts.pending}.`;
  const keyCount = Object.keys(apiKeys).length;
  return `The local service listens at ${baseUrl}${isLoopback(host) ? "" : ", for everybody who can reach it"}
API keys: ${keyCount}. ${memory}

Configure a stack with:

${configurationOf(baseUrl, host)}
  pulumi config set --secret dbwebhooks:apiKey${shownKey}

Stop it with ^C.
`;
}

/** The commands that name the address, as another machine needs them when others can reach it. */
function configurationOf(baseUrl: string, host: string): string {
  const isWildcard = wildcards.includes(new URL(baseUrl).hostname);
  const reachable = isWildcard ? baseUrl.replace(/\/\/.*:/, "//ADDRESS_OF_THIS_MACHINE:") : baseUrl;
  const lines = [`  pulumi config set dbwebhooks:baseUrl ${reachable}`];
  if (!isLoopback(host)) {
    lines.push("  pulumi config set dbwebhooks:allowInsecureBaseUrl true");
  }
  return lines.join("\n");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
