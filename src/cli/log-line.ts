import { oneLine } from "../common/plain-text.js";
import { redact, sensitiveValues } from "../common/redaction.js";
import type { LogEntry } from "../local-service/index.js";

const maxLength = 300;

/** Formats an entry of the log as a line, without API keys, secrets, and URLs of receivers. */
export function logLine(entry: LogEntry, apiKeys: readonly string[]): string {
  // Cut first: clients can send texts of any length.
  const sensitive = sensitiveValues({ apiKeys });
  const safe = (text: string) =>
    oneLine(redact(text.slice(0, 2 * maxLength), sensitive), maxLength);
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
