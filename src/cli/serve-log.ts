import { oneLine, redact } from "../common/redact.js";
import { isLoopbackHostname } from "../common/url.js";
import type { LogEntry } from "../local-service/index.js";

const maxLength = 300;

/** An entry of the log as `serve --json` writes it. `docs/local-service.md` lists the fields. */
type LogRecord = ReturnType<typeof fieldsOf>;

/** Returns the record of an entry, without API keys, secrets and paths of receivers. */
export function recordOf(entry: LogEntry, apiKeys: readonly string[]): LogRecord {
  // Cut first: clients can send texts of any length.
  const safe = (text: string) => oneLine(redact(text.slice(0, 2 * maxLength), apiKeys), maxLength);
  // The copy has a safe text in place of every string, and no field that is undefined.
  return JSON.parse(JSON.stringify(fieldsOf(entry)), (_, value) =>
    typeof value === "string" ? safe(value) : value,
  );
}

function fieldsOf(entry: LogEntry) {
  switch (entry.type) {
    case "request": {
      const { method, path, databaseId, outcome, statusCode, webhookId, problem } = entry.request;
      const change = method === "POST" ? "created" : "deleted";
      return {
        type: "request",
        method,
        path: path.replace(/\?.*/s, ""),
        databaseId,
        outcome,
        statusCode,
        action: entry.request.committed ? change : undefined,
        webhookId,
        problem,
      } as const;
    }
    case "event": {
      const { id: eventId, type: eventType, databaseId, tableId, deliveries } = entry.event;
      const webhookIds = deliveries.map(({ webhookId }) => webhookId);
      return { type: "event", eventId, eventType, databaseId, tableId, webhookIds } as const;
    }
    case "delivery": {
      const { event, webhookId, url = "", statusCode, problem, outcome } = entry.delivery;
      return {
        type: "delivery",
        eventId: event.id,
        eventType: event.type,
        webhookId,
        host: URL.parse(url)?.host,
        attempt: entry.delivery.attempts,
        statusCode,
        problem,
        outcome,
        retryInSeconds: entry.delivery.retryInSeconds,
      } as const;
    }
  }
}

/** Formats a record as a line of text. */
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

/**
 * The text that `serve` prints when it has started: its address, its storage, and commands to copy.
 *
 * @param shownKey The API key in the commands. If it is empty, the Pulumi CLI asks for the key.
 */
export function startText(
  started: { baseUrl: string; apiKeys: number; dataFile?: string | undefined; webhooks: number },
  shownKey: string,
): string {
  const { baseUrl, dataFile } = started;
  const isLocal = isLoopbackHostname(URL.parse(baseUrl)?.hostname ?? "");
  const storage =
    dataFile === undefined
      ? "It forgets everything when it stops; --data FILE keeps the webhooks."
      : `Webhooks in ${dataFile}: ${started.webhooks}.`;
  const insecure = isLocal ? "" : "\n  pulumi config set dbwebhooks:allowInsecureBaseUrl true";
  const setApiKey = `pulumi config set --secret dbwebhooks:apiKey ${shownKey}`.trimEnd();
  return `The local service listens at ${baseUrl}${isLocal ? "" : ", for everybody who can reach it"}
API keys: ${started.apiKeys}. ${storage}

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${baseUrl}${insecure}
  ${setApiKey}

Stop it with ^C.
`;
}
