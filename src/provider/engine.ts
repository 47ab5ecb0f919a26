import { setMaxListeners } from "node:events";
import { Signals } from "./signals.js";

// The engine responds within a few milliseconds; this leaves room for a busy machine.
const responseTimeoutMs = 5_000;
const watchIntervalMs = 5_000;

/** How much a line matters to the user. */
export type Severity = "info" | "warning";

/** Shows one line to the user. */
export type Notify = (line: string, severity: Severity) => void;

type EngineState = "there" | "silent" | "gone";

/**
 * Pulumi's engine as this process sees it: whether it still stores what this process returns, and whether
 * it has asked this process to stop. A cancelled engine stores what completes; an engine that is gone, or
 * that has sent SIGINT, stores nothing more.
 */
export class Engine {
  /** The signals that this process handles while a creation is in flight. */
  readonly signals = new Signals(() => this.#interrupt());
  readonly #address: string | undefined;
  readonly #notify: Notify;
  readonly #stop = new AbortController();
  #state: EngineState = "there";
  #inFlight = 0;

  /** @param address `HOST:PORT` of the engine. Without one, the engine is assumed to be there. */
  constructor(address: string | undefined, notify: Notify) {
    this.#address = /^[^\s/]+:\d+$/.test(address ?? "") ? address : undefined;
    this.#notify = notify;
    // Every waiting request adds a listener; Node.js would report more than ten as a leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Aborts when nothing more may be sent. Requests in flight complete. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stops sending for a cancelled command. The engine still stores what completes. */
  cancel(): void {
    this.#stop.abort();
  }

  /** Begins an operation: the process does not exit before it ends. */
  begin(): void {
    this.#inFlight += 1;
  }

  /** Ends an operation. The last one ends the process if the engine is gone. */
  end(): void {
    this.#inFlight -= 1;
    this.#exitIfIdle();
  }

  /** Checks from time to time whether the engine is there, because nothing else may end this process. */
  watch(): void {
    setInterval(() => void this.endIfGone(), watchIntervalMs).unref();
  }

  /** Ends the process if the engine is gone: at once, or with the last operation in flight. */
  async endIfGone(): Promise<void> {
    // A silent engine may only be slow, and it may still have work for this process.
    if ((await this.#probe()) === "gone") {
      this.#lose("gone");
      this.#exitIfIdle();
    }
  }

  /** Whether the engine can still store what this process returns. Once it cannot, it never will. */
  async canStore(): Promise<boolean> {
    const state = this.#state === "there" ? await this.#probe() : this.#state;
    if (state !== "there") {
      this.#lose(state);
    }
    return this.#state === "there";
  }

  #lose(state: "silent" | "gone"): void {
    if (this.#state !== "gone") {
      this.#state = state;
    }
    this.#stop.abort();
  }

  #exitIfIdle(): void {
    if (this.#state === "gone" && this.#inFlight === 0) {
      process.exit();
    }
  }

  /** The engine sends SIGINT when it will store nothing more, and SIGKILL 5 seconds later. */
  #interrupt(): void {
    if (this.#state === "there") {
      this.#notify(
        "Pulumi is stopping. Webhooks whose creation is in flight are deleted if the service responds within 5 seconds.",
        "warning",
      );
    }
    this.#lose("gone");
  }

  /**
   * Asks the engine for a response. An accepted connection proves nothing: while the kernel takes down a
   * killed engine, its port accepts connections for some milliseconds.
   */
  async #probe(): Promise<EngineState> {
    if (this.#address === undefined) {
      return "there";
    }
    const { connect } = await import("node:http2");
    const { promise, resolve } = Promise.withResolvers<EngineState>();
    const timer = setTimeout(resolve, responseTimeoutMs, "silent");
    const session = connect(`http://${this.#address}`);
    // The first frame that a server sends (RFC 9113, section 3.4).
    session.once("remoteSettings", () => resolve("there"));
    session.once("close", () => resolve("silent"));
    session.on("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code === "ECONNREFUSED" ? "gone" : "silent"),
    );
    return promise.finally(() => {
      clearTimeout(timer);
      session.destroy();
    });
  }
}
