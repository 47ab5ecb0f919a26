import { vi } from "vitest";
import type * as http from "../../src/api/exchange.ts";
import type { AccountSettings } from "../../src/api/settings.ts";
import { type Call, createTransport, type Wait } from "../../src/api/transport.ts";
import { errorBody, someSettings } from "./builders.ts";

/** A request that means nothing. */
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

/** A service that says itself that it refuses the request for now. */
export const busy = (retryAfterMs: number) => response(503, retryAfterMs, errorBody("BUSY"));

const failure = (kind: http.HttpFailure["kind"], code: string, text: string): http.HttpFailure => ({
  kind,
  cause: { kind: "connection", codes: [code], text },
});

export const unsentBecause = (code: string) => failure("unsent", code, "connect failed");
export const unsent = unsentBecause("EAI_AGAIN");
export const refused = unsentBecause("ECONNREFUSED");
export const unanswered = failure("unanswered", "ECONNRESET", "read ECONNRESET");
export const unreadable: http.HttpFailure = {
  kind: "unreadable",
  cause: { kind: "tooLong", statusCode: 200 },
};

/** A transport on a clock of its own whose attempts end as `answer` says. */
export async function fakeTransport(
  answer: (attempt: number, name: string) => http.HttpOutcome | Promise<http.HttpOutcome>,
  settings: Partial<AccountSettings> = {},
  stopping: AbortSignal = new AbortController().signal,
) {
  await import("p-queue");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const startedAt = Date.now();
  // Of each its name, when it began since the start, and whether a stop would end it.
  const attempts: { name: string; atMs: number; mayBeStopped: boolean }[] = [];
  const waits: Wait[] = [];
  const exchange: http.Exchange = async ({ url }, _limit, stop) => {
    const name = url.pathname.slice(1);
    attempts.push({ name, atMs: Date.now() - startedAt, mayBeStopped: stop !== undefined });
    return answer(attempts.length, name);
  };
  const open = () => Promise.resolve(exchange);
  const transport = createTransport(someSettings(settings), stopping, open, () => 0.5);
  /** Sends a request of this name; a deletion, unless told otherwise. */
  const send = (name = "x", call: Partial<Call> = {}) =>
    transport.sendRequest({
      kind: "delete",
      request: { ...someRequest, url: new URL(name, someRequest.url) },
      onWait: (wait) => void waits.push(wait),
      ...call,
    });
  return { ...transport, attempts, waits, send };
}

export type FakeTransport = Awaited<ReturnType<typeof fakeTransport>>;

/** Gives the clock back after {@link fakeTransport}. */
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

/** Lets everything happen that waits for no timer. */
export function pendingWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
