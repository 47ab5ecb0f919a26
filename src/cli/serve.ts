import { once } from "node:events";
import { serveApiKeysVariable } from "../common/setting-names.js";
import { isLoopbackAddress } from "../common/url.js";
import { type LocalServiceOptions, startLocalService } from "../local-service/index.js";
import { defaultApiKey, validateOptions } from "../local-service/options.js";
import { apiKeysProblem, readApiKeys, UsageError } from "./options.js";
import { logLine, startText } from "./serve-log.js";

/** The problems of the service's options, in terms of the command line. */
const usageProblems: Readonly<Record<ReturnType<typeof validateOptions>[number], string>> = {
  unusableKey: apiKeysProblem,
  publicKey: `--allow-remote: needs an API key of your own, because everybody knows the default key. Set ${serveApiKeysVariable} or --api-key.`,
  noOrigin: "--deliver-to: must be an origin, such as http://127.0.0.1:9000.",
};

/** The options of `serve`, as the command line passes them. */
interface ServeOptions {
  readonly port: string;
  readonly host: string;
  readonly "allow-remote": boolean;
  readonly "api-key"?: readonly string[] | undefined;
  readonly listing: boolean;
  readonly "deliver-to"?: string | undefined;
  readonly "allow-unknown-events": boolean;
}

/** `pulumi-dbwebhooks serve`: runs the local service until it receives SIGINT or SIGTERM. */
export async function serve(options: ServeOptions): Promise<void> {
  const write = (text: string) => void process.stdout.write(`${text}\n`);
  const serviceOptions = parseOptions(options);
  const keys = Object.keys(serviceOptions.apiKeys);
  const service = await start({
    ...serviceOptions,
    // `serve` never reads the requests that the service remembers.
    maxRequests: 0,
    onLog: (entry) => write(logLine(entry, keys)),
  });
  // Comes before the first output: a program that reads it may stop the service at once.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const started = { baseUrl: service.baseUrl, apiKeys: keys.length };
  // Only the default key is printed, because another one may be secret.
  write(startText(started, keys.includes(defaultApiKey) ? defaultApiKey : ""));

  await stopped;
  await service.close();
  write("Stopped.");
}

function parseOptions(options: ServeOptions) {
  const { port, host, listing, "allow-remote": allowRemote, "deliver-to": deliverTo } = options;
  if (!/^\d+$/.test(port) || Number(port) > 65_535) {
    throw new UsageError("--port: must be a whole number from 0 to 65535.");
  }
  if (!isLoopbackAddress(host) && !allowRemote) {
    throw new UsageError(
      "--host: this address is reachable from other machines, and API keys and secrets would travel in clear text. Add --allow-remote to allow that.",
    );
  }
  const serviceOptions = {
    port: Number(port),
    // Accept an IPv6 address as a URL writes it.
    host: host.replace(/^\[(.*)\]$/, "$1"),
    allowRemote,
    apiKeys: Object.fromEntries(readApiKeys(options["api-key"])),
    listing,
    allowUnknownEvents: options["allow-unknown-events"],
    ...(deliverTo !== undefined && { deliverTo }),
  };
  const problems = new Set(validateOptions(serviceOptions));
  // A proxy on this machine may let others in.
  if (allowRemote && defaultApiKey in serviceOptions.apiKeys) {
    problems.add("publicKey");
  }
  if (problems.size > 0) {
    throw new UsageError([...problems].map((problem) => usageProblems[problem]).join("\n"));
  }
  return serviceOptions;
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
