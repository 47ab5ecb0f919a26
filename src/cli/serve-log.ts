import { oneLine, redact } from "../common/redact.js";
import { isLoopback } from "../common/url.js";
import type { LogEntry } from "../local-service/index.js";

const maxLength = 300;

/** An entry of the log as `serve --json` writes it. `docs/local-service.md` lists the fields. */
type LogRecord = ReturnType<typeof fieldsOf>;

/** Returns the record of an entry, without API keys, secrets and paths of receivers. */
export function recordOf(entry: LogEntry, apiKeys: readonly string[]): LogRecord {
  // Cut first: clients can send texts of any length.
  const safe = (text: string) => oneLine(redact(text.slice(0, 2 * maxLength), apiKeys), maxLength);
  return JSON.parse(JSON.stringify(fieldsOf(entry)), (_, value) =>
    typeof value === "string" ? safe(value) : value,
  );
}

function fieldsOf(entry: LogEntry) {
  switch (entry.type) {
    case "request": {
      const { method, path: target, databaseId, committed, ...request } = entry.request;
      const { outcome, statusCode, webhookId, problem } = request;
      const path = target.replace(/\?.*/s, "");
      const change = method === "POST" ? "created" : "deleted";
      const result = { outcome, statusCode, action: committed ? change : undefined };
      return { type: "request", method, path, databaseId, ...result, webhookId, problem } as const;
    }
    case "event": {
      const { id: eventId, type: eventType, databaseId, tableId, deliveries } = entry.event;
      const webhookIds = deliveries.map(({ webhookId }) => webhookId);
      return { type: "event", eventId, eventType, databaseId, tableId, webhookIds } as const;
    }
    case "delivery": {
      const { event, webhookId, url = "", attempts: attempt, ...delivery } = entry.delivery;
      const { statusCode, problem, outcome, retryInSeconds } = delivery;
      return {
        type: "delivery",
        eventId: event.id,
        eventType: event.type,
        webhookId,
        host: URL.parse(url)?.host,
        attempt,
        ...{ statusCode, problem, outcome, retryInSeconds },
      } as const;
    }
  }
}

/** The line for a record. */
export function logLine(record: LogRecord): string {
  switch (record.type) {
    case "request": {
      const { method, path, statusCode, outcome, action, webhookId, problem } = record;
      const result = action === undefined ? problem : `${action} webhook ${webhookId}`;
      return `${method} ${path} ${statusCode ?? outcome}${result === undefined ? "" : `: ${result}`}`;
    }
    case "event": {
      const { eventType, eventId, databaseId, tableId, webhookIds } = record;
      const place = tableId === undefined ? databaseId : `${databaseId}, ${tableId}`;
      const receivers = webhookIds.length === 0 ? "none" : webhookIds.join(", ");
      return `event ${eventType} ${eventId} in ${place}, for webhooks: ${receivers}`;
    }
    case "delivery": {
      const { eventId, webhookId, host, attempt, outcome, retryInSeconds } = record;
      const receiver = `webhook ${webhookId}${host === undefined ? "" : ` at ${host}`}`;
      const next = outcome === "pending" ? `retry in ${retryInSeconds} s` : outcome;
      return `delivery of ${eventId} to ${receiver}${attemptText(attempt, record)}, ${next}`;
    }
  }
}

/** The last attempt of a delivery, such as `, attempt 2: 204`; empty before the first has ended. */
export function attemptText(
  attempts: number,
  { statusCode, problem }: { statusCode?: number | undefined; problem?: string | undefined },
): string {
  const result = statusCode ?? problem;
  return result === undefined ? "" : `, attempt ${attempts}: ${result}`;
}

/** What `serve` prints when it has started: its address, its storage, and commands to copy. */
export function startText(
  started: { baseUrl: string; apiKeys: number; dataFile?: string | undefined; webhooks: number },
  shownKey: string,
): string {
  const { baseUrl, apiKeys, dataFile, webhooks } = started;
  const isLocal = isLoopback(URL.parse(baseUrl)?.hostname ?? "");
  const storage =
    dataFile === undefined
      ? "It forgets everything when it stops; --data FILE keeps the webhooks."
      : `Webhooks in ${dataFile}: ${webhooks}.`;
  const insecure = isLocal ? "" : "\n  pulumi config set dbwebhooks:allowInsecureBaseUrl true";
  const apiKey = `pulumi config set --secret dbwebhooks:apiKey ${shownKey}`.trimEnd();
  return `The local service listens at ${baseUrl}${isLocal ? "" : ", for everybody who can reach it"}
API keys: ${apiKeys}. ${storage}

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${baseUrl}${insecure}
  ${apiKey}

Stop it with ^C.
`;
}
