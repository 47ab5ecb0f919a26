// The pause of all requests after the service has limited their rate.

// Over which time the requests that have waited for the end of a pause start.
const spreadMs = 1_000;

/** A pause that all requests of one account share. */
export class SharedPause {
  readonly #stopping: AbortSignal;
  readonly #random: () => number;
  #beganAtMs = Number.POSITIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;

  /** @param stopping When it aborts, the pause ends. */
  constructor(stopping: AbortSignal, random: () => number) {
    this.#stopping = stopping;
    this.#random = random;
  }

  extend(delayMs: number): void {
    const now = performance.now();
    this.#beganAtMs = Math.min(this.#beganAtMs, now);
    this.#untilMs = Math.max(this.#untilMs, now + delayMs);
  }

  /** The time from the beginning of the first pause of the account to the end of the last one. */
  get spanMs(): number {
    return this.#untilMs - this.#beganAtMs;
  }

  /**
   * Waits for the end of the pause, if there is one. The waiting requests then start at random
   * moments: all at once they would exceed the rate limit again.
   */
  async waitForEnd(): Promise<void> {
    while (performance.now() < this.#untilMs && !this.#stopping.aborted) {
      const remainingMs = this.#untilMs - performance.now();
      await sleep(remainingMs + this.#random() * spreadMs, this.#stopping);
    }
  }
}

/**
 * Waits for a time, at most until the signal aborts. The timer keeps Node.js running, as that of
 * `AbortSignal.timeout` does not: outside of Pulumi, nothing else may do so between two attempts.
 */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, Math.ceil(ms));
  signal?.addEventListener("abort", resolve);
  if (!signal?.aborted) {
    await promise;
  }
  clearTimeout(timer);
  signal?.removeEventListener("abort", resolve);
}
