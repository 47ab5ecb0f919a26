import { type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";

/** How a program is started in place of this one. */
export interface ExecuteOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Runs a program in place of this one: it becomes this process, with its streams, its signals and
 * its exit code (https://nodejs.org/api/process.html#processexecvefile-args-env). Where that is not
 * possible, it runs as a child.
 *
 * @param command The executable, as an absolute path.
 * @returns the exit code, where the program ran as a child.
 */
export async function execute(
  command: string,
  args: readonly string[],
  { cwd, env }: ExecuteOptions,
): Promise<number> {
  // Absent on Windows.
  if (process.execve !== undefined && !isNpmScript(env)) {
    process.chdir(cwd);
    process.execve(command, [command, ...args], env);
  }
  return runAsChild(command, args, { cwd, env });
}

/** The exit code of a program that a signal ended, as a shell reports it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * npm sends the signals it gets to its script once more. After ^C in a terminal, which signals every
 * process there, the script gets two; Pulumi takes a second ^C as "stop without storing what is in
 * flight". So this process stays between npm and the program.
 */
function isNpmScript(env: NodeJS.ProcessEnv): boolean {
  return env.npm_lifecycle_event !== undefined;
}

function runAsChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<number> {
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  // A terminal has sent ^C to the program too. Without one, only npm and this process got a signal.
  const hasTerminal = process.platform === "win32" || [0, 1, 2].some((stream) => isatty(stream));
  process.on("SIGINT", () => hasTerminal || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));

  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => resolve(exitCode ?? exitCodeOf(signal ?? "SIGKILL")));
  });
}
