import { isLoopbackAddress } from "../common/url.js";
import type { StartRecord } from "./log-records.js";

const wildcards: readonly string[] = ["0.0.0.0", "[::]"];

interface StartTextParts {
  /** The address as `--host` names it. */
  readonly host: string;
  /** The key to paste, when it may be shown. */
  readonly shownKey: string | undefined;
}

/** What `serve` says when it has started: where it listens, its settings, and what to paste. */
export function startText(entry: StartRecord, { host, shownKey }: StartTextParts): string {
  const { baseUrl, dataFile, webhooks, pendingDeliveries } = entry;
  const memory =
    dataFile === undefined
      ? "It forgets everything when it stops; --data FILE keeps it."
      : `Kept in ${dataFile}. Webhooks: ${webhooks}, pending deliveries: ${pendingDeliveries}.`;
  return `The local service listens at ${baseUrl}${isLoopbackAddress(host) ? "" : ", for everybody who can reach it"}
API keys: ${entry.apiKeys}. ${memory}
${settingsLine(entry)}
Configure a stack with:

${configurationCommands(baseUrl, host)}
  pulumi config set --secret dbwebhooks:apiKey${shownKey === undefined ? "" : ` ${shownKey}`}

Stop it with ^C.
`;
}

/** A line with the settings that are not the default, or nothing. */
function settingsLine(entry: StartRecord): string {
  const { listing, allowRemote, allowUnknownEvents, requestsPerSecond, deliverTo } = entry;
  const settings = [
    listing && "it lists webhooks",
    requestsPerSecond !== undefined && `each key may send ${requestsPerSecond} requests a second`,
    deliverTo !== undefined && `notifications go to ${deliverTo}`,
    allowUnknownEvents && "it accepts unknown event kinds",
    allowRemote && "it answers under any host name",
  ].filter((text) => text !== false);
  return settings.length === 0 ? "" : `Settings: ${settings.join("; ")}.\n`;
}

/** The commands that configure the address, in the form that other machines need. */
function configurationCommands(baseUrl: string, host: string): string {
  const isWildcard = wildcards.includes(new URL(baseUrl).hostname);
  const reachable = isWildcard ? baseUrl.replace(/\/\/.*:/, "//ADDRESS_OF_THIS_MACHINE:") : baseUrl;
  const lines = [`  pulumi config set dbwebhooks:baseUrl ${reachable}`];
  if (!isLoopbackAddress(host)) {
    lines.push("  pulumi config set dbwebhooks:allowInsecureBaseUrl true");
  }
  return lines.join("\n");
}
