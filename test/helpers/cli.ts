import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const repository = join(__dirname, "../..");
const main = join(repository, "dist/cli/main.js");

/** Runs the built `pulumi-dbwebhooks` to its end, or to that of the test. */
export function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { cwd: repository, env: { ...process.env, ...environment } },
      (_, stdout, stderr) => resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end();
    onTestFinished(() => void child.kill("SIGKILL"));
  });
}

/** A `pulumi-dbwebhooks serve` that has said where it listens. */
export interface Serving {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly port: number;
  readonly output: () => string;
  /** Fulfilled when a line that matches has been written, now or later; with that line. */
  line(pattern: RegExp): Promise<string>;
  /** Ends it by a signal; what `exit` said. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts `serve` on a free port, and kills it when the test is over. */
export async function serve(...args: readonly string[]): Promise<Serving> {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", ...args], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      for (const listener of listeners) {
        listener();
      }
    });
  }
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        // The last piece is no whole line yet.
        const found = output
          .split("\n")
          .slice(0, -1)
          .find((one) => pattern.test(one));
        if (found !== undefined) {
          listeners.delete(look);
          resolve(found);
        }
      };
      listeners.add(look);
      look();
      child.once("exit", () => reject(new Error(`serve ended without ${pattern}:\n${output}`)));
    });
  await line(/^Stop it with|"type":"started"/);
  const baseUrl = /(?:listens at |"baseUrl":")([^\s,"]+)/.exec(output)?.[1] ?? "";
  return {
    child,
    baseUrl,
    port: Number(new URL(baseUrl).port),
    output: () => output,
    line,
    end: async (signal) => {
      child.kill(signal);
      const [code, endSignal] = await exited;
      return { code, signal: endSignal };
    },
  };
}
