import { spawn } from "node:child_process";

export interface Interruption {
  /** Whether this process has been asked to stop. */
  readonly isRequested: () => boolean;
  /** Aborts when Pulumi has to be told so. */
  readonly signal: AbortSignal;
  readonly close: () => void;
}

// Longer than a signal takes to end the witness.
const untilWitnessEndsMs = 500;

/**
 * Watches for SIGINT and SIGTERM. Exactly one of them may reach Pulumi: it then finishes and stores
 * what it is creating, and at a second one it gives that up.
 *
 * ^C in a terminal and some CI runners signal all processes, so Pulumi has it already; others signal
 * this process alone, and it must be handed on. Nothing in a signal tells the two apart, but a
 * witness does: a process that a signal to all ends too.
 */
export function watchForInterruption(): Interruption {
  const witness = spawn("/bin/sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
  // Where there is none (on Windows), ^C reaches all processes.
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
