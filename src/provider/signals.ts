/**
 * Handles the signals that reach this process while a creation is in flight.
 *
 * At the end of every command the engine sends SIGINT and waits up to 5 seconds for the process to exit,
 * so an idle process handles no signal and exits at once.
 */
export class SignalHandlers {
  readonly #onInterrupt: () => void;
  #creationsInFlight = 0;

  /** @param onInterrupt Is called for SIGINT, after which the engine stores nothing more. */
  constructor(onInterrupt: () => void) {
    this.#onInterrupt = onInterrupt;
  }

  /** Begins a creation: from now on a signal does not end the process. */
  beginCreation(): void {
    this.#creationsInFlight += 1;
    if (this.#creationsInFlight === 1) {
      process.on("SIGINT", this.#onInterrupt);
      process.on("SIGTERM", this.#onTerminate);
    }
  }

  endCreation(): void {
    this.#creationsInFlight -= 1;
    if (this.#creationsInFlight === 0) {
      process.off("SIGINT", this.#onInterrupt);
      process.off("SIGTERM", this.#onTerminate);
    }
  }

  /** A service manager sends SIGTERM to all processes at once. The engine still stores what completes. */
  readonly #onTerminate = (): void => {};
}
