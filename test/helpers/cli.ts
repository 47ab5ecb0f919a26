import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { type CommandResult, type RunningCommand, start } from "./commands.js";
import { repository } from "./directory.js";

/** Starts the built `pulumi-dbwebhooks`, and kills it when the test is over. */
function startCli(args: readonly string[], environment = {}): RunningCommand {
  const program = join(repository, "dist/cli/main.js");
  const options = { directory: repository, environment };
  const running = start(process.execPath, [program, ...args], options);
  onTestFinished(() => void running.child.kill("SIGKILL"));
  return running;
}

/** Runs the built `pulumi-dbwebhooks` until it exits or the test ends. */
export async function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Omit<CommandResult, "output">> {
  const { output: _, ...result } = await startCli(args, environment).result;
  return result;
}

/** A `pulumi-dbwebhooks serve` that has said where it listens. */
export interface Serving extends Pick<RunningCommand, "output"> {
  readonly baseUrl: string;
  /** Waits until it has written a line that matches, and returns that line. */
  line(pattern: RegExp): Promise<string>;
  /** Ends it by a signal, and returns its exit code and signal. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts `serve` on a free port. */
export async function serve(...args: readonly string[]): Promise<Serving> {
  const { child, output } = startCli(["serve", "--port", "0", ...args]);
  const exited = once(child, "exit");
  const line = async (pattern: RegExp) => {
    // The text after the last line break is not a complete line yet.
    const find = () =>
      output()
        .split("\n")
        .slice(0, -1)
        .find((candidate) => pattern.test(candidate));
    const isOver = () => find() ?? (child.exitCode !== null || child.signalCode !== null);
    await vi.waitUntil(isOver, { interval: 5, timeout: 100_000 });
    const found = find();
    if (found === undefined) {
      throw new Error(`serve ended without ${pattern}:\n${output()}`);
    }
    return found;
  };
  await line(/^Stop it with|"type":"started"/);
  const baseUrl = /(?:listens at |"baseUrl":")([^\s,"]+)/.exec(output())?.[1] ?? "";
  return {
    baseUrl,
    output,
    line,
    end: async (signal) => {
      child.kill(signal);
      const [code, endSignal] = await exited;
      return { code, signal: endSignal };
    },
  };
}
