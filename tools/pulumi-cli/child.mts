import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface ChildOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** After this many seconds the child is killed and the call fails. */
  limitSeconds: number;
  /** Kills the child; the call then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Puts the child into a process group of its own, so that killing it takes its children along.
   * For scripts: killing only their shell leaves a running `curl` or `sleep` behind.
   */
  ownGroup?: boolean;
  /** Receives each line that the child writes to standard error. */
  onErrorLine?: (line: string) => void;
}

const keptCharacters = 64_000;

/**
 * Runs a program to its end and gives its standard output. Fails, with the end of its standard
 * error in the message, when the program cannot be started, does not end in time or does not
 * end with exit code 0.
 */
export function outputOf(
  command: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<string> {
  const ownGroup = options.ownGroup === true && process.platform !== "win32";
  const limit = AbortSignal.timeout(options.limitSeconds * 1000);
  const stop = options.signal ? AbortSignal.any([limit, options.signal]) : limit;

  return new Promise((resolve, reject) => {
    stop.throwIfAborted();
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      detached: ownGroup,
      // Standard input is a pipe that nobody writes to: its end tells the child that we are gone.
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => undefined);

    let stdout = "";
    let stderr = "";
    let stopped: unknown;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout = (stdout + text).slice(-keptCharacters);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-keptCharacters);
    });
    const { onErrorLine } = options;
    if (onErrorLine) createInterface({ input: child.stderr }).on("line", onErrorLine);

    const kill = () => {
      stopped = limit.aborted
        ? new Error(`it did not end within ${options.limitSeconds} s`)
        : stop.reason;
      if (child.pid !== undefined) killQuietly(ownGroup ? -child.pid : child.pid);
      // A grandchild that lives on may hold the pipes open; it must not hold us.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    stop.addEventListener("abort", kill, { once: true });

    child.once("error", reject);
    child.once("close", (exitCode, signal) => {
      stop.removeEventListener("abort", kill);
      if (stopped !== undefined) reject(stopped);
      else if (exitCode === 0) resolve(stdout);
      else reject(new Error(`it ended with ${signal ?? `exit code ${exitCode}`}${tail(stderr)}`));
    });
  });
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}

function tail(text: string): string {
  const lines = text.trim().split("\n").slice(-8).join("\n    ");
  return lines === "" ? "" : `:\n    ${lines}`;
}
