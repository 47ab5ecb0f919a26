import { vi } from "vitest";
import type * as http from "../../src/api/http.ts";
import {
  type Call,
  type ClientOptions,
  type ReportedDelay,
  Transport,
} from "../../src/api/transport.ts";
import { errorBody, someSettings } from "./builders.ts";

export const someRequest: http.HttpRequest = {
  method: "POST",
  url: new URL("https://tables.example.com/somewhere"),
  apiKey: "key",
};

export function response(
  statusCode: number,
  waitMs?: number,
  body: unknown = {},
): http.HttpOutcome {
  const waiting = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  return { kind: "response", statusCode, body: JSON.stringify(body), ...waiting };
}

/** A 503 that comes from the service itself, and not from a proxy. */
export const busy = (retryAfterMs: number) => response(503, retryAfterMs, errorBody("BUSY"));

const failure = (kind: http.HttpFailure["kind"], code: string, text: string): http.HttpFailure => ({
  kind,
  cause: "connection",
  codes: [code],
  text,
});

export const unsentBecause = (code: string) => failure("unsent", code, "connect failed");
export const unsent = unsentBecause("EAI_AGAIN");
export const refused = unsentBecause("ECONNREFUSED");
export const noResponse = failure("noResponse", "ECONNRESET", "read ECONNRESET");
/** A transport on a fake clock whose attempts end as `respond` says. */
export async function fakeTransport(
  respond: (attempt: number, name: string) => http.HttpOutcome | Promise<http.HttpOutcome>,
  options: Partial<ClientOptions> = {},
  stopping: AbortSignal = new AbortController().signal,
) {
  await import("../../src/api/rate-limiter.js");
  useFakeClock();
  const startedAt = Date.now();
  // The name of each attempt, its time since the start, and whether a stop would end it.
  const attempts: { name: string; atMs: number; endsAtStop: boolean }[] = [];
  const waits: ReportedDelay[] = [];
  const exchange: http.SendOnce = async ({ url }, signals) => {
    const name = url.pathname.slice(1);
    if (signals?.stopping?.aborted) {
      return { kind: "unsent", cause: "stopping" };
    }
    if (signals?.deadline?.aborted) {
      return { kind: "unsent", cause: "deadline" };
    }
    const endsAtStop = signals?.stopping !== undefined;
    attempts.push({ name, atMs: Date.now() - startedAt, endsAtStop });
    return respond(attempts.length, name);
  };
  const open = () => Promise.resolve(exchange);
  const transport = new Transport(someSettings(options), stopping, open, () => 0.5);
  /** Sends a request of this name, a deletion by default. */
  const send = (name = "x", call: Partial<Call> = {}) =>
    transport.sendRequest({
      kind: "delete",
      request: { ...someRequest, url: new URL(name, someRequest.url) },
      onDelay: (wait) => void waits.push(wait),
      ...call,
    });
  return { attempts, waits, send };
}

export type FakeTransport = Awaited<ReturnType<typeof fakeTransport>>;

function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const end = new AbortController();
    setTimeout(() => end.abort(), ms);
    return end.signal;
  });
}

/** Restores the clock after {@link fakeTransport}. */
export function restoreWorld(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}

/** Lets the fake clock run until a promise settles. */
export async function settled<Result>(promise: Promise<Result>): Promise<Result> {
  const end = promise.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([end, pendingWork()]))) {
    if (vi.getTimerCount() === 0) {
      throw new Error("nothing is left that could settle the promise");
    }
    await vi.advanceTimersToNextTimerAsync();
  }
  return promise;
}

/** Waits for all work that needs no timer. */
export function pendingWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
