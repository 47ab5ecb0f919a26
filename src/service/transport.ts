import type PQueue from "p-queue";
import type { Exchange, HttpOutcome, HttpRequest } from "./http.js";
import type { Operation } from "./operation.js";
import {
  delayBeforeRetry,
  gaveUpText,
  isThrottled,
  outcomeText,
  retryLimit,
  secondsText,
} from "./retries.js";
import { type AccountSettings, nameOfSetting } from "./settings.js";

const silentWaitMs = 5_000;

/** How a request ended, after as many attempts as it took. */
export type HttpResult = HttpOutcome & {
  /** Why there was no further attempt, where one was due. */
  readonly gaveUp?: string;
};

/** Says that requests wait, and why; may have a time limit of its own. */
type Speaker = Pick<Operation, "notify" | "timeLimit">;

/** Sends the requests of one account: limits, pace and pauses hold for all of them together. */
export interface HttpTransport {
  /**
   * Sends a request, and sends it again after the outcomes that `retries` names. When `stopping`
   * aborts, nothing more is sent; the answer to what was sent is still waited for.
   */
  sendRequest(
    operation: Speaker,
    request: HttpRequest,
    retries: (outcome: HttpOutcome) => boolean,
    stopping?: AbortSignal,
  ): Promise<HttpResult>;
}

/** What follows an attempt: the end, or a wait and another attempt. */
type Step =
  | { readonly result: HttpResult }
  | { readonly delayMs: number; readonly result?: undefined };

type OpenExchange = typeof import("./http.js").openExchange;

/** Starts a transport. Undici and the queue are loaded by its first request. */
export function createTransport(
  settings: AccountSettings,
  open: OpenExchange = openExchange,
  random: () => number = Math.random,
): HttpTransport {
  let connection: Promise<[Exchange, PQueue]> | undefined;
  let pausedUntil = 0;
  let resumption: NodeJS.Timeout | undefined;
  let hasSaidThatAllWait = false;

  async function sendRequest(
    operation: Speaker,
    request: HttpRequest,
    retries: (outcome: HttpOutcome) => boolean,
    stopping?: AbortSignal,
  ): Promise<HttpResult> {
    connection ??= Promise.all([
      open(
        settings.timeoutSeconds,
        settings.maxConcurrentRequests,
        nameOfSetting(settings, "timeoutSeconds"),
      ),
      openQueue(settings),
    ]);
    const [exchange, queue] = await connection;
    const { timeLimit } = operation;
    // The time in the queue before the first attempt is no retrying.
    let startedAt = Number.POSITIVE_INFINITY;
    let hasSaidThatItWaits = false;

    async function tryOnce(attempt: number): Promise<Step> {
      startedAt = Math.min(startedAt, Date.now());
      const outcome = await exchange(request, timeLimit);
      const passes = outcome.kind === "response" ? undefined : outcome.passes;
      if (!retries(outcome) || passes === "never") {
        hasSaidThatAllWait = false;
        return { result: outcome };
      }
      const delayMs = delayBeforeRetry(outcome, attempt, random);
      const elapsedMs = Date.now() - startedAt;
      const isOver = timeLimit?.allows(delayMs) === false;
      const limit = retryLimit(settings, passes === "soon");
      if (isOver || elapsedMs + delayMs > limit.seconds * 1000) {
        const text = isOver ? timeLimit.name : limit.text;
        return { result: { ...outcome, gaveUp: gaveUpText(outcome, attempt, elapsedMs, text) } };
      }
      if (isThrottled(outcome)) {
        // Before this attempt leaves the queue: its place would go to the next request at once.
        pauseAll(queue, delayMs, operation);
        return { delayMs: 0 };
      }
      if (delayMs >= silentWaitMs && !hasSaidThatItWaits) {
        hasSaidThatItWaits = true;
        operation.notify(
          `${request.url.origin} ${outcomeText(outcome)}; trying ${request.method} again.`,
        );
      }
      return { delayMs };
    }

    // What undoes a creation does not wait for a pause that was meant for many requests.
    const resume = () => queue.start();
    stopping?.addEventListener("abort", resume);
    const ending = anyOf(stopping, timeLimit?.signal);
    try {
      for (let attempt = 1; ending?.aborted !== true; attempt++) {
        const step = await startUnlessStopped(queue, attempt, ending, () => tryOnce(attempt));
        if (step?.result !== undefined) {
          return step.result;
        }
        await sleep(step?.delayMs ?? 0, ending);
      }
      const why = stopping?.aborted ? "Pulumi is stopping" : ending.reason;
      return { kind: "unsent", reason: `was not sent, because ${why}` };
    } finally {
      stopping?.removeEventListener("abort", resume);
    }
  }

  function pauseAll(queue: PQueue, delayMs: number, operation: Speaker): void {
    const now = Date.now();
    if (now + delayMs <= pausedUntil) {
      return;
    }
    pausedUntil = now + delayMs;
    queue.pause();
    clearTimeout(resumption);
    resumption = setTimeout(() => {
      pausedUntil = 0;
      queue.start();
    }, delayMs);
    if (delayMs >= silentWaitMs && !hasSaidThatAllWait) {
      hasSaidThatAllWait = true;
      operation.notify(
        `The service asked to slow down; all requests wait ${secondsText(delayMs)}.`,
      );
    }
  }

  return { sendRequest };
}

const openExchange: OpenExchange = async (...limits) =>
  (await import("./http.js")).openExchange(...limits);

async function openQueue(settings: AccountSettings): Promise<PQueue> {
  const { default: Queue } = await import("p-queue");
  const { maxConcurrentRequests: concurrency, requestsPerSecond } = settings;
  return requestsPerSecond === undefined
    ? new Queue({ concurrency })
    : new Queue({ concurrency, interval: 1000 / requestsPerSecond, intervalCap: 1, strict: true });
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}

function sleep(ms: number, stopping?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    stopping?.addEventListener("abort", finish);
    function finish() {
      clearTimeout(timer);
      stopping?.removeEventListener("abort", finish);
      resolve();
    }
  });
}

/** Runs an attempt when it is its turn; not at all when `stopping` aborts while it waits for that. */
async function startUnlessStopped(
  queue: PQueue,
  attempt: number,
  stopping: AbortSignal | undefined,
  start: () => Promise<Step>,
): Promise<Step | undefined> {
  const waiting = new AbortController();
  const leaveQueue = () => waiting.abort();
  stopping?.addEventListener("abort", leaveQueue);
  const task = () => {
    stopping?.removeEventListener("abort", leaveQueue);
    return start();
  };
  try {
    // What was sent before goes first: its budget is running.
    return await queue.add(task, { priority: attempt > 1 ? 1 : 0, signal: waiting.signal });
  } catch (error) {
    if (waiting.signal.aborted) {
      return undefined;
    }
    throw error;
  }
}
