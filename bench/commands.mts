import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePlugin } from "../tools/plugin/bundle.mts";
import { buildExecutable } from "../tools/plugin/executable.mts";
import { platformOfMachine } from "../tools/plugin/node-binary.mts";
import type { PulumiCli } from "../tools/pulumi-cli/resolve.mts";
import { type Contender, executablePlugin, floorPlugin } from "./contenders.mts";
import { watchProviderMemory } from "./memory.mts";
import { openProject, type Project } from "./project.mts";
import { startServiceProcess } from "./service-process.mts";

/** The Pulumi commands that are measured, in the order in which a round runs them. */
export const steps = ["up", "no-op up", "refresh", "destroy"] as const;

type Step = (typeof steps)[number];

/** The measurements of all contenders with one number of webhooks. */
export interface Comparison {
  /** The number of webhooks. */
  readonly count: number;
  readonly rounds: number;
  readonly results: readonly Result[];
}

/** The measurements of one contender. */
interface Result {
  readonly contender: string;
  /** The durations, one per round. */
  readonly seconds: Readonly<Record<Step, readonly number[]>>;
  /** The peak memory of the provider's process in each command in which it was found; empty without `/proc`. */
  readonly providerMegabytes: readonly number[];
  /** The size of the state after each command of the last round. */
  readonly stateBytes: Readonly<Record<Step, number>>;
}

export interface CompareOptions {
  readonly cli: PulumiCli;
  readonly contenders: readonly Contender[];
  /** The number of webhooks. */
  readonly count: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/**
 * Compares contenders. Every round runs each command once per contender, and the order changes from round
 * to round, so that changes of the machine's speed affect all contenders.
 */
export async function compare(options: CompareOptions): Promise<Comparison> {
  const { cli, contenders, count, rounds, say } = options;
  await bundlePlugin("bench/floor-plugin.mts", join(floorPlugin, "pulumi-resource-dbwebhooks"));
  if (contenders.some(({ plugin }) => plugin === executablePlugin)) {
    await buildExecutable(platformOfMachine(), executablePlugin);
  }
  const root = await realpath(await mkdtemp(join(tmpdir(), "dbwebhooks-bench-")));
  await using service = await startServiceProcess(["--listing"]);
  try {
    const runs = [];
    for (const [index, contender] of contenders.entries()) {
      const directory = join(root, String(index));
      await mkdir(directory);
      runs.push({
        contender: contender.name,
        project: await openProject(cli, contender, { root: directory, count, service }),
        seconds: perStep((): number[] => []),
        providerMegabytes: [] as number[],
        stateBytes: perStep(() => 0),
      });
    }
    for (let round = 0; round < rounds; round++) {
      say(`webhooks: ${count}, round ${round + 1} of ${rounds}`);
      const first = round % runs.length;
      for (const step of steps) {
        for (const run of [...runs.slice(first), ...runs.slice(0, first)]) {
          const { seconds, peakMegabytes } = await measure(run.project, step);
          run.seconds[step].push(seconds);
          run.providerMegabytes.push(...(peakMegabytes === undefined ? [] : [peakMegabytes]));
          run.stateBytes[step] = (await stat(run.project.stateFile)).size;
        }
      }
    }
    return { count, rounds, results: runs };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function perStep<Value>(make: () => Value): Record<Step, Value> {
  return Object.fromEntries(steps.map((step) => [step, make()])) as Record<Step, Value>;
}

/** Runs a command, and throws if it fails. */
async function measure({ pulumi, directory, environment }: Project, step: Step) {
  const args = [step.replace("no-op ", ""), "--skip-preview", "--yes", "--non-interactive"];
  const startedAt = performance.now();
  const child = spawn(pulumi, args, {
    cwd: directory,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  const provider = watchProviderMemory(directory);
  const [exitCode] = await closed;
  const seconds = (performance.now() - startedAt) / 1000;
  const peakMegabytes = provider.stop();
  if (exitCode !== 0) {
    throw new Error(`pulumi ${args.join(" ")} failed:\n${Buffer.concat(output)}`);
  }
  return { seconds, peakMegabytes };
}
