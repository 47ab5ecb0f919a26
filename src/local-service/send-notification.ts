import { createHmac } from "node:crypto";
import { unescape as percentDecoded } from "node:querystring";
import { Agent, request } from "undici";
import type { StoredWebhook } from "./webhooks.js";

// The timeout of a notification, connection included (docs/api/README.md#notifications).
const timeoutSeconds = 30;
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
  const { id: webhookId, databaseId: baseId, secret } = webhook;
  const metadata = { webhookId, organizationId: 1, baseId, attempt: 1, source: "public_api" };
  const body = jsonOf({ ...notification, metadata });
  if (body === undefined) {
    const problem = "the data cannot be sent: JSON has no form for it, or it is nested too deep";
    return { webhookId, delivered: false, problem };
  }
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const url = deliverTo === undefined ? webhook.url : urlAtOrigin(webhook.url, deliverTo);
    const response = await request(url, {
      dispatcher,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "pulumi-dbwebhooks-local-service",
        "x-webhook-event": notification.type,
        "x-webhook-id": notification.id,
        "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex"),
        ...basicAuthorization(url),
      },
      body,
      signal,
    });
    // The status decides, even if the connection breaks while the body arrives.
    await response.body.dump({ limit: maxResponseBytes }).catch(() => {});
    const { statusCode } = response;
    // Any 2xx is a success; a redirect is not followed.
    return { webhookId, delivered: Math.floor(statusCode / 100) === 2, statusCode };
  } catch (error) {
    return { webhookId, delivered: false, problem: describeProblem(error, signal) };
  }
}

/** Returns `undefined` for a value that has no JSON, such as one that holds a BigInt. */
function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Returns the same path and query at another origin, with the user info of that one. */
function urlAtOrigin(url: string, origin: string): string {
  const { pathname, search } = new URL(url);
  // Resolving the path "//host" would lead to another host.
  return Object.assign(new URL(origin), { pathname, search }).href;
}

/** Returns the header for the user info of a URL, which undici ignores. */
function basicAuthorization(url: string): { authorization?: string } {
  const { username, password } = new URL(url);
  if (username + password === "") {
    return {};
  }
  // A "%" that encodes nothing stays as it is, where decodeURIComponent would throw.
  const credentials = `${percentDecoded(username)}:${percentDecoded(password)}`;
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
