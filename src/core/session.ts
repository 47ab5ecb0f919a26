import type { dynamic } from "@pulumi/pulumi";
import { oneLine, sensitivePartsOfUrl } from "../common/redact.js";
import type { Account } from "../service/client.js";
import { WebhookError } from "../service/errors.js";
import { createTransport } from "../service/transport.js";
import type { AccountSettings } from "./check.js";
import { type ConfigResult, readConfig } from "./config.js";
import type { Properties } from "./state.js";

let stackConfig: (key: string) => string | undefined = () => undefined;
let config: ConfigResult | undefined;
let account: Account | undefined;
let hasRead = false;
let hasChecked = false;

/**
 * Keeps the configuration for the first operation that needs it. Pulumi calls other functions before
 * this one is done, and after an exception it goes on with a provider that was never configured: so
 * this neither waits nor fails.
 */
export function configure(request: dynamic.ConfigureRequest): Promise<void> {
  stackConfig = (key) => request.config.get(key);
  config = undefined;
  account = undefined;
  hasRead = false;
  hasChecked = false;
  return Promise.resolve();
}

/** Notes that a webhook is read, which only a refresh does. */
export function noteRead(): void {
  hasRead = true;
}

/** Notes that arguments are checked, which only happens when the program runs. */
export function noteCheck(): void {
  hasChecked = true;
}

/** Whether a refresh compares what it has read with the arguments of the last update. */
export function isRefreshOnly(): boolean {
  return hasRead && !hasChecked;
}

/** What this process was configured with: settings, or what is wrong with them. */
export function currentConfig(): ConfigResult {
  config ??= readConfig(stackConfig, process.env);
  return config;
}

/** The account to talk to; an error that names the operation when the settings are not all right. */
export function currentAccount(operation: string, advice = ""): Account {
  const { settings, problems } = currentConfig();
  if (settings === undefined) {
    const what = `${oneLine(operation, 200)} failed: ${problems.join(". ")}`;
    throw new WebhookError(`${what}. ${advice}Nothing was sent.`);
  }
  account ??= openAccount(settings);
  return account;
}

function openAccount(settings: AccountSettings): Account {
  return { settings, transport: createTransport(settings) };
}

/** Values that no message may hold, of an operation on a webhook with these properties. */
export function sensitiveValues({ url, secret, adopt }: Properties): string[] {
  const adoptedSecret = (adopt as { secret?: unknown } | null | undefined)?.secret;
  const values = [config?.settings?.apiKey, secret, adoptedSecret];
  return [
    ...values.filter((value) => typeof value === "string"),
    ...(typeof url === "string" ? sensitivePartsOfUrl(url) : []),
  ];
}
