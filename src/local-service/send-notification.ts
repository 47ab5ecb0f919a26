import { Webhook } from "standardwebhooks";
import { type Dispatcher, request } from "undici";
import type { Delivery } from "./deliveries.js";
import type { DeliveredEvent } from "./events.js";

// A response's body is read and discarded, up to this size, so that the connection can be reused.
const maxResponseBytes = 64 * 1024;

/** Signs and sends a notification once. Returns the status or the reason for no response, and never rejects. */
export async function sendNotification(
  { event, webhookId, url = "", attempts }: Delivery,
  secret: string,
  dispatcher: Dispatcher,
  timeoutSeconds: number,
): Promise<Pick<Delivery, "statusCode" | "problem">> {
  const signal = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000));
  try {
    const body = notificationBody(event, webhookId, attempts);
    const response = await request(url, {
      dispatcher,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "pulumi-dbwebhooks-local-service",
        ...signatureHeaders(event.id, body, secret),
        ...basicAuthorization(url),
      },
      body,
      signal,
    });
    // The status decides, even if the connection breaks while the body arrives.
    await response.body.dump({ limit: maxResponseBytes }).catch(() => {});
    return { statusCode: response.statusCode };
  } catch (error) {
    const problem = signal.aborted ? `no response within ${timeoutSeconds} s` : reasonOf(error);
    return { problem };
  }
}

/** Returns the `url` of a webhook, or the same path and query at the origin of `deliverTo`. */
export function deliveryUrl(url: string, deliverTo: string | undefined): string {
  const parsed = URL.parse(url);
  // Joined as text: resolving the path "//host" would lead to another host.
  return deliverTo === undefined || parsed === null
    ? url
    : new URL(deliverTo).origin + parsed.pathname + parsed.search;
}

function notificationBody(event: DeliveredEvent, webhookId: number, attempt: number): string {
  const { id, type, timestamp, data, databaseId: baseId } = event;
  const source = "local-service";
  const metadata = { webhookId, organizationId: "org_local", baseId, attempt, source };
  return JSON.stringify({ id, type, timestamp, data, metadata });
}

/** Signs with the time of the attempt, because receivers refuse timestamps older than five minutes. */
function signatureHeaders(id: string, body: string, secret: string): Record<string, string> {
  const sentAt = new Date();
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, sentAt, body),
  };
}

/** Returns the header for the user info of a URL, which undici ignores. */
function basicAuthorization(url: string): { authorization?: string } {
  const { username, password } = new URL(url);
  if (username + password === "") {
    return {};
  }
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Returns only the code: an error message can contain the URL, which may be a credential. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return `no response (${code ?? name})`;
}
