import { Agent, request } from "undici";
import type { Notification } from "./notification.js";

/** How one attempt ended: with an answer, or with the reason why there was none. */
export type AttemptResult = { readonly statusCode: number } | { readonly problem: string };

/** Sends notifications over connections that are kept open. */
export interface NotificationSender {
  send(notification: Notification): Promise<AttemptResult>;
  /** Breaks off everything that is under way. */
  destroy(): Promise<void>;
}

/** Any 2xx, as Standard Webhooks has it; a redirect is no acceptance, and is not followed. */
export function isAccepted(result: AttemptResult): boolean {
  return "statusCode" in result && result.statusCode >= 200 && result.statusCode < 300;
}

// What a receiver says is not used; it is read so that the connection can be used again.
const maxAnswerBytes = 64 * 1024;

/** Opens connections as they are needed, to each receiver its own. */
export function openNotificationSender(timeoutMs: number): NotificationSender {
  // One limit holds for the whole attempt, so undici's own limits for its parts are off.
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
    // No redirect is followed: undici follows none unless it is told to.
    const answer = await request(url, {
      dispatcher: agent,
      method: "POST",
      headers: { ...headers, ...basicAuthorization(url) },
      body,
      signal,
    });
    // The status decides, however the body ends.
    await answer.body.dump({ limit: maxAnswerBytes }).catch(() => {});
    return { statusCode: answer.statusCode };
  } catch (error) {
    return {
      problem: signal.aborted ? `no answer within ${timeoutMs / 1000} s` : problemOf(error),
    };
  }
}

/** undici passes over the user info of a URL. */
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
