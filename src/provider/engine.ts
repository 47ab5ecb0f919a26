import { SignalHandlers } from "./signals.js";

// The engine responds within a few milliseconds; this leaves room for a busy machine.
const responseTimeoutMs = 5_000;
const watchIntervalMs = 5_000;

/** How much a line matters to the user. */
export type Severity = "info" | "warning";

/** Shows one line to the user. */
export type Notify = (line: string, severity: Severity) => void;

/**
 * `finished`: the engine stores nothing more, because its process has ended or because it has sent SIGINT.
 * `unresponsive`: it did not respond, and may only be slow.
 */
type EngineState = "alive" | "unresponsive" | "finished";

/**
 * Watches Pulumi's engine for this process: whether the engine still stores what this process returns, and
 * whether it has asked this process to stop. A cancelled engine still stores what completes.
 */
export class EngineMonitor {
  /** Handles signals while a creation is in flight. */
  readonly signalHandlers = new SignalHandlers(() => this.#interrupt());
  readonly #address: string | undefined;
  readonly #notify: Notify;
  readonly #stop = new AbortController();
  #state: EngineState = "alive";
  #inFlight = 0;

  /** @param address `HOST:PORT` of the engine. Without one, the engine is assumed to be alive. */
  constructor(address: string | undefined, notify: Notify) {
    this.#address = /^[^\s/]+:\d+$/.test(address ?? "") ? address : undefined;
    this.#notify = notify;
  }

  /** Aborts when nothing more may be sent. Requests in flight complete. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stops sending for a cancelled command. The engine still stores what completes. */
  stopSending(): void {
    this.#stop.abort();
  }

  /** Begins an operation: the process does not exit before it ends. */
  beginOperation(): void {
    this.#inFlight += 1;
  }

  /** Ends an operation. The process exits after the last one if the engine has finished. */
  endOperation(): void {
    this.#inFlight -= 1;
    this.#exitIfIdle();
  }

  /** Checks from time to time whether the engine is alive: after `kill -9` of the CLI nothing else ends it. */
  watch(): void {
    setInterval(() => void this.exitIfFinished(), watchIntervalMs).unref();
  }

  /** Exits if the engine has finished: at once, or after the last operation in flight. */
  async exitIfFinished(): Promise<void> {
    // An unresponsive engine may still have work for this process.
    if ((await this.#probe()) === "finished") {
      this.#markLost("finished");
      this.#exitIfIdle();
    }
  }

  /**
   * Asks whether the engine can still store what this process returns. Once it cannot, it never will, so no
   * further request is sent, except for undos.
   */
  async confirmCanStoreOrStop(): Promise<boolean> {
    const state = this.#state === "alive" ? await this.#probe() : this.#state;
    if (state !== "alive") {
      this.#markLost(state);
    }
    return this.#state === "alive";
  }

  #markLost(state: "unresponsive" | "finished"): void {
    if (this.#state !== "finished") {
      this.#state = state;
    }
    this.#stop.abort();
  }

  #exitIfIdle(): void {
    if (this.#state === "finished" && this.#inFlight === 0) {
      process.exit();
    }
  }

  /** The engine sends SIGINT when it will store nothing more, and SIGKILL 5 seconds later. */
  #interrupt(): void {
    if (this.#state === "alive") {
      this.#notify(
        "Pulumi is stopping. Webhooks whose creation is in flight are deleted if the service responds within 5 seconds.",
        "warning",
      );
    }
    this.#markLost("finished");
  }

  /**
   * Asks the engine for a response. An accepted connection proves nothing: while the kernel takes down a
   * killed engine, its port accepts connections for some milliseconds.
   */
  async #probe(): Promise<EngineState> {
    if (this.#address === undefined) {
      return "alive";
    }
    const { connect } = await import("node:http2");
    const { promise, resolve } = Promise.withResolvers<EngineState>();
    const timer = setTimeout(resolve, responseTimeoutMs, "unresponsive");
    const session = connect(`http://${this.#address}`);
    // The first frame that a server sends (RFC 9113, section 3.4).
    session.once("remoteSettings", () => resolve("alive"));
    session.once("close", () => resolve("unresponsive"));
    session.on("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code === "ECONNREFUSED" ? "finished" : "unresponsive"),
    );
    return promise.finally(() => {
      clearTimeout(timer);
      session.destroy();
    });
  }
}
