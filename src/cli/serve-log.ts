import { oneLine } from "../common/plain-text.js";
import { redact } from "../common/redact.js";
import { isLoopbackHostname } from "../common/url.js";
import type { LogEntry } from "../local-service/index.js";

const maxLength = 300;

/** Formats an entry of the log as a line, without API keys, secrets, and URLs of receivers. */
export function logLine(entry: LogEntry, apiKeys: readonly string[]): string {
  // Cut first: clients can send texts of any length.
  const safe = (text: string) => oneLine(redact(text.slice(0, 2 * maxLength), apiKeys), maxLength);
  if (entry.type === "delivery") {
    const { event, delivery } = entry;
    const { webhookId, delivered, statusCode, problem } = delivery;
    const result = delivered ? "delivered" : (statusCode ?? problem);
    return `delivery of ${safe(event.id)} to webhook ${webhookId}: ${result}`;
  }
  const { method, path, committed, outcome, statusCode, webhookId, problem } = entry.request;
  const action = method === "POST" ? "created" : "deleted";
  const effect = committed ? `${action} webhook ${webhookId}` : safe(problem ?? "");
  const result = effect === "" ? "" : `: ${effect}`;
  return `${method} ${safe(path.replace(/\?.*/s, ""))} ${statusCode ?? outcome}${result}`;
}

/**
 * The text that `serve` prints when it has started: its address, and commands to copy.
 *
 * @param shownKey The API key in the commands. If it is empty, the Pulumi CLI asks for the key.
 */
export function startText(
  { baseUrl, apiKeys }: { readonly baseUrl: string; readonly apiKeys: number },
  shownKey: string,
): string {
  const isLocal = isLoopbackHostname(URL.parse(baseUrl)?.hostname ?? "");
  // Another machine cannot send to the address that stands for all addresses of this one.
  const reachableUrl = baseUrl.replace(/(?<=\/\/)(?:0\.0\.0\.0|\[::\])/, "MACHINE");
  const hint =
    reachableUrl === baseUrl
      ? ""
      : "\n\nReplace MACHINE by the name or an address of this machine.";
  const insecure = isLocal ? "" : "\n  pulumi config set dbwebhooks:allowInsecureBaseUrl true";
  const setApiKey = `pulumi config set --secret dbwebhooks:apiKey ${shownKey}`.trimEnd();
  return `The local service listens at ${baseUrl}${isLocal ? "" : ", for everybody who can reach it"}
API keys: ${apiKeys}. It forgets all webhooks when it stops.

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${reachableUrl}${insecure}
  ${setApiKey}${hint}

Stop it with ^C.
`;
}
