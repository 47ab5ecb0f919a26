/** The time that one operation may take, where the program sets one (the option `customTimeouts`). */
export class TimeLimit {
  /** What messages call it. */
  readonly name: string;
  readonly #endsAtMs: number;
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(seconds: number) {
    this.name = `customTimeouts, ${seconds} s`;
    this.#endsAtMs = Date.now() + seconds * 1000;
    // A longer timer would end at once.
    const delayMs = Math.min(seconds * 1000, 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#end.abort(`the time is over (${this.name})`), delayMs);
  }

  /** Aborts when the time is over, with the reason for messages. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Milliseconds that are left, at least 1. */
  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#endsAtMs - Date.now()));
  }

  /** Whether a wait still ends in time. */
  allows(delayMs: number): boolean {
    return Date.now() + delayMs < this.#endsAtMs;
  }

  /** Ends with the operation: the timer would keep the process alive. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
