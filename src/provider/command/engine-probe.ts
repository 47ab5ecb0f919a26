// Asks Pulumi's engine whether it is alive.
import { startTimeout } from "../../common/stall-safe-timer.js";

// The engine responds within a few milliseconds; this leaves room for a busy machine.
const responseTimeoutMs = 5_000;

/**
 * `finished`: the engine stores nothing more, because its process has ended or because it has sent
 * SIGINT. `unresponsive`: it did not respond, and may only be slow.
 */
export type EngineState = "alive" | "unresponsive" | "finished";

/** Whether an argument of the process is the address of an engine: `HOST:PORT`. */
export function isEngineAddress(argument: string | undefined): argument is string {
  const [, port] = /^[^\s/]+:(\d{1,5})$/.exec(argument ?? "") ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

/**
 * Asks the engine at an address for a response. An accepted connection proves nothing: while the
 * kernel takes down a killed engine, its port accepts connections for some milliseconds.
 */
export async function probeEngine(engineAddress: string): Promise<EngineState> {
  const { connect } = await import("node:http2");
  const { promise, resolve } = Promise.withResolvers<EngineState>();
  const cancelTimeout = startTimeout(responseTimeoutMs, () => resolve("unresponsive"));
  const session = connect(`http://${engineAddress}`);
  // The first frame that a server sends (RFC 9113, section 3.4).
  session.once("remoteSettings", () => resolve("alive"));
  session.once("close", () => resolve("unresponsive"));
  session.on("error", ({ code }: NodeJS.ErrnoException) =>
    resolve(code === "ECONNREFUSED" ? "finished" : "unresponsive"),
  );
  return promise.finally(() => {
    cancelTimeout();
    session.destroy();
  });
}
