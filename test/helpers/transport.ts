import { expect, vi } from "vitest";
import type * as http from "../../src/api/http-exchange.ts";
import type { CallResult, Send } from "../../src/api/transport.ts";
import { errorBody } from "./builders.ts";

export const someRequest: http.RequestLine = {
  method: "POST",
  url: new URL("https://tables.example.com/somewhere"),
};

export function response(
  statusCode: number,
  retryAfterMs?: number,
  body: unknown = {},
): http.HttpOutcome {
  const delay = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { kind: "response", statusCode, body: JSON.stringify(body), ...delay };
}

export const throttled = (retryAfterMs?: number) => response(429, retryAfterMs);

/** A 503 that comes from the service itself, and not from a proxy. */
export const throttledBy503 = (retryAfterMs: number) =>
  response(503, retryAfterMs, errorBody("BUSY"));

export const unsent = (cause: "timeout" | "stopping" | "proxyUrl") =>
  ({ kind: "unsent", cause }) as const;

/** A request that was not sent, because the connection failed with this error code. */
export function notConnected(code: string): http.HttpFailure {
  return { kind: "unsent", cause: "connection", codes: [code], text: "connect failed" };
}

/** A request that was not sent, because a proxy refused to connect. */
export function refusedByProxy(statusCode: number): http.HttpFailure {
  const problem = { codes: ["UND_ERR_ABORTED"], text: "Proxy response failed" };
  return { kind: "unsent", cause: "proxy", statusCode, ...problem };
}

export const dnsFailure = notConnected("EAI_AGAIN");
export const connectionRefused = notConnected("ECONNREFUSED");
export const connectionLost: http.HttpFailure = {
  kind: "noResponse",
  cause: "connection",
  codes: ["ECONNRESET"],
  text: "read ECONNRESET",
};

/** A transport that has no connections: this function says how each request ends. */
export const stubTransport = (send: Send) => ({ send, sendUndo: send });

/** How a request ends after one attempt. */
export const endedWith = (outcome: http.HttpOutcome): CallResult => ({
  outcome,
  attempts: 1,
  elapsedMs: 0,
});

/** Matches a time in ms that is random within bounds. */
export const between = (least: number, most: number) =>
  expect.toSatisfy((ms: number) => ms >= least && ms <= most, `from ${least} to ${most}`);

/** Stops the clock, also that of `AbortSignal.timeout`, which no fake timers replace. */
export function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const end = new AbortController();
    setTimeout(() => end.abort(), ms);
    return end.signal;
  });
}

/** Waits until everything that needs no timer has happened. */
export const pendingWork = () => new Promise<void>((resolve) => setImmediate(resolve));
