/**
 * `npm run pulumi -- ARGUMENTS`: runs the Pulumi CLI with these arguments in the directory from
 * which npm was called.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { resolvePulumiCli } from "./resolve.mts";

let pulumi: ChildProcess | undefined;
const stopping = new AbortController();
// A terminal sends ^C to the CLI too. Without a terminal, only npm and this process get a signal.
const hasTerminal = process.platform === "win32" || [0, 1, 2].some((stream) => isatty(stream));

// npm forwards its signals to its script, so that this process gets two after ^C in a terminal.
// Pulumi treats a second ^C as "stop without storing what is in flight", so this process forwards
// only the signals that the CLI has not received.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    stopping.abort(signal);
    if (signal !== "SIGINT" || !hasTerminal) {
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
