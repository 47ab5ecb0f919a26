import { once } from "node:events";
import { type LocalServiceOptions, startLocalService } from "../local-service/index.js";
import { logLine, startText } from "./serve-log.js";

/** The options of the local service that `serve` sets. */
export interface ServeOptions extends LocalServiceOptions {
  readonly apiKeys: readonly string[];
}

/** `pulumi-dbwebhooks serve`: runs the local service until it receives SIGINT or SIGTERM. */
export async function serve(options: ServeOptions): Promise<void> {
  const { apiKeys } = options;
  const write = (text: string) => void process.stdout.write(`${text}\n`);
  const service = await startLocalService({
    ...options,
    // `serve` never reads the requests that the service remembers.
    maxRequests: 0,
    onLog: (entry) => write(logLine(entry, apiKeys)),
  });
  // Comes before the first output: a program that reads it may stop the service at once.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  write(startText(service.baseUrl, apiKeys));

  await stopped;
  await service.close();
  write("Stopped.");
}
