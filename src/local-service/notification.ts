import { Webhook } from "standardwebhooks";
import { type Dispatcher, request } from "undici";
import type { StoredEvent } from "./events.js";
import type { StoredWebhook } from "./webhook-store.js";

/** The result of one attempt: the status of the response, or the reason why there was none. */
export type AttemptResult = { readonly statusCode: number } | { readonly problem: string };

interface NotificationOptions {
  readonly dispatcher: Dispatcher;
  /** Address that receives the notification. */
  readonly url: string;
  readonly attempt: number;
  readonly timeoutMs: number;
}

/** Any 2xx counts as accepted, a redirect does not. Source: Standard Webhooks. */
export function isAccepted(result: AttemptResult): boolean {
  return "statusCode" in result && result.statusCode >= 200 && result.statusCode < 300;
}

// The body of the response is not used. Reading it keeps the connection usable.
const maxResponseBytes = 64 * 1024;

/** Signs the notification of an event and sends it once. Never rejects. */
export async function sendNotification(
  event: StoredEvent,
  webhook: StoredWebhook,
  { dispatcher, url, attempt, timeoutMs }: NotificationOptions,
): Promise<AttemptResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const body = notificationBody(event, webhook.id, attempt);
    const response = await request(url, {
      dispatcher,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "pulumi-dbwebhooks-local-service",
        ...signatureHeaders(event.id, body, webhook.secret),
        ...basicAuthorization(url),
      },
      body,
      signal,
    });
    // The status decides, even if the connection breaks within the body.
    await response.body.dump({ limit: maxResponseBytes }).catch(() => {});
    return { statusCode: response.statusCode };
  } catch (error) {
    const problem = signal.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error);
    return { problem };
  }
}

function notificationBody(event: StoredEvent, webhookId: number, attempt: number): string {
  const { id, type, timestamp, data, databaseId: baseId } = event;
  const source = "local-service";
  const metadata = { webhookId, organizationId: "org_local", baseId, attempt, source };
  return JSON.stringify({ id, type, timestamp, data, metadata });
}

/** The timestamp is that of the attempt, because receivers refuse one that is over five minutes old. */
function signatureHeaders(id: string, body: string, secret: string): Record<string, string> {
  const sentAt = new Date();
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, sentAt, body),
  };
}

/** undici ignores the user info of a URL. */
function basicAuthorization(url: string): { authorization?: string } {
  const { username, password } = new URL(url);
  if (username === "" && password === "") {
    return {};
  }
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Only the code: a message can contain the URL, which may be a credential. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return `no response (${code ?? name})`;
}
