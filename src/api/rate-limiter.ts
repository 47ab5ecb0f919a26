import PQueue from "p-queue";

/** Queues requests, so that they keep to the limits of the settings and of the service. */
export class RateLimiter {
  /** How often the queue was paused. */
  pauseCount = 0;
  readonly #queue: PQueue;
  #pausedUntilMs = 0;
  #resumption: NodeJS.Timeout | undefined;

  constructor(
    maxConcurrentRequests = Number.POSITIVE_INFINITY,
    requestsPerSecond = Number.POSITIVE_INFINITY,
  ) {
    // 0 without a rate.
    const interval = 1000 / requestsPerSecond;
    const spacing = interval > 0 ? { interval, intervalCap: 1, strict: true } : {};
    this.#queue = new PQueue({ concurrency: maxConcurrentRequests, ...spacing });
  }

  /**
   * Runs a task when the limits allow it, the highest priority first.
   *
   * @returns `undefined` when the signal aborts before the task starts, which then never starts.
   */
  async run<Result>(
    task: () => Promise<Result>,
    priority: number,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    let running: Promise<Result> | undefined;
    const start = () => {
      running = task();
      return running;
    };
    try {
      return await this.#queue.add(start, { priority, signal });
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
      // p-queue does not wait for a task that runs when its signal aborts.
      return running;
    }
  }

  /** Starts no further task for a time, unless a longer pause is in force. */
  pause(delayMs: number): void {
    const untilMs = performance.now() + delayMs;
    if (untilMs <= this.#pausedUntilMs) {
      return;
    }
    this.pauseCount += this.#queue.isPaused ? 0 : 1;
    this.#pausedUntilMs = untilMs;
    this.#queue.pause();
    clearTimeout(this.#resumption);
    this.#resumption = setTimeout(() => this.#queue.start(), delayMs);
  }
}
