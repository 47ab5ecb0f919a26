import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";

/** The signals that ask a program to end. */
export const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * How long after a signal others count as copies of it: npm hands on to us what it gets, although
 * the terminal has sent it to us already.
 */
const sameEventMs = 1_000;

/**
 * Runs a program in place of this one, as far as that is possible: on our standard streams, with
 * our signals, and to its end whatever signals come.
 *
 * Each signal reaches it exactly once. A second one would do harm: Pulumi then gives up what it is
 * creating at that moment without storing it. A signal to the whole process group (^C in a
 * terminal, `timeout`, some CI runners) has reached the program already, one to this process alone
 * has not, and nothing in a signal tells them apart. A third process in the group does: the
 * witness, which dies of the one and not of the other.
 *
 * @returns its exit code, or 128 and the signal's number as a shell has it.
 */
export function execute(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env">,
): Promise<number> {
  // Before the program: of a signal between the two, none is better than two.
  let witness = startWitness();
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  let event: NodeJS.Timeout | undefined;

  const onSignal = (signal: NodeJS.Signals) => {
    if (hasEnded(child)) return;
    event ??= setTimeout(() => {
      // After a pause (^Z) timers come first; what became of the witness is known one turn later.
      setImmediate(() => {
        event = undefined;
        if (witness === undefined || hasEnded(witness)) witness = startWitness();
        else child.kill(signal);
      });
    }, sameEventMs);
  };
  // For good: a late copy must not end this process before it has handed on the exit code.
  for (const signal of endingSignals) process.on(signal, onSignal);

  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => resolve(exitCode ?? exitCodeOf(signal)));
  }).finally(() => {
    clearTimeout(event);
    witness?.kill("SIGKILL");
  });
}

/** What a shell makes of a program that a signal has ended. */
export function exitCodeOf(signal: NodeJS.Signals | null): number {
  return 128 + (signal ? constants.signals[signal] : 0);
}

/**
 * It waits for input that never comes, and ends with us as that ends. There is none on Windows:
 * there the console sends ^C to every process, and no other signal can be handed on.
 */
function startWitness(): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  const witness = spawn("/bin/sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
  // One that could not be started counts as dead, and nothing is sent twice.
  witness.on("error", () => undefined);
  witness.unref();
  return witness;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
