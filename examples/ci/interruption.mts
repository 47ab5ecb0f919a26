import { spawn } from "node:child_process";

export interface Interruption {
  /** Whether this process got a signal to stop. */
  readonly isRequested: () => boolean;
  /** Aborts when this process must pass the signal on to Pulumi. */
  readonly signal: AbortSignal;
  readonly close: () => void;
}

// Longer than a signal needs to end the probe process.
const probeTimeoutMs = 500;

/**
 * Watches for SIGINT and SIGTERM, and makes sure that Pulumi gets exactly one signal. After the
 * first one Pulumi finishes and stores the creations in flight; after a second one it does not.
 *
 * ^C in a terminal and some CI runners signal all processes, so Pulumi gets the signal itself.
 * Other runners signal only this process, which must then pass the signal on. A probe process shows
 * the difference: a signal to all processes ends the probe too.
 */
export function watchForInterruption(): Interruption {
  const probe = spawn("/bin/sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
  // Windows has no /bin/sh, but there ^C reaches all processes.
  probe.on("error", () => undefined);
  const hasProbeEnded = () =>
    probe.pid === undefined || probe.exitCode !== null || probe.signalCode !== null;

  const forwarding = new AbortController();
  let isRequested = false;
  const onSignal = (name: NodeJS.Signals) => {
    if (isRequested) {
      return;
    }
    isRequested = true;
    setTimeout(() => {
      if (!hasProbeEnded()) {
        forwarding.abort();
      }
      process.stderr.write(`${name}: Pulumi finishes what it is doing, and stops.\n`);
    }, probeTimeoutMs);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);

  return {
    isRequested: () => isRequested,
    signal: forwarding.signal,
    close: () => probe.kill("SIGKILL"),
  };
}
