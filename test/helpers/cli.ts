import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type RunningCommand, start } from "./commands.ts";
import { repository } from "./directory.ts";
import { within } from "./within.ts";

/**
 * Starts the built `pulumi-dbwebhooks` outside of its package, and kills it when the test is over.
 */
function startCli(args: readonly string[]): RunningCommand {
  const program = join(repository, "dist/cli/main.js");
  const running = start(process.execPath, [program, ...args], { directory: tmpdir() });
  onTestFinished(() => void running.child.kill("SIGKILL"));
  return running;
}

/** Starts `serve` on a free port, and waits until it has said where it listens. */
export async function serve(...args: readonly string[]) {
  const { child, output, stdout, waitFor, result } = startCli(["serve", "--port", "0", ...args]);
  return {
    baseUrl: await waitFor(/listens at (\S+)$.*^Stop it with/ms),
    /** The default key. */
    apiKey: "local-api-key",
    output,
    stdout,
    /** Ends it by a signal, waits for the rest of its output, and returns its exit code. */
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      const stillRuns = () => `serve still runs; its output: ${output()}`;
      return (await within(30, result, stillRuns)).exitCode;
    },
  };
}
