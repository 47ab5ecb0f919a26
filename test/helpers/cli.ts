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
export function runCli(args: readonly string[], environment = {}): Promise<CommandResult> {
  return startCli(args, environment).result;
}

/** Starts `serve` on a free port, and waits until it has said where it listens. */
export async function serve(...args: readonly string[]) {
  const { child, output } = startCli(["serve", "--port", "0", ...args]);
  const exited = once(child, "exit");
  /** Waits until it has written a line that matches, and returns that line. */
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
    /** Ends it by a signal, and returns its exit code and signal. */
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      const [code, endSignal] = await exited;
      return { code, signal: endSignal };
    },
  };
}
