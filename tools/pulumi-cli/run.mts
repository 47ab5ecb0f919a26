/**
 * `npm run pulumi -- ARGUMENTS`: runs the Pulumi CLI with these arguments in the directory from
 * which npm was called.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { resolvePulumiCli } from "./resolve.mts";

let pulumi: ChildProcess | undefined;
const stopping = new AbortController();
// A terminal sends ^C to the CLI too. Without a terminal, only npm and this process get a signal.
const isInTerminal = hasTerminal();

// npm forwards its signals to its script, so that this process gets two after ^C in a terminal.
// Pulumi treats a second ^C as "stop without storing what is in flight", so this process forwards
// only the signals that the CLI has not received.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    stopping.abort(signal);
    if (signal !== "SIGINT" || !isInTerminal) {
      pulumi?.kill(signal);
    }
  });
}

try {
  const { command, environment } = await resolvePulumiCli({ signal: stopping.signal });
  pulumi = spawn(command, process.argv.slice(2), {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  const [exitCode, signal] = await once(pulumi, "exit");
  process.exitCode = exitCode ?? 128 + constants.signals[signal as NodeJS.Signals];
} catch (error) {
  const { aborted, reason } = stopping.signal;
  // A signal has ended a download or a build together with its child processes.
  if (aborted) {
    process.exit(128 + constants.signals[reason as NodeJS.Signals]);
  }
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** Whether a terminal controls this process. The streams do not show it if all are redirected. */
function hasTerminal(): boolean {
  if (process.platform === "win32") {
    return true;
  }
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
