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
import { openQueue, sleep, startInTurn } from "./turns.js";

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
  /** Aborts when Pulumi stops. */
  readonly stopping: AbortSignal;
  /**
   * Sends a request, and sends it again after the outcomes that `retries` names. When Pulumi stops,
   * nothing more is sent; the answer to what was sent is still waited for.
   *
   * @param isUndo Whether it takes back what came before. It is sent when Pulumi stops, too, and from
   * then on it waits for no other request: not for its turn, the pace or a pause. Default: false.
   */
  sendRequest(
    operation: Speaker,
    request: HttpRequest,
    retries: (outcome: HttpOutcome) => boolean,
    isUndo?: boolean,
  ): Promise<HttpResult>;
}

/** What follows an attempt: the end, or a wait and another attempt. */
type Step =
  | { readonly result: HttpResult }
  | { readonly delayMs: number; readonly result?: undefined };

type OpenExchange = typeof import("./http.js").openExchange;

/**
 * Starts a transport. Undici and the queue are loaded by its first request.
 *
 * @param stopping Aborts when Pulumi stops.
 */
export function createTransport(
  settings: AccountSettings,
  stopping: AbortSignal,
  open: OpenExchange = openExchange,
  random: () => number = Math.random,
): HttpTransport {
  const openWith = (maxConnections: number | null) =>
    open(settings.timeoutSeconds, maxConnections, nameOfSetting(settings, "timeoutSeconds"));
  let connection: Promise<[Exchange, PQueue]> | undefined;
  let urgentExchange: Promise<Exchange> | undefined;
  let pausedUntil = 0;
  let resumption: NodeJS.Timeout | undefined;
  let hasSaidThatAllWait = false;
  let hasSaidThatTurnsWait = false;

  async function sendRequest(
    operation: Speaker,
    request: HttpRequest,
    retries: (outcome: HttpOutcome) => boolean,
    isUndo = false,
  ): Promise<HttpResult> {
    connection ??= Promise.all([openWith(settings.maxConcurrentRequests), openQueue(settings)]);
    const [exchange, queue] = await connection;
    const { timeLimit } = operation;
    // The time in the queue before the first attempt is no retrying.
    let startedAt = Number.POSITIVE_INFINITY;
    let hasSaidThatItWaits = false;
    let lastOutcome: HttpOutcome | undefined;

    async function tryOnce(attempt: number, send: Exchange): Promise<Step> {
      startedAt = Math.min(startedAt, Date.now());
      const outcome = await send(request, timeLimit, isUndo ? undefined : stopping);
      if (outcome === undefined) {
        return { delayMs: 0 };
      }
      lastOutcome = outcome;
      const passes = outcome.kind === "response" ? undefined : outcome.passes;
      if (!retries(outcome) || passes === "never") {
        hasSaidThatAllWait = false;
        return { result: outcome };
      }
      if (stopping.aborted && !isUndo) {
        // No attempt follows.
        return { delayMs: 0 };
      }
      const delayMs = delayBeforeRetry(outcome, attempt, random);
      const elapsedMs = Date.now() - startedAt;
      const isOver = timeLimit?.allows(delayMs) === false;
      const limit = retryLimit(settings, passes === "soon");
      if (isOver || elapsedMs + delayMs > limit.seconds * 1000) {
        const text = isOver ? timeLimit.name : limit.text;
        return { result: { ...outcome, gaveUp: gaveUpText(outcome, attempt, elapsedMs, text) } };
      }
      if (isThrottled(outcome) && !stopping.aborted) {
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

    const ending =
      timeLimit === undefined ? stopping : AbortSignal.any([stopping, timeLimit.signal]);
    let attempt = 1;
    while (isUndo || !ending.aborted) {
      const isUrgent = isUndo && stopping.aborted;
      const step = isUrgent
        ? await tryOnce(attempt, await openUrgent())
        : await takeTurn(ending, queue, operation, attempt, () => tryOnce(attempt, exchange));
      if (step?.result !== undefined) {
        return step.result;
      }
      if (step !== undefined) {
        attempt += 1;
        await sleep(step.delayMs, isUrgent ? undefined : ending);
      }
    }
    const why = stopping.aborted ? "Pulumi is stopping" : String(ending.reason);
    return lastOutcome === undefined
      ? { kind: "unsent", reason: `was not sent, because ${why}` }
      : { ...lastOutcome, gaveUp: why };
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

  /** Opens connections that no other request keeps busy. */
  function openUrgent(): Promise<Exchange> {
    urgentExchange ??= openWith(null);
    return urgentExchange;
  }

  async function takeTurn(
    ending: AbortSignal,
    queue: PQueue,
    operation: Speaker,
    attempt: number,
    start: () => Promise<Step>,
  ): Promise<Step | undefined> {
    const longWait = setTimeout(() => noteLongWait(queue, operation), silentWaitMs);
    try {
      return await startInTurn(ending, queue, attempt, () => {
        clearTimeout(longWait);
        return start();
      });
    } finally {
      clearTimeout(longWait);
    }
  }

  /** Says that requests wait for their turn, once; a pause has a line of its own. */
  function noteLongWait(queue: PQueue, operation: Speaker): void {
    if (!hasSaidThatTurnsWait && !queue.isPaused) {
      hasSaidThatTurnsWait = true;
      const isFull = queue.pending >= settings.maxConcurrentRequests;
      const name = isFull ? "maxConcurrentRequests" : "requestsPerSecond";
      operation.notify(
        `Requests wait for their turn: ${nameOfSetting(settings, name)} is ${settings[name]}.`,
      );
    }
  }

  return { stopping, sendRequest };
}

const openExchange: OpenExchange = async (...limits) =>
  (await import("./http.js")).openExchange(...limits);
