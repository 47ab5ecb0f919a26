import type PQueue from "p-queue";
import type { Exchange, HttpOutcome, HttpRequest, TimeLimit } from "./exchange.js";
import { lazy } from "./lazy.js";
import { type GaveUp, nextStep, type RequestKind, type Step } from "./retry-policy.js";
import type { AccountSettings } from "./settings.js";

const silentWaitMs = 5_000;

/** A request, and what it belongs to. */
export interface Call {
  readonly kind: RequestKind;
  readonly request: HttpRequest;
  /** The time that its operation may take; absent without a limit of its own. */
  readonly timeLimit?: TimeLimit | undefined;
  /**
   * Whether it takes back what came before. It is sent when Pulumi stops, too, and from then on it waits
   * for no other request: not for its turn, the pace or a pause.
   */
  readonly isUndo?: boolean;
  /** Hears of a wait that is long enough to be explained. */
  readonly onWait: (wait: Wait) => void;
}

/** Why requests wait. Each kind is told once, until something has got through. */
export type Wait =
  | { readonly kind: "again"; readonly request: HttpRequest; readonly outcome: HttpOutcome }
  | { readonly kind: "pause"; readonly delayMs: number }
  | { readonly kind: "turn"; readonly setting: "maxConcurrentRequests" | "requestsPerSecond" };

/** How a request ended, after as many attempts as it took. */
export interface CallResult {
  readonly outcome: HttpOutcome;
  /** The outcomes of the attempts before the last one. */
  readonly earlier: readonly HttpOutcome[];
  readonly elapsedMs: number;
  /** Why there was no further attempt, where one was due. */
  readonly gaveUp?: GaveUp | undefined;
}

/** Sends the requests of one account: limits, pace and pauses hold for all of them together. */
export interface HttpTransport {
  sendRequest(call: Call): Promise<CallResult>;
}

type OpenExchange = typeof import("./http.js").openExchange;

/**
 * Starts a transport. Undici and the queue are loaded by its first request. When `stopping` aborts,
 * nothing more is sent, and what was sent completes.
 */
export function createTransport(
  settings: AccountSettings,
  stopping: AbortSignal,
  open: OpenExchange = async (...limits) => (await import("./http.js")).openExchange(...limits),
  random: () => number = Math.random,
): HttpTransport {
  const { timeoutSeconds, maxConcurrentRequests, retrySeconds } = settings;
  const connect = lazy(() =>
    Promise.all([open(timeoutSeconds, maxConcurrentRequests), openQueue(settings)]),
  );
  // Connections that no other request keeps busy.
  const openUrgent = lazy(() => open(timeoutSeconds, null));
  let pausedUntil = 0;
  let resumption: NodeJS.Timeout | undefined;
  const told = new Set<Wait["kind"]>();

  async function sendRequest(call: Call): Promise<CallResult> {
    const [exchange, queue] = await connect();
    const { request, kind, timeLimit, isUndo = false } = call;
    const outcomes: HttpOutcome[] = [];
    // The time in the queue before the first attempt is no retrying.
    let startedAt = Number.POSITIVE_INFINITY;
    const result = (outcome: HttpOutcome, gaveUp?: GaveUp): CallResult => {
      const elapsedMs = Math.max(0, Date.now() - startedAt);
      return { outcome, earlier: outcomes.slice(0, -1), elapsedMs, gaveUp };
    };

    /** One attempt. Gives nothing where it was not made because of a stop. */
    async function tryOnce(send: Exchange): Promise<Step | undefined> {
      startedAt = Math.min(startedAt, Date.now());
      const outcome = await send(request, timeLimit, isUndo ? undefined : stopping);
      if (outcome === undefined) {
        return undefined;
      }
      outcomes.push(outcome);
      const elapsedMs = Date.now() - startedAt;
      const isStopping = stopping.aborted && !isUndo;
      const step = nextStep(
        { kind, outcome, number: outcomes.length, elapsedMs },
        { retrySeconds, remainingMs: timeLimit?.remainingMs, isStopping },
        random,
      );
      if (step.kind === "end") {
        told.delete("pause");
        told.delete("again");
      } else if (step.isForAll && !stopping.aborted) {
        // Before this attempt leaves the queue: its place would go to the next request at once.
        pauseAll(queue, step.delayMs, call);
        return { ...step, delayMs: 0 };
      } else if (step.delayMs >= silentWaitMs) {
        tellOnce(call, { kind: "again", request, outcome });
      }
      return step;
    }

    const ending =
      timeLimit === undefined ? stopping : AbortSignal.any([stopping, timeLimit.signal]);
    while (isUndo || !ending.aborted) {
      const isUrgent = isUndo && stopping.aborted;
      const step = isUrgent
        ? await tryOnce(await openUrgent())
        : await takeTurn(queue, call, ending, outcomes.length > 0, () => tryOnce(exchange));
      if (step?.kind === "end") {
        return result(outcomes.at(-1) as HttpOutcome, step.gaveUp);
      }
      if (step !== undefined) {
        await sleep(step.delayMs, isUrgent ? undefined : ending);
      }
    }
    const because = stopping.aborted ? "stopping" : "operation";
    const last = outcomes.at(-1);
    return last === undefined
      ? result({ kind: "unsent", cause: { kind: "noAttempt", because } })
      : result(last, { limit: because });
  }

  function pauseAll(queue: PQueue, delayMs: number, call: Call): void {
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
    if (delayMs >= silentWaitMs) {
      tellOnce(call, { kind: "pause", delayMs });
    }
  }

  /** Makes an attempt when it is its turn; none when `ending` aborts while it waits for that. */
  async function takeTurn(
    queue: PQueue,
    call: Call,
    ending: AbortSignal,
    isRetry: boolean,
    start: () => Promise<Step | undefined>,
  ): Promise<Step | undefined> {
    const longWait = setTimeout(() => tellOfTurns(queue, call), silentWaitMs);
    let attempt: Promise<Step | undefined> | undefined;
    const task = () => {
      clearTimeout(longWait);
      // The abort of another task can start this one before its own signal has aborted.
      attempt = ending.aborted ? Promise.resolve(undefined) : start();
      return attempt;
    };
    try {
      // Retries go first: their time is running.
      return await queue.add(task, { priority: isRetry ? 1 : 0, signal: ending });
    } catch (error) {
      if (!ending.aborted) {
        throw error;
      }
      // The queue is left at once; an attempt in flight completes.
      return attempt;
    } finally {
      clearTimeout(longWait);
    }
  }

  /** A pause has a line of its own. */
  function tellOfTurns(queue: PQueue, call: Call): void {
    if (!queue.isPaused) {
      const isFull = queue.pending >= (maxConcurrentRequests ?? Number.POSITIVE_INFINITY);
      const setting = isFull ? "maxConcurrentRequests" : "requestsPerSecond";
      tellOnce(call, { kind: "turn", setting });
    }
  }

  function tellOnce(call: Call, wait: Wait): void {
    if (!told.has(wait.kind)) {
      told.add(wait.kind);
      call.onWait(wait);
    }
  }

  return { sendRequest };
}

async function openQueue(settings: AccountSettings): Promise<PQueue> {
  const { default: Queue } = await import("p-queue");
  const concurrency = settings.maxConcurrentRequests ?? Number.POSITIVE_INFINITY;
  const interval = 1000 / (settings.requestsPerSecond ?? Number.POSITIVE_INFINITY);
  return new Queue({
    concurrency,
    ...(interval > 0 && { interval, intervalCap: 1, strict: true }),
  });
}

/** Waits, but no longer than until `ending` aborts. */
function sleep(ms: number, ending?: AbortSignal): Promise<void> {
  if (ending?.aborted || ms <= 0) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    ending?.addEventListener("abort", finish);
    function finish() {
      clearTimeout(timer);
      ending?.removeEventListener("abort", finish);
      resolve();
    }
  });
}
