import { setMaxListeners } from "node:events";
import type { Notify } from "./operation.js";

// The engine answers within a few milliseconds; this is for a machine that has none to spare.
const answerWithinMs = 5_000;
const watchEveryMs = 5_000;

/**
 * Pulumi's engine, as this process sees it: whether it is still there, and whether it has told this
 * process to stop. A cancelled engine stores what completes; one that is gone, or that has sent SIGINT,
 * stores nothing more.
 *
 * Signals are handled only while a creation is in flight. At the end of every command the engine sends
 * SIGINT and waits up to 5 seconds: a process with nothing to undo ends at once, as it would without
 * this package.
 */
export class Engine {
  readonly #address: string | undefined;
  readonly #notify: Notify;
  readonly #stop = new AbortController();
  #storesNothing = false;
  #isGone = false;
  #inFlight = 0;
  #creationsInFlight = 0;

  /** @param address `HOST:PORT` of the engine; without one it counts as there. */
  constructor(address: string | undefined, notify: Notify) {
    this.#address = /^[^\s/]+:\d+$/.test(address ?? "") ? address : undefined;
    this.#notify = notify;
    // One listener for every creation that waits is no leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Aborts when nothing more may be sent. What was sent completes. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Sends nothing more, for an engine that was told to cancel: it still stores what completes. */
  cancel(): void {
    this.#stop.abort();
  }

  /** Begins any operation: until it ends, the process does not. */
  begin(): void {
    this.#inFlight += 1;
  }

  /** Ends an operation; the last one ends the process where the engine is gone. */
  end(): void {
    this.#inFlight -= 1;
    this.#exitWhenIdle();
  }

  /** Looks now and then whether the engine is still there, for a process that nothing else would end. */
  watch(): void {
    setInterval(() => void this.endIfGone(), watchEveryMs).unref();
  }

  /** Ends the process when the engine is gone, at once or with the last operation in flight. */
  async endIfGone(): Promise<void> {
    // Silence is no proof for a process that has nothing to undo: the machine may be busy.
    if ((await this.#ask()) === "refuses") {
      this.#giveUp(true);
      this.#exitWhenIdle();
    }
  }

  /** Begins a creation within an operation: from now on a signal to stop does not end the process. */
  beginCreation(): void {
    this.#creationsInFlight += 1;
    if (this.#creationsInFlight === 1) {
      process.on("SIGINT", this.#stopCreating);
      process.on("SIGTERM", this.#finishCreating);
    }
  }

  endCreation(): void {
    this.#creationsInFlight -= 1;
    if (this.#creationsInFlight === 0) {
      process.off("SIGINT", this.#stopCreating);
      process.off("SIGTERM", this.#finishCreating);
    }
  }

  /** Whether what this process answers can still reach the state. Once it cannot, it never will. */
  async canStore(): Promise<boolean> {
    const answer = this.#storesNothing ? undefined : await this.#ask();
    if (answer === "silent" || answer === "refuses") {
      this.#giveUp(answer === "refuses");
    }
    return !this.#storesNothing;
  }

  // A silent engine may have other work for this process, so only one that is gone ends it.
  #giveUp(isGone: boolean): void {
    this.#storesNothing = true;
    this.#isGone ||= isGone;
    this.#stop.abort();
  }

  #exitWhenIdle(): void {
    if (this.#isGone && this.#inFlight === 0) {
      process.exit();
    }
  }

  /** The engine sends SIGINT when it will store nothing more, and SIGKILL 5 seconds later. */
  readonly #stopCreating = (): void => {
    if (!this.#storesNothing) {
      this.#notify(
        "Pulumi is stopping: webhooks whose creation is in flight are deleted again, if the service answers within 5 seconds.",
        "warning",
      );
      this.#giveUp(true);
    }
  };

  /** A service manager sends SIGTERM to all processes at once; the engine still stores what comes. */
  readonly #finishCreating = (): void => {};

  /**
   * Asks the engine for an answer. That something accepts a connection proves nothing: while the kernel
   * takes down a killed engine, its port accepts connections for some milliseconds.
   */
  async #ask(): Promise<"answers" | "silent" | "refuses"> {
    if (this.#address === undefined) {
      return "answers";
    }
    const { connect } = await import("node:http2");
    const { promise, resolve } = Promise.withResolvers<"answers" | "silent" | "refuses">();
    const timer = setTimeout(resolve, answerWithinMs, "silent");
    const session = connect(`http://${this.#address}`);
    // The first frame that a server sends (RFC 9113, section 3.4).
    session.once("remoteSettings", () => resolve("answers"));
    session.once("close", () => resolve("silent"));
    session.on("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code === "ECONNREFUSED" ? "refuses" : "silent"),
    );
    return promise.finally(() => {
      clearTimeout(timer);
      session.destroy();
    });
  }
}
