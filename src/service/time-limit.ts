/** The time that one operation may take, where the program sets one (the option `customTimeouts`). */
export class TimeLimit {
  readonly seconds: number;
  readonly #endsAtMs: number;
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(seconds: number) {
    this.seconds = seconds;
    this.#endsAtMs = Date.now() + seconds * 1000;
    // Node.js ends a longer timer at once.
    this.#timer = setTimeout(() => this.#end.abort(), Math.min(seconds * 1000, 2 ** 31 - 1));
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Milliseconds that are left, at least 1. */
  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#endsAtMs - Date.now()));
  }

  /** Ends with the operation: the timer would keep the process alive. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
