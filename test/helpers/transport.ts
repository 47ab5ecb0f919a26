import { vi } from "vitest";
import type { HttpOutcome, HttpRequest } from "../../src/service/http.ts";
import type { Operation } from "../../src/service/operation.ts";
import type { AccountSettings } from "../../src/service/settings.ts";
import { createTransport, type HttpTransport } from "../../src/service/transport.ts";
import { someOperation, someSettings } from "./builders.ts";

/** A request that means nothing. */
export const someRequest: HttpRequest = {
  method: "POST",
  url: new URL("https://tables.example.com/somewhere"),
  apiKey: "key",
};

/** An answer with a status and, where one is given, a time to wait. */
export function response(
  statusCode: number,
  retryAfterMs?: number,
  body: unknown = {},
): HttpOutcome {
  return {
    kind: "response",
    statusCode,
    body: JSON.stringify(body),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

export const unsent: HttpOutcome = {
  kind: "unsent",
  reason: "could not be reached (ECONNREFUSED)",
};
export const unanswered: HttpOutcome = { kind: "unanswered", reason: "broke the connection" };
export const unreadable: HttpOutcome = { kind: "unreadable", reason: "answered 200 with much" };

export interface FakeTransport extends HttpTransport {
  /** When each attempt began, in milliseconds since the start, and what it sent. */
  readonly attempts: { readonly atMs: number; readonly request: HttpRequest }[];
  /** What the person who runs Pulumi reads of {@link FakeTransport.operation}. */
  readonly lines: string[];
  readonly operation: Operation;
}

/** A transport on a clock of its own whose attempts end as `answer` says. */
export async function fakeTransport(
  answer: (attempt: number, request: HttpRequest) => HttpOutcome | Promise<HttpOutcome>,
  settings: Partial<AccountSettings> = {},
  random = 0.5,
  stopping: AbortSignal = new AbortController().signal,
): Promise<FakeTransport> {
  await import("p-queue");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const startedAt = Date.now();
  const attempts: FakeTransport["attempts"] = [];
  const exchange = async (request: HttpRequest) => {
    attempts.push({ atMs: Date.now() - startedAt, request });
    return answer(attempts.length, request);
  };
  const open = () => Promise.resolve(exchange);
  const lines: string[] = [];
  const operation = someOperation("Test webhook", { lines });
  const transport = createTransport(someSettings(settings), stopping, open, () => random);
  return { ...transport, attempts, lines, operation };
}

/** Gives clock and error output back after {@link fakeTransport}. */
export function restoreWorld(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}

/** Lets the fake clock run until a promise settles. */
export async function settled<Result>(promise: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const noteEnd = () => {
    isSettled = true;
  };
  promise.then(noteEnd, noteEnd);
  await pendingWork();
  while (!isSettled) {
    if (vi.getTimerCount() === 0) {
      throw new Error("nothing is left that could settle the promise");
    }
    await vi.advanceTimersToNextTimerAsync();
    await pendingWork();
  }
  return promise;
}

/** Lets everything happen that waits for no timer. */
export function pendingWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** An answer that is given when the test says so. */
export function delayed(): {
  readonly promise: Promise<HttpOutcome>;
  answer(outcome: HttpOutcome): void;
} {
  const { promise, resolve } = Promise.withResolvers<HttpOutcome>();
  return { promise, answer: resolve };
}
