// The engine can end its own process, or ask this one to stop, while the service creates a webhook
// whose secret only the response holds.

import { type EngineState, isEngineAddress, probeEngine } from "./engine-probe.js";

const watchIntervalMs = 5_000;
// The signals that a login session or a service manager sends to all its processes when it ends.
const endOfSession = ["SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/**
 * Watches Pulumi's engine for this process: whether the engine still stores what this process
 * returns, and whether it has asked this process to stop. A cancelled engine still stores what
 * completes.
 */
export class EngineMonitor {
  readonly #engineAddress: string | undefined;
  readonly #onInterruptedCreation: () => void;
  readonly #flush: () => Promise<void>;
  readonly #stop = new AbortController();
  #state: EngineState = "alive";
  #inFlight = 0;
  #creationsInFlight = 0;

  /**
   * @param engineAddress `HOST:PORT` of the engine. Without one, the engine is assumed to be alive.
   * @param onInterruptedCreation Is called when the engine stops while a creation is in flight.
   * @param flush Waits until the user sees every line. The process does not exit before.
   */
  constructor(
    engineAddress: string | undefined,
    onInterruptedCreation: () => void,
    flush = async () => {},
  ) {
    this.#engineAddress = isEngineAddress(engineAddress) ? engineAddress : undefined;
    this.#onInterruptedCreation = onInterruptedCreation;
    this.#flush = flush;
  }

  /** Aborts when nothing but undos may be sent any more. Requests in flight complete. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stops sending for a cancelled command. The engine still stores what completes. */
  stopSending(): void {
    this.#stop.abort();
  }

  /**
   * Performs an operation, before whose end the process does not exit by itself. Exits if it was
   * the last one and the engine has finished. At the end of every command the engine sends SIGINT
   * and waits up to 5 seconds for the process to exit, so an idle process handles no signal and
   * exits at once.
   */
  async performAndMaybeExit<Result>(operation: () => Promise<Result>): Promise<Result> {
    this.#inFlight += 1;
    try {
      return await operation();
    } finally {
      this.#inFlight -= 1;
      this.#exitIfIdle();
    }
  }

  /** Tracks a creation, before whose end no signal ends the process. */
  async trackCreation<Result>(creation: () => Promise<Result>): Promise<Result> {
    this.#creationsInFlight += 1;
    if (this.#creationsInFlight === 1) {
      this.#handleSignals("on");
    }
    try {
      return await creation();
    } finally {
      this.#creationsInFlight -= 1;
      if (this.#creationsInFlight === 0) {
        this.#handleSignals("off");
      }
    }
  }

  /**
   * Checks from time to time whether the engine is alive: after `kill -9` of the CLI nothing else
   * ends this process.
   */
  watch(): void {
    setInterval(() => void this.exitIfFinished(), watchIntervalMs).unref();
  }

  /** Exits if the engine has finished: at once, or after the last operation in flight. */
  async exitIfFinished(): Promise<void> {
    // An unresponsive engine may still have work for this process.
    if ((await this.#probe()) === "finished") {
      this.#giveUpEngine("finished");
      this.#exitIfIdle();
    }
  }

  /**
   * Asks the engine whether it can store what this process returns. If it cannot, it counts as lost
   * from now on, so no further request is sent, except for undos.
   */
  async confirmCanStoreOrStop(): Promise<boolean> {
    if (this.#state === "alive") {
      const state = await this.#probe();
      if (state !== "alive") {
        this.#giveUpEngine(state);
      }
    }
    return this.#state === "alive";
  }

  /** Notes that the engine stores nothing more, and stops sending. */
  #giveUpEngine(state: "unresponsive" | "finished"): void {
    // A signal can have come while the engine was asked.
    if (this.#state !== "finished") {
      this.#state = state;
    }
    this.#stop.abort();
  }

  #exitIfIdle(): void {
    if (this.#state === "finished" && this.#inFlight === 0) {
      void this.#flush().finally(() => process.exit());
    }
  }

  #handleSignals(change: "on" | "off"): void {
    process[change]("SIGINT", this.#onInterrupt);
    for (const signal of endOfSession) {
      process[change](signal, this.#onEndOfSession);
    }
  }

  /** The engine sends SIGINT when it will store nothing more, and SIGKILL 5 seconds later. */
  readonly #onInterrupt = (): void => {
    if (this.#state === "alive") {
      this.#onInterruptedCreation();
    }
    this.#giveUpEngine("finished");
  };

  /** The engine may get the same signal, and still stores what completes. */
  readonly #onEndOfSession = (): void => {};

  async #probe(): Promise<EngineState> {
    return this.#engineAddress === undefined ? "alive" : probeEngine(this.#engineAddress);
  }
}
