import { Agent, request } from "undici";
import type { Notification } from "./notification.js";

/** How one attempt ended: with an answer, or with the reason why there was none. */
export type AttemptResult = { readonly statusCode: number } | { readonly problem: string };

/** Sends notifications over connections that are kept open. */
export interface NotificationSender {
  send(notification: Notification): Promise<AttemptResult>;
  /** Aborts every attempt in flight. */
  destroy(): Promise<void>;
}

/** Any 2xx counts as accepted, and a redirect does not. Source: Standard Webhooks. */
export function isAccepted(result: AttemptResult): boolean {
  return "statusCode" in result && result.statusCode >= 200 && result.statusCode < 300;
}

// The body of the answer is not used. Reading it keeps the connection usable.
const maxAnswerBytes = 64 * 1024;

/** Opens connections when they are needed, separate ones for each receiver. */
export function openNotificationSender(timeoutMs: number): NotificationSender {
  // The timeout covers the whole attempt, so undici's own limits are off.
  const agent = new Agent({ connect: { timeout: timeoutMs }, headersTimeout: 0, bodyTimeout: 0 });
  return {
    send: (notification) => sendOnce(agent, notification, timeoutMs),
    destroy: () => agent.destroy(),
  };
}

async function sendOnce(
  agent: Agent,
  { url, headers, body }: Notification,
  timeoutMs: number,
): Promise<AttemptResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: "POST",
      headers: { ...headers, ...basicAuthorization(url) },
      body,
      signal,
    });
    // The status decides, even if the body breaks off.
    await answer.body.dump({ limit: maxAnswerBytes }).catch(() => {});
    return { statusCode: answer.statusCode };
  } catch (error) {
    return {
      problem: signal.aborted ? `no answer within ${timeoutMs / 1000} s` : problemOf(error),
    };
  }
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

/** Only the code: messages can hold the URL, which may be a credential. */
function problemOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return `no answer (${code ?? name})`;
}
