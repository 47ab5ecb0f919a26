import { createHmac } from "node:crypto";
import { Agent, request } from "undici";
import type { StoredWebhook } from "./webhooks.js";

// The timeout of a notification, connection included. Source: Standard Webhooks.
const timeoutSeconds = 15;
// A response's body is read and discarded, up to this size, so that the connection can be reused.
const maxResponseBytes = 64 * 1024;

/** The fields of a notification that do not depend on its webhook. */
interface Notification {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The outcome of the one request that delivers an event to a webhook. */
export interface Delivery {
  /** Identifier of the webhook. */
  readonly webhookId: number;
  /** Whether the receiver responded with 2xx. */
  readonly delivered: boolean;
  /** Status of the receiver's response; absent when there was none. */
  readonly statusCode?: number;
  /** Why there was no response. */
  readonly problem?: string;
}

/** Returns the connections for notifications. */
export function createAgent(): Agent {
  return new Agent({
    // Not shorter than the timeout of a notification.
    connect: { timeout: timeoutSeconds * 1000 },
    // The environment can switch on this experimental parser, which the build leaves out.
    useMilo: false,
  });
}

/**
 * Signs and sends a notification once. Never rejects: a failure is part of the outcome.
 *
 * @param deliverTo The origin that replaces the one of the webhook's `url`.
 */
export async function sendNotification(
  notification: Notification,
  webhook: StoredWebhook,
  dispatcher: Agent,
  deliverTo: string | undefined,
): Promise<Delivery> {
  const { id: webhookId, secret } = webhook;
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const url = deliverTo === undefined ? webhook.url : urlAtOrigin(webhook.url, deliverTo);
    const body = notificationBody(notification, webhook);
    const response = await request(url, {
      dispatcher,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "pulumi-dbwebhooks-local-service",
        ...signatureHeaders(notification.id, body, secret),
        ...basicAuthorization(url),
      },
      body,
      signal,
    });
    // The status decides, even if the connection breaks while the body arrives.
    await response.body.dump({ limit: maxResponseBytes }).catch(() => {});
    const { statusCode } = response;
    // Any 2xx is a success, but a redirect is none. Source: Standard Webhooks.
    return { webhookId, delivered: Math.floor(statusCode / 100) === 2, statusCode };
  } catch (error) {
    return { webhookId, delivered: false, problem: describeProblem(error, signal) };
  }
}

/** Returns the same path and query at another origin, with the user info of that one. */
function urlAtOrigin(url: string, origin: string): string {
  const { pathname, search } = new URL(url);
  // Resolving the path "//host" would lead to another host.
  return Object.assign(new URL(origin), { pathname, search }).href;
}

/**
 * Returns JSON with a space after each colon. `JSON.stringify` writes it without one, so a receiver
 * that verifies what it has parsed and written anew fails here, as it would at a service with
 * another JSON writer.
 */
function notificationBody(notification: Notification, webhook: StoredWebhook): string {
  const { id: webhookId, databaseId: baseId } = webhook;
  const source = "local-service";
  const metadata = { webhookId, organizationId: "org_local", baseId, attempt: 1, source };
  const indented = JSON.stringify({ ...notification, metadata }, undefined, 1);
  // Only the indentation has line feeds: those in texts are escaped.
  return indented.replaceAll(/\n */g, "");
}

/**
 * Signs with the time of the request, because receivers refuse timestamps older than five minutes.
 * Source: Standard Webhooks.
 */
function signatureHeaders(id: string, body: string, secret: string): Record<string, string> {
  const sentAt = Math.floor(Date.now() / 1000).toString();
  const hmac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
  const signature = hmac.update(`${id}.${sentAt}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": sentAt,
    "webhook-signature": `v1,${signature}`,
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

/**
 * Returns only the code of an error: its message can contain the URL, which may be a credential.
 */
function describeProblem(error: unknown, timeout: AbortSignal): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return timeout.aborted
    ? `no response within ${timeoutSeconds} s`
    : `no response (${code ?? name})`;
}
