import { EventEmitter } from "node:events";
import http2 from "node:http2";
import { syncBuiltinESMExports } from "node:module";
import { vi } from "vitest";
import { EngineMonitor } from "../../../src/provider/engine.ts";
import type { Stop } from "./plays.ts";

/** Pulumi's engine, as far as the provider sees it: it responds to probes, and stops the provider. */
export class SimulatedEngine {
  isGone = false;
  readonly lines: string[] = [];
  readonly monitor = new EngineMonitor("127.0.0.1:1", (line) => void this.lines.push(line));
  readonly #handlersBefore = process.rawListeners("SIGINT");

  /** @param respond Waits until the engine responds to a probe. */
  constructor(respond: () => Promise<unknown>) {
    vi.spyOn(http2, "connect").mockImplementation((() => {
      const session = Object.assign(new EventEmitter(), { destroy: () => undefined });
      void respond().then(() => {
        const refusal = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        return this.isGone ? session.emit("error", refusal) : session.emit("remoteSettings");
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
    if (stop === "cancelled") this.monitor.stopSending();
    if (stop === "gone") this.isGone = true;
    // Without a handler the process ends, and with it the play.
    if (stop === "interrupted" && this.signalHandlers.length > 0) {
      this.isGone = true;
      for (const handler of this.signalHandlers) handler("SIGINT");
    }
  }
}
