import type PQueue from "p-queue";
import type { AccountSettings } from "./settings.js";

/** Opens the queue that holds the limits of an account. */
export async function openQueue(settings: AccountSettings): Promise<PQueue> {
  const { default: Queue } = await import("p-queue");
  const { maxConcurrentRequests: concurrency, requestsPerSecond } = settings;
  return requestsPerSecond === undefined
    ? new Queue({ concurrency })
    : new Queue({ concurrency, interval: 1000 / requestsPerSecond, intervalCap: 1, strict: true });
}

/** Waits, but no longer than until `ending` aborts. */
export function sleep(ms: number, ending?: AbortSignal): Promise<void> {
  if (ending?.aborted) {
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

/** Runs an attempt when it is its turn; not at all when `ending` aborts while it waits for that. */
export async function startInTurn<Result>(
  ending: AbortSignal,
  queue: PQueue,
  attempt: number,
  start: () => Promise<Result>,
): Promise<Result | undefined> {
  const waiting = new AbortController();
  const leaveQueue = () => waiting.abort();
  ending.addEventListener("abort", leaveQueue);
  const task = () => {
    ending.removeEventListener("abort", leaveQueue);
    // The abort of another task can start this one before it hears of the abort itself.
    return ending.aborted ? Promise.resolve(undefined) : start();
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
