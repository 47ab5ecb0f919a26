import { spawn } from "node:child_process";

export interface Interruption {
  /** Whether this process got a signal to stop. */
  readonly isRequested: () => boolean;
  /** Aborts when this process must pass the signal on to Pulumi. */
  readonly signal: AbortSignal;
  readonly close: () => void;
}

// Longer than a signal needs to end the witness process.
const untilWitnessEndsMs = 500;

/**
 * Watches for SIGINT and SIGTERM, and makes sure that Pulumi gets exactly one signal. After the first
 * one Pulumi finishes and stores the creations in flight; after a second one it does not.
 *
 * ^C in a terminal and some CI runners signal all processes, so Pulumi gets the signal itself. Other
 * runners signal only this process, which must then pass the signal on. A witness process shows the
 * difference: a signal to all processes ends the witness too.
 */
export function watchForInterruption(): Interruption {
  const witness = spawn("/bin/sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
  // Windows has no /bin/sh, but there ^C reaches all processes.
  witness.on("error", () => undefined);
  const hasWitnessEnded = () =>
    witness.pid === undefined || witness.exitCode !== null || witness.signalCode !== null;

  const handOn = new AbortController();
  let isRequested = false;
  const onSignal = (name: NodeJS.Signals) => {
    if (isRequested) {
      return;
    }
    isRequested = true;
    setTimeout(() => {
      if (!hasWitnessEnded()) {
        handOn.abort();
      }
      process.stderr.write(`${name}: Pulumi finishes what it is doing, and stops.\n`);
    }, untilWitnessEndsMs);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);

  return {
    isRequested: () => isRequested,
    signal: handOn.signal,
    close: () => witness.kill("SIGKILL"),
  };
}
