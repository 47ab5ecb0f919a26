import { oneLine, redactorOf } from "../common/redact.js";
import { isLoopbackAddress } from "../common/url.js";
import type { LogEntry, ReceivedRequest } from "../local-service/index.js";

/** The first record of the log: the settings of the service, and how many webhooks its file holds. */
export interface StartRecord {
  readonly type: "started";
  readonly baseUrl: string;
  /** The number of API keys. */
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
  | ReturnType<typeof recordOf>
  | { readonly type: "stopped"; readonly pendingDeliveries: number };

const maxLength = 300;
const wildcards: readonly string[] = ["0.0.0.0", "[::]"];

/** Returns a function that makes records without API keys, secrets and paths of receivers. */
export function recorder(apiKeys: readonly string[]): (entry: LogEntry) => LogRecord {
  const redact = redactorOf(apiKeys);
  // Cut first: clients can send texts of any length.
  const safe = (text: string) => oneLine(redact(text.slice(0, 2 * maxLength)), maxLength);
  return (entry) =>
    JSON.parse(JSON.stringify(recordOf(entry)), (_, value) =>
      typeof value === "string" ? safe(value) : value,
    );
}

/** The line for a record. */
export function logLine(record: LogRecord): string {
  return oneLine(textOf(record), maxLength);
}

/** What `serve` prints when it has started: its address, its settings, and commands to copy. */
export function startText(record: StartRecord, host: string, shownKey = ""): string {
  const { baseUrl, dataFile, webhooks, apiKeys } = record;
  const isLocal = isLoopbackAddress(host);
  const storage =
    dataFile === undefined
      ? "It forgets everything when it stops; --data FILE keeps the webhooks."
      : `Webhooks in ${dataFile}: ${webhooks}.`;
  const isWildcard = wildcards.includes(new URL(baseUrl).hostname);
  const reachable = isWildcard ? baseUrl.replace(/\/\/.*:/, "//ADDRESS_OF_THIS_MACHINE:") : baseUrl;
  const insecure = isLocal ? "" : "  pulumi config set dbwebhooks:allowInsecureBaseUrl true\n";
  return `The local service listens at ${baseUrl}${isLocal ? "" : ", for everybody who can reach it"}
API keys: ${apiKeys}. ${storage}
${settingsLine(record)}
Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${reachable}
${insecure}${`  pulumi config set --secret dbwebhooks:apiKey ${shownKey}`.trimEnd()}

Stop it with ^C.
`;
}

/** The last attempt of a delivery, such as `, attempt 2: 204`; empty before the first has ended. */
export function attemptText(
  attempts: number,
  { statusCode, problem }: { statusCode?: number | undefined; problem?: string | undefined },
): string {
  const result = statusCode ?? problem;
  return result === undefined ? "" : `, attempt ${attempts}: ${result}`;
}

/** A line with the settings that differ from the defaults, or an empty text. */
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
    case "request": {
      const { method, databaseId, outcome, statusCode, webhookId, problem } = entry.request;
      const path = entry.request.path.replace(/\?.*/s, "");
      const action = actionOf(entry.request);
      const result = { outcome, statusCode, action, webhookId, problem };
      return { type: "request", method, path, databaseId, ...result } as const;
    }
    case "event": {
      const { id: eventId, type: eventType, databaseId, tableId, deliveries } = entry.event;
      const webhookIds = deliveries.map(({ webhookId }) => webhookId);
      return { type: "event", eventId, eventType, databaseId, tableId, webhookIds } as const;
    }
    case "delivery": {
      const { event, webhookId, url = "", attempts: attempt } = entry.delivery;
      const { statusCode, problem, outcome, retryInSeconds } = entry.delivery;
      const receiver = { webhookId, host: URL.parse(url)?.host };
      const result = { attempt, statusCode, problem, outcome, retryInSeconds };
      const { id: eventId, type: eventType } = event;
      return { type: "delivery", eventId, eventType, ...receiver, ...result } as const;
    }
  }
}

function actionOf({ method, committed, databaseId, statusCode, path }: ReceivedRequest) {
  if (committed) {
    return method === "POST" ? "created" : "deleted";
  }
  const isListing = method === "GET" && databaseId !== undefined && statusCode === 200;
  return isListing && !path.startsWith("/_local") ? "listed" : undefined;
}

function textOf(record: LogRecord): string {
  switch (record.type) {
    case "request": {
      const { method, path, statusCode, outcome, action, webhookId, problem } = record;
      const start = `${method} ${path} ${statusCode ?? outcome}`;
      if (action !== undefined) {
        return `${start}, ${action === "listed" ? action : `${action} webhook ${webhookId}`}`;
      }
      return problem === undefined ? start : `${start}: ${problem}`;
    }
    case "event": {
      const { eventType, eventId, databaseId, tableId, webhookIds } = record;
      const where = tableId === undefined ? databaseId : `${databaseId}, ${tableId}`;
      const ids = webhookIds.join(", ");
      const receivers = ids === "" ? "no webhook selects it" : `for webhook ${ids}`;
      return `event ${eventType} ${eventId} in ${where}: ${receivers}`;
    }
    case "delivery": {
      const { eventId, webhookId, host, attempt, outcome, retryInSeconds } = record;
      const to = host === undefined ? "" : ` at ${host}`;
      const progress: Partial<Record<string, string>> = {
        pending: `retry in ${retryInSeconds} s`,
        dropped: "dropped: the webhook is deleted or switched off",
      };
      return `delivery of ${eventId} to webhook ${webhookId}${to}${attemptText(attempt, record)}, ${progress[outcome] ?? outcome}`;
    }
    case "stopped": {
      const { pendingDeliveries } = record;
      const lost = ` Deliveries still pending are lost: ${pendingDeliveries}.`;
      return `Stopped.${pendingDeliveries === 0 ? "" : lost}`;
    }
  }
}
