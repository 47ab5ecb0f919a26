import { once } from "node:events";
import { settingCommand } from "../common/settings-table.js";
import { type LocalServiceOptions, startLocalService } from "../local-service/index.js";
import { defaultApiKey } from "../local-service/options.js";
import { logLine } from "./log-line.js";

/** The options of the local service that `serve` sets. */
export interface ServeOptions extends LocalServiceOptions {
  readonly apiKeys: readonly string[];
}

/** `pulumi-dbwebhooks serve`: runs the local service until it receives SIGINT or SIGTERM. */
export async function serve(options: ServeOptions): Promise<void> {
  const { apiKeys } = options;
  const write = (text: string) => void process.stdout.write(`${text}\n`);
  const service = await startLocalService(options);
  let isRunning = true;
  service.use(async (request, next) => {
    const response = await next();
    const line = await logLine(request, response, apiKeys);
    // An event whose deliveries are in flight gets its response when the service closes.
    if (isRunning) {
      write(line);
    }
    return response;
  });
  // Comes before the first output: a program that reads it may stop the service at once.
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  write(startText(service.baseUrl, apiKeys));

  await stopped;
  await service.close();
  isRunning = false;
  write("Stopped.");
}

/** Returns the base URL of the service, and commands to copy. */
function startText(baseUrl: string, apiKeys: readonly string[]): string {
  // A key that the user chose may be secret. Without a value, the Pulumi CLI asks for it.
  const shownKey = apiKeys.includes(defaultApiKey) ? defaultApiKey : undefined;
  return `The local service listens at ${baseUrl}
API keys: ${apiKeys.length}. It forgets all webhooks when it stops.

Configure a stack with:

  ${settingCommand("baseUrl", baseUrl)}
  ${settingCommand("apiKey", shownKey)}

Stop it with ^C.
`;
}
