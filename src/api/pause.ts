/** Over which time the requests that have waited for the end of a pause start. */
const spreadMs = 1_000;
// If less time has passed between two pauses, the service counts as having limited the rate without a break.
const quietMs = 2 * spreadMs;

interface WaitingRequest {
  readonly age: number;
  readonly start: () => void;
}

/**
 * Lets no request start while the service asks to wait. Afterwards the waiting requests start one after the other,
 * the oldest first: all at once they would exceed the rate limit again, and in another order some would starve.
 */
export class Pause {
  #sinceMs = 0;
  #untilMs = Number.NEGATIVE_INFINITY;
  #spreadEndMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #waiting: WaitingRequest[] = [];

  /**
   * Begins a pause, or makes it longer.
   *
   * @returns For how long, until the end of the delay, the service has limited the rate.
   */
  extend(delayMs: number): number {
    const now = performance.now();
    const untilMs = now + delayMs;
    if (now - this.#untilMs > quietMs) {
      this.#sinceMs = now;
    }
    if (untilMs > this.#untilMs) {
      this.#untilMs = untilMs;
      if (this.#waiting.length > 0) {
        this.#awaitEnd();
      }
    }
    return untilMs - this.#sinceMs;
  }

  /**
   * Waits until a request may start: at once without a pause, or when the signal aborts.
   *
   * @param age The number of the request: older requests have lower numbers.
   */
  async wait(age: number, signal: AbortSignal): Promise<void> {
    const isOpen = performance.now() >= this.#untilMs && this.#waiting.length === 0;
    if (isOpen || signal.aborted) {
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const start = () => resolve();
    const request = { age, start };
    this.#waiting = [...this.#waiting, request].sort((one, other) => one.age - other.age);
    if (this.#timer === undefined) {
      this.#awaitEnd();
    }
    signal.addEventListener("abort", start);
    await promise;
    signal.removeEventListener("abort", start);
    this.#waiting = this.#waiting.filter((one) => one !== request);
    if (this.#waiting.length === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
  }

  #awaitEnd(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#spreadEndMs = performance.now() + spreadMs;
      this.#startNext();
    }, this.#untilMs - performance.now());
  }

  #startNext(): void {
    // Requests that come while others start share what is left of the time.
    const intervalMs = (this.#spreadEndMs - performance.now()) / Math.max(this.#waiting.length, 1);
    const next = this.#waiting.shift();
    next?.start();
    this.#timer = next && setTimeout(() => this.#startNext(), Math.max(intervalMs, 0));
  }
}
