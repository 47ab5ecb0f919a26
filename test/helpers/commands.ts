import { spawn } from "node:child_process";
import { once } from "node:events";
import { vi } from "vitest";
import { countHeavyCommand } from "./heavy-commands.ts";

interface CommandOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it leads a process group of its own, like a command in a terminal. */
  readonly isGroupLeader?: boolean;
}

export type RunningCommand = ReturnType<typeof start>;
export type CommandResult = Awaited<RunningCommand["result"]>;

/** Runs a command, and throws an error with its output unless it succeeds. */
export async function succeed(...command: Parameters<typeof start>): Promise<CommandResult> {
  const result = await run(...command);
  if (result.exitCode === 0) {
    return result;
  }
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
) {
  countHeavyCommand(command, args);
  const child = spawn(command, args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: isGroupLeader,
  });
  /** The output is both streams, in the order in which they came. */
  const texts = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      texts.output += text;
    });
  }
  const result = once(child, "close").then(([exitCode]) => {
    return { exitCode: exitCode as number | null, ...texts };
  });
  /** These return what the command has written so far. */
  const output = () => texts.output;
  const stdout = () => texts.stdout;
  /**
   * Waits until a text of the output matches a pattern, and returns what its first group matched.
   */
  const waitFor = async (pattern: RegExp, textOf = output): Promise<string> => {
    let hasEnded = false;
    void result.then(() => {
      hasEnded = true;
    });
    const isOver = () => pattern.test(textOf()) || hasEnded;
    // Tests run side by side, where expect.poll() does not know its test.
    await vi.waitUntil(isOver, { interval: 5, timeout: 120_000 }).catch(() => undefined);
    const [, group] = pattern.exec(textOf()) ?? [];
    if (group !== undefined) {
      return group;
    }
    throw new Error(`${command} has not printed ${pattern}: ${texts.output}`);
  };
  return { child, output, stdout, waitFor, result };
}
