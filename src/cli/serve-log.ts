import { oneLine } from "../common/plain-text.js";
import { redact } from "../common/redaction.js";
import type { LogEntry } from "../local-service/index.js";
import { defaultApiKey } from "../local-service/options.js";

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

/** The text that `serve` prints when it has started: its address, and commands to copy. */
export function startText(baseUrl: string, apiKeys: readonly string[]): string {
  // A key that the user chose may be secret. Without a value, the Pulumi CLI asks for it.
  const shownKey = apiKeys.includes(defaultApiKey) ? ` ${defaultApiKey}` : "";
  return `The local service listens at ${baseUrl}
API keys: ${apiKeys.length}. It forgets all webhooks when it stops.

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${baseUrl}
  pulumi config set --secret dbwebhooks:apiKey${shownKey}

Stop it with ^C.
`;
}
