import { EventEmitter } from "node:events";
import http2 from "node:http2";
import { syncBuiltinESMExports } from "node:module";
import { vi } from "vitest";
import { EngineMonitor } from "../../../src/provider/command/engine-monitor.ts";
import type { Stop } from "./plays.ts";

/**
 * Pulumi's engine, as far as the provider sees it: it responds to probes, and stops the provider.
 */
export class SimulatedEngine {
  /** Whether it still stores what the provider returns. */
  isGone = false;
  /** When it stopped storing. */
  goneAt = Number.POSITIVE_INFINITY;
  readonly monitor = new EngineMonitor("127.0.0.1:1", () => undefined);
  readonly #handlersBefore = process.rawListeners("SIGINT");
  readonly #now: () => number;
  #refusesConnections = false;

  /** @param respond Waits until the engine responds to a probe. */
  constructor(respond: () => Promise<unknown>, now: () => number) {
    this.#now = now;
    vi.spyOn(http2, "connect").mockImplementation((() => {
      const session = Object.assign(new EventEmitter(), { destroy: () => undefined });
      // The mock also gets the connections of other tests of this process, which may be gone.
      session.on("error", () => undefined);
      void respond().then(() => {
        const refusal = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        return this.#refusesConnections
          ? session.emit("error", refusal)
          : session.emit("remoteSettings");
      });
      return session;
    }) as never);
    syncBuiltinESMExports();
  }

  /** The handlers of SIGINT that the provider has installed. */
  get signalHandlers() {
    return process.rawListeners("SIGINT").filter((one) => !this.#handlersBefore.includes(one));
  }

  stop(stop: Stop): void {
    if (stop === "cancelled") {
      this.monitor.stopSending();
    }
    // An engine that has sent SIGINT still responds.
    this.#refusesConnections = stop === "gone";
    // Without a handler the process ends, and with it the play.
    const handlers = stop === "interrupted" ? this.signalHandlers : [];
    if (stop === "gone" || handlers.length > 0) {
      this.isGone = true;
      this.goneAt = this.#now();
    }
    for (const handler of handlers) {
      handler("SIGINT");
    }
  }
}
