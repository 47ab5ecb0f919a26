import { type ChildProcess, spawn } from "node:child_process";

export interface CommandResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, in the order in which they came. */
  readonly output: string;
}

export interface CommandOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it leads a process group of its own, like a command in a terminal. */
  readonly isGroupLeader?: boolean;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly output: () => string;
  readonly result: Promise<CommandResult>;
}

/** Runs a command, and throws an error with its output unless it succeeds. */
export async function succeed(...command: Parameters<typeof start>): Promise<CommandResult> {
  const result = await run(...command);
  if (result.exitCode === 0) return result;
  throw new Error(`${command[0]} ${command[1].join(" ")}\n${result.output}`);
}

/** Runs a command to its end, whatever its exit code. */
export function run(...command: Parameters<typeof start>): Promise<CommandResult> {
  return start(...command).result;
}

export function start(
  command: string,
  args: readonly string[],
  { directory, environment, isGroupLeader = false }: CommandOptions,
): RunningCommand {
  const child = spawn(command, args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: isGroupLeader,
  });
  const texts = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      texts.output += text;
    });
  }
  const result = new Promise<CommandResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, ...texts }));
  });
  return { child, output: () => texts.output, result };
}
