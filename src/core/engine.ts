import { setMaxListeners } from "node:events";
import { connect } from "node:net";
import type { Notify } from "../service/operation.js";

const answerWithinMs = 1_000;
const watchEveryMs = 5_000;

/**
 * Pulumi's engine, as this process sees it: whether it is still there, and whether it has told this
 * process to stop.
 *
 * Signals are handled only while a creation is in flight. At the end of every command the engine sends
 * SIGINT and waits up to 5 seconds: a process with nothing to undo ends at once, as it would without
 * this package.
 */
export class Engine {
  readonly #address: string | undefined;
  readonly #notify: Notify;
  readonly #stop = new AbortController();
  #inFlight = 0;
  #creationsInFlight = 0;

  /** @param address `HOST:PORT` of the engine; without one it counts as there. */
  constructor(address: string | undefined, notify: Notify) {
    this.#address = address;
    this.#notify = notify;
    // One listener for every creation that waits is no leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Aborts when nothing more may be sent, because nothing more will be stored. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
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
    if (!(await this.canStore())) {
      this.#exitWhenIdle();
    }
  }

  /** Begins a creation: from now on a signal to stop does not end the process. */
  beginCreation(): void {
    this.#creationsInFlight += 1;
    if (this.#creationsInFlight === 1) {
      process.on("SIGINT", this.#stopCreating);
      process.on("SIGTERM", this.#finishCreating);
    }
  }

  /** Ends a creation. The last one ends the process where the engine has stopped, or is gone. */
  endCreation(): void {
    this.#creationsInFlight -= 1;
    if (this.#creationsInFlight > 0) {
      return;
    }
    process.off("SIGINT", this.#stopCreating);
    process.off("SIGTERM", this.#finishCreating);
    this.#exitWhenIdle();
  }

  /** Whether what this process answers can still reach the state. Once it cannot, it never will. */
  async canStore(): Promise<boolean> {
    if (!this.stopping.aborted && !(await this.#isListening())) {
      this.#stop.abort();
    }
    return !this.stopping.aborted;
  }

  #exitWhenIdle(): void {
    if (this.stopping.aborted && this.#creationsInFlight === 0 && this.#inFlight === 0) {
      process.exit();
    }
  }

  /** The engine sends SIGINT when it will store nothing more, and SIGKILL 5 seconds later. */
  readonly #stopCreating = (): void => {
    if (!this.stopping.aborted) {
      this.#notify(
        "Pulumi is stopping: webhooks whose creation is in flight are deleted again, if the service answers within 5 seconds.",
        "warning",
      );
      this.#stop.abort();
    }
  };

  /** A service manager sends SIGTERM to all processes at once; the engine still stores what comes. */
  readonly #finishCreating = (): void => {};

  /** Whether something listens at the address of the engine. */
  #isListening(): Promise<boolean> {
    const [, host, port] = /^(.+):(\d+)$/.exec(this.#address ?? "") ?? [];
    if (host === undefined) {
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const socket = connect({ host, port: Number(port), timeout: answerWithinMs });
      const settle = (listens: boolean) => {
        socket.destroy();
        resolve(listens);
      };
      socket.once("connect", () => settle(true));
      socket.once("timeout", () => settle(true));
      socket.once("error", (error: NodeJS.ErrnoException) =>
        settle(!["ECONNREFUSED", "ENOTFOUND"].includes(error.code ?? "")),
      );
    });
  }
}
