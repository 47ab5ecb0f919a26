import { onTestFinished, vi } from "vitest";
import type * as http from "../../src/api/send-once.ts";
import type { CallResult, ClientOptions, ReportedDelay, Sender } from "../../src/api/transport.ts";
import { Transport } from "../../src/api/transport.ts";
import { errorBody, someSettings } from "./builders.ts";

export const someRequest: http.HttpRequest = {
  method: "POST",
  url: new URL("https://tables.example.com/somewhere"),
  apiKey: "key",
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
export function stubTransport(sendWithRetries: Sender["sendWithRetries"]) {
  const sender = { sendWithRetries };
  return { ...sender, undoSender: sender };
}

/** How a request ends after one attempt. */
export const endedWith = (outcome: http.HttpOutcome): CallResult => ({
  outcome,
  attempts: 1,
  elapsedMs: 0,
});

/** A transport on a fake clock. `respond` decides how each attempt ends. */
export function fakeTransport(
  respond: (attempt: number, name: string) => http.HttpOutcome | Promise<http.HttpOutcome>,
  options: Partial<ClientOptions> = {},
  stopping: AbortSignal = new AbortController().signal,
  random = () => 0.5,
) {
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  useFakeClock();
  const startedAt = Date.now();
  // `endsAtStopIfUnsent`: whether a stop of Pulumi ends the attempt while its request is not sent
  // yet.
  const attempts: { name: string; atMs: number; endsAtStopIfUnsent: boolean }[] = [];
  const waits: ReportedDelay[] = [];
  const sendOnce: http.SendOnce = async ({ url }, stoppingSignal) => {
    const name = url.pathname.slice(1);
    if (stoppingSignal?.aborted) {
      return unsent("stopping");
    }
    const endsAtStopIfUnsent = stoppingSignal !== undefined;
    attempts.push({ name, atMs: Date.now() - startedAt, endsAtStopIfUnsent });
    return respond(attempts.length, name);
  };
  const openConnections = vi.fn(async (_timeoutSeconds: number) => sendOnce);
  const transport = new Transport(someSettings(options), stopping, openConnections, random);
  /** Sends a request of this name. */
  const send = (
    name = "x",
    sender: Sender = transport,
    method: http.HttpRequest["method"] = "DELETE",
  ) =>
    sender.sendWithRetries({
      request: { ...someRequest, method, url: new URL(name, someRequest.url) },
      onDelay: (wait) => void waits.push(wait),
    });
  return {
    attempts,
    waits,
    openConnections,
    send,
    create: (name: string) => send(name, transport, "POST"),
    sendUndo: () => send("undo", transport.undoSender),
    /** Sends requests at once and waits for all of them. */
    sendAtOnce: (...names: readonly string[]) =>
      settled(Promise.all(names.map((name) => send(name)))),
    /** Returns when the attempts of one request, or of all, were sent. */
    timesOf: (name?: string) =>
      attempts.filter((attempt) => (name ?? attempt.name) === attempt.name).map(({ atMs }) => atMs),
  };
}

/** Stops the clock, also that of `AbortSignal.timeout`, which no fake timers replace. */
export function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const end = new AbortController();
    setTimeout(() => end.abort(), ms);
    return end.signal;
  });
}

/** Lets the fake clock run until a promise settles. */
export async function settled<Result>(promise: Promise<Result>): Promise<Result> {
  const end = Promise.allSettled([promise]);
  while (!(await Promise.race([end, pendingWork()]))) {
    if (vi.getTimerCount() === 0) {
      throw new Error("nothing is left that could settle the promise");
    }
    await vi.advanceTimersToNextTimerAsync();
  }
  return promise;
}

/** Waits until everything that needs no timer has happened. */
export const pendingWork = () => new Promise<void>((resolve) => setImmediate(resolve));
