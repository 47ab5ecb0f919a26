import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { stat } from "node:fs/promises";
import { memoryOf } from "./memory.mts";
import type { Project, Step } from "./project.mts";

const sampleEveryMs = 50;

/** What one command took. */
export interface Measurement {
  readonly seconds: number;
  /** Peak resident memory of the provider's process; nothing where there is no `/proc`. */
  readonly providerMegabytes: number | undefined;
  /** Size of the state afterwards. */
  readonly stateBytes: number;
}

/** Runs one command to its end, and fails unless it succeeds. */
export async function measure(project: Project, step: Step): Promise<Measurement> {
  const [command, ...args] = project.command(step);
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: project.directory,
    env: project.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  }
  const memory = watchMemory(project);
  const [exitCode] = await closed;
  const seconds = (performance.now() - startedAt) / 1000;
  const providerMegabytes = memory.stop();
  if (exitCode !== 0) {
    throw new Error(`${command} ${args.join(" ")} failed:\n${Buffer.concat(chunks)}`);
  }
  const { size } = await stat(project.stateFile);
  return { seconds, providerMegabytes, stateBytes: size };
}

/** Follows the peak that the kernel keeps of the provider's process. */
function watchMemory({ directory, isProvider }: Project): { stop: () => number | undefined } {
  let pid: string | undefined;
  let megabytes: number | undefined;
  const sample = () => {
    pid ??= processIds().find(
      (id) =>
        attempt(() => readlinkSync(`/proc/${id}/cwd`)) === directory && isProvider(textOf(id)),
    );
    // A process that has ended has no memory any more; what was seen before stands.
    megabytes = memoryOf(pid)?.peak ?? megabytes;
  };
  const timer = setInterval(sample, sampleEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      return megabytes;
    },
  };
}

function processIds(): string[] {
  return (attempt(() => readdirSync("/proc")) ?? []).filter((name) => /^\d+$/.test(name));
}

function textOf(id: string): string {
  return attempt(() => readFileSync(`/proc/${id}/cmdline`, "utf8")) ?? "";
}

/** Processes end while one looks at them. */
function attempt<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
