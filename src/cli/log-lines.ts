import { styleText } from "node:util";
import { oneLine } from "../common/redact.js";
import type { DeliveryRecord, EventRecord, LogRecord, RequestRecord } from "./log-records.js";

const maxLength = 300;

/** The line of the log that shows an entry; a start has a text of its own. */
export function logLine(entry: Exclude<LogRecord, { type: "started" }>): string {
  return oneLine(text(entry), maxLength);
}

/** The line in a colour where standard output is a terminal that has them. */
export function inColour(entry: LogRecord, line: string): string {
  const colour = colourOf(entry);
  // It looks at standard output, NO_COLOR and FORCE_COLOR.
  return colour === undefined ? line : styleText(colour, line);
}

function text(entry: Exclude<LogRecord, { type: "started" }>): string {
  switch (entry.type) {
    case "request":
      return requestText(entry);
    case "event":
      return eventText(entry);
    case "delivery":
      return deliveryText(entry);
    case "error":
      return `error: ${entry.problem}`;
    case "stopped":
      return stopText(entry);
  }
}

function requestText(entry: RequestRecord): string {
  const { method, path, statusCode, outcome, action, webhookId, problem } = entry;
  const what = action === "listed" ? ", listed" : action && `, ${action} webhook ${webhookId}`;
  const why = problem && `: ${problem}`;
  return `${method} ${path} ${statusCode ?? outcome}${what ?? why ?? ""}`;
}

function eventText({ eventType, eventId, databaseId, tableId, webhookIds }: EventRecord): string {
  const where = tableId === undefined ? databaseId : `${databaseId}, ${tableId}`;
  const ids = webhookIds.join(", ");
  const whom = ids === "" ? "no webhook selects it" : `for webhook ${ids}`;
  return `event ${eventType} ${eventId} in ${where}: ${whom}`;
}

function deliveryText(entry: DeliveryRecord): string {
  const { eventId, webhookId, host, attempt, statusCode, problem, outcome } = entry;
  const to = host === undefined ? "" : ` at ${host}`;
  const tried = attempt === 0 ? "" : `, attempt ${attempt}: ${statusCode ?? problem}`;
  return `delivery of ${eventId} to webhook ${webhookId}${to}${tried}, ${endOf(entry, outcome)}`;
}

function endOf({ retryInSeconds }: DeliveryRecord, outcome: string): string {
  if (outcome === "pending") {
    return `will be tried again in ${retryInSeconds} s`;
  }
  return outcome === "dropped" ? "dropped: the webhook is deleted or switched off" : outcome;
}

function stopText({ pendingDeliveries, dataFile }: LogRecord & { type: "stopped" }): string {
  const fate = dataFile === undefined ? "lost" : `kept in ${dataFile}`;
  return pendingDeliveries === 0
    ? "Stopped."
    : `Stopped. Deliveries still pending are ${fate}: ${pendingDeliveries}.`;
}

function colourOf(entry: LogRecord): "green" | "yellow" | "red" | undefined {
  switch (entry.type) {
    case "request":
      return requestColour(entry);
    case "delivery":
      return ({ delivered: "green", failed: "red" } as const)[entry.outcome] ?? "yellow";
    case "error":
      return "red";
    default:
      return undefined;
  }
}

function requestColour({ statusCode, outcome, action }: RequestRecord) {
  if (outcome !== "answered" || statusCode === undefined) {
    return "yellow";
  }
  if (statusCode >= 400) {
    return statusCode < 500 ? "yellow" : "red";
  }
  return action === "listed" ? undefined : "green";
}
