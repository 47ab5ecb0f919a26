import { styleText } from "node:util";
import { oneLine, redactorOf } from "../common/redact.js";
import { isLoopbackAddress } from "../common/url.js";
import type { Delivery, LogEntry, ReceivedRequest } from "../local-service/index.js";

/** The settings of a service that has started, and what its file holds. */
export interface StartRecord {
  readonly type: "started";
  readonly baseUrl: string;
  /** How many API keys there are. */
  readonly apiKeys: number;
  readonly listing: boolean;
  readonly allowRemote: boolean;
  readonly allowUnknownEvents: boolean;
  readonly requestsPerSecond?: number | undefined;
  readonly deliverTo?: string | undefined;
  readonly dataFile?: string | undefined;
  readonly webhooks: number;
}

/** An entry of the log as `serve --json` writes it. `docs/local-service.md` lists the fields. */
export type LogRecord =
  | ReturnType<typeof requestRecord>
  | ReturnType<typeof eventRecord>
  | ReturnType<typeof deliveryRecord>
  | { readonly type: "stopped"; readonly pendingDeliveries: number };

const maxLength = 300;
const wildcards: readonly string[] = ["0.0.0.0", "[::]"];

/** Makes the records of the log, without keys, secrets and paths of receivers. */
export function recorder(apiKeys: readonly string[]): (entry: LogEntry) => LogRecord {
  const redact = redactorOf(apiKeys);
  // Cut first, because clients decide how long a text is.
  const safe = (text: string) => oneLine(redact(text.slice(0, 2 * maxLength)), maxLength);
  return (entry) =>
    JSON.parse(JSON.stringify(recordOf(entry)), (_, value) =>
      typeof value === "string" ? safe(value) : value,
    );
}

/** The line for a record, in a colour where standard output is a terminal that has them. */
export function logLine(record: LogRecord): string {
  const [text, colour] = textAndColour(record);
  const line = oneLine(text, maxLength);
  // It looks at standard output, NO_COLOR and FORCE_COLOR.
  return colour === undefined ? line : styleText(colour, line);
}

/** What `serve` says when it has started: where it listens, its settings, and what to paste. */
export function startText(record: StartRecord, host: string, shownKey = ""): string {
  const { baseUrl, dataFile, webhooks, apiKeys } = record;
  const isLocal = isLoopbackAddress(host);
  const memory =
    dataFile === undefined
      ? "It forgets everything when it stops; --data FILE keeps the webhooks."
      : `Webhooks in ${dataFile}: ${webhooks}.`;
  const isWildcard = wildcards.includes(new URL(baseUrl).hostname);
  const reachable = isWildcard ? baseUrl.replace(/\/\/.*:/, "//ADDRESS_OF_THIS_MACHINE:") : baseUrl;
  const insecure = isLocal ? "" : "  pulumi config set dbwebhooks:allowInsecureBaseUrl true\n";
  return `The local service listens at ${baseUrl}${isLocal ? "" : ", for everybody who can reach it"}
API keys: ${apiKeys}. ${memory}
${settingsLine(record)}
Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${reachable}
${insecure}${`  pulumi config set --secret dbwebhooks:apiKey ${shownKey}`.trimEnd()}

Stop it with ^C.
`;
}

/** A line with the settings that differ from the defaults, or nothing. */
function settingsLine(record: StartRecord): string {
  const { listing, allowRemote, allowUnknownEvents, requestsPerSecond, deliverTo } = record;
  const settings = [
    listing && "it lists webhooks",
    requestsPerSecond !== undefined && `each key may send ${requestsPerSecond} requests a second`,
    deliverTo !== undefined && `notifications go to ${deliverTo}`,
    allowUnknownEvents && "it accepts unknown event kinds",
    allowRemote && "it responds under any host name",
  ].filter((text) => text !== false);
  return settings.length === 0 ? "" : `Settings: ${settings.join("; ")}.\n`;
}

function recordOf(entry: LogEntry) {
  switch (entry.type) {
    case "request":
      return requestRecord(entry.request);
    case "event":
      return eventRecord(entry);
    case "delivery":
      return deliveryRecord(entry.delivery);
  }
}

function requestRecord(request: ReceivedRequest) {
  const { method, path, databaseId, outcome, statusCode, webhookId, problem } = request;
  const [pathname = ""] = path.split("?");
  const known = { databaseId, outcome, statusCode, action: actionOf(request), webhookId, problem };
  return { type: "request", method, path: pathname, ...known } as const;
}

function actionOf({ method, committed, databaseId, statusCode, path }: ReceivedRequest) {
  if (committed) {
    return method === "POST" ? "created" : "deleted";
  }
  const isListing = method === "GET" && databaseId !== undefined && statusCode === 200;
  return isListing && !path.startsWith("/_local") ? "listed" : undefined;
}

function eventRecord({ event }: LogEntry & { type: "event" }) {
  const { id: eventId, type: eventType, databaseId, tableId } = event;
  const webhookIds = event.deliveries.map(({ webhookId }) => webhookId);
  return { type: "event", eventId, eventType, databaseId, tableId, webhookIds } as const;
}

function deliveryRecord(delivery: Delivery) {
  const { event, webhookId, url, attempts: attempt, statusCode, problem, outcome } = delivery;
  const host = url === undefined ? undefined : URL.parse(url)?.host;
  const { retryInSeconds } = delivery;
  const result = { host, attempt, statusCode, problem, outcome, retryInSeconds };
  return {
    type: "delivery",
    eventId: event.id,
    eventType: event.type,
    webhookId,
    ...result,
  } as const;
}

type Colour = "green" | "yellow" | "red";

function textAndColour(record: LogRecord): [text: string, colour?: Colour | undefined] {
  switch (record.type) {
    case "request":
      return [requestText(record), requestColour(record)];
    case "event": {
      const { eventType, eventId, databaseId, tableId, webhookIds } = record;
      const where = tableId === undefined ? databaseId : `${databaseId}, ${tableId}`;
      const ids = webhookIds.join(", ");
      const receivers = ids === "" ? "no webhook selects it" : `for webhook ${ids}`;
      return [`event ${eventType} ${eventId} in ${where}: ${receivers}`];
    }
    case "delivery":
      return [
        deliveryText(record),
        record.outcome === "delivered" ? "green" : record.outcome === "failed" ? "red" : "yellow",
      ];
    case "stopped": {
      const { pendingDeliveries } = record;
      const lost = `Stopped. Deliveries still pending are lost: ${pendingDeliveries}.`;
      return [pendingDeliveries === 0 ? "Stopped." : lost];
    }
  }
}

function requestText(record: ReturnType<typeof requestRecord>): string {
  const { method, path, statusCode, outcome, action, webhookId, problem } = record;
  const what = action === "listed" ? ", listed" : action && `, ${action} webhook ${webhookId}`;
  const why = problem && `: ${problem}`;
  return `${method} ${path} ${statusCode ?? outcome}${what ?? why ?? ""}`;
}

function requestColour(record: ReturnType<typeof requestRecord>): Colour | undefined {
  const { statusCode = 0, outcome, action } = record;
  if (outcome !== "answered" || statusCode >= 400) {
    return statusCode >= 500 ? "red" : "yellow";
  }
  return action === "created" || action === "deleted" ? "green" : undefined;
}

function deliveryText(record: ReturnType<typeof deliveryRecord>): string {
  const { eventId, webhookId, host, attempt, statusCode, problem, outcome } = record;
  const to = host === undefined ? "" : ` at ${host}`;
  const tried = attempt === 0 ? "" : `, attempt ${attempt}: ${statusCode ?? problem}`;
  const ends: Partial<Record<string, string>> = {
    pending: `retry in ${record.retryInSeconds} s`,
    dropped: "dropped: the webhook is deleted or switched off",
  };
  return `delivery of ${eventId} to webhook ${webhookId}${to}${tried}, ${ends[outcome] ?? outcome}`;
}
