/**
 * `npm run pulumi -- ARGUMENTS`: runs the Pulumi CLI, as if it had been called itself, in the
 * directory npm was called from.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { resolvePulumiCli } from "./resolve.mts";

let pulumi: ChildProcess | undefined;
const stopping = new AbortController();
// A terminal sends ^C to the CLI too. Without one, only npm and this process get a signal.
const hasTerminal = process.platform === "win32" || [0, 1, 2].some((stream) => isatty(stream));

// npm sends the signals it gets to its script once more. After ^C in a terminal, which signals every
// process there, this one gets two; Pulumi takes a second ^C as "stop without storing what is in
// flight". So only this process hears them, and hands on what the CLI has not got.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    stopping.abort(signal);
    if (signal !== "SIGINT" || !hasTerminal) pulumi?.kill(signal);
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
  // A signal has ended a download or a build, with everything that was started for it.
  if (aborted) process.exit(128 + constants.signals[reason as NodeJS.Signals]);
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
