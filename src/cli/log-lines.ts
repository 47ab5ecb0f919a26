import { styleText } from "node:util";
import { oneLine } from "../common/redact.js";
import type { DeliveryEntry, EventEntry, LogEntry, RequestEntry } from "./log-records.js";

const maxLength = 300;

/** The line of the log that shows an entry; a start has a text of its own. */
export function lineOf(entry: Exclude<LogEntry, { type: "started" }>): string {
  return oneLine(textOf(entry), maxLength);
}

/** The line in a colour where standard output is a terminal that has them. */
export function inColour(entry: LogEntry, line: string): string {
  const colour = colourOf(entry);
  // It looks at standard output, NO_COLOR and FORCE_COLOR.
  return colour === undefined ? line : styleText(colour, line);
}

function textOf(entry: Exclude<LogEntry, { type: "started" }>): string {
  switch (entry.type) {
    case "request":
      return textOfRequest(entry);
    case "event":
      return textOfEvent(entry);
    case "delivery":
      return textOfDelivery(entry);
    case "error":
      return `error: ${entry.problem}`;
    case "stopped":
      return textOfStop(entry);
  }
}

function textOfRequest(entry: RequestEntry): string {
  const { method, path, statusCode, outcome, action, webhookId, problem } = entry;
  const what = action === "listed" ? ", listed" : action && `, ${action} webhook ${webhookId}`;
  const why = problem && `: ${problem}`;
  return `${method} ${path} ${statusCode ?? outcome}${what ?? why ?? ""}`;
}

function textOfEvent({ eventType, eventId, databaseId, tableId, webhookIds }: EventEntry): string {
  const where = tableId === undefined ? databaseId : `${databaseId}, ${tableId}`;
  const ids = webhookIds.join(", ");
  const whom = ids === "" ? "no webhook selects it" : `for webhook ${ids}`;
  return `event ${eventType} ${eventId} in ${where}: ${whom}`;
}

function textOfDelivery(entry: DeliveryEntry): string {
  const { eventId, webhookId, host, attempt, statusCode, problem, outcome } = entry;
  const to = host === undefined ? "" : ` at ${host}`;
  const tried = attempt === 0 ? "" : `, attempt ${attempt}: ${statusCode ?? problem}`;
  return `delivery of ${eventId} to webhook ${webhookId}${to}${tried}, ${endOf(entry, outcome)}`;
}

function endOf({ retryInSeconds }: DeliveryEntry, outcome: string): string {
  if (outcome === "pending") {
    return `will be tried again in ${retryInSeconds} s`;
  }
  return outcome === "dropped" ? "dropped: the webhook is deleted or switched off" : outcome;
}

function textOfStop({ pendingDeliveries, dataFile }: LogEntry & { type: "stopped" }): string {
  const fate = dataFile === undefined ? "lost" : `kept in ${dataFile}`;
  return pendingDeliveries === 0
    ? "Stopped."
    : `Stopped. Deliveries still pending are ${fate}: ${pendingDeliveries}.`;
}

function colourOf(entry: LogEntry): "green" | "yellow" | "red" | undefined {
  switch (entry.type) {
    case "request":
      return colourOfRequest(entry);
    case "delivery":
      return ({ delivered: "green", failed: "red" } as const)[entry.outcome] ?? "yellow";
    case "error":
      return "red";
    default:
      return undefined;
  }
}

function colourOfRequest({ statusCode, outcome, action }: RequestEntry) {
  if (outcome !== "answered" || statusCode === undefined) {
    return "yellow";
  }
  if (statusCode >= 400) {
    return statusCode < 500 ? "yellow" : "red";
  }
  return action === "listed" ? undefined : "green";
}
