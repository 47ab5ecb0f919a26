import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import type { PulumiCli } from "../tools/pulumi-cli/resolve.mts";
import { type ContenderName, contenders } from "./contenders.mts";
import { openProject, type Project } from "./project.mts";

/** The Pulumi commands that are measured, in the order in which a round runs them. */
export const steps = ["up", "no-op up", "refresh", "destroy"] as const;

type Step = (typeof steps)[number];

/** The measurements of all contenders with one number of webhooks. */
export interface Comparison {
  /** The number of webhooks. */
  readonly count: number;
  readonly results: readonly Result[];
}

/** The measurements of one contender. */
export interface Result {
  readonly contender: ContenderName;
  /** The durations, one per round. */
  readonly seconds: Readonly<Record<Step, readonly number[]>>;
  /** The size of the state after each command of the last round. */
  readonly stateBytes: Readonly<Record<Step, number>>;
}

interface CompareOptions {
  readonly cli: PulumiCli;
  /** The number of webhooks. */
  readonly count: number;
  readonly rounds: number;
  /** Called at the start of each round. */
  readonly say: (round: number) => void;
}

/**
 * Compares the contenders. Every round runs each command once per contender, and the order changes
 * from round to round, so that changes of the machine's speed affect all contenders.
 */
export async function compare({ cli, count, rounds, say }: CompareOptions): Promise<Comparison> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "dbwebhooks-bench-")));
  await using service = await startLocalService();
  try {
    const runs = [];
    for (const [index, contender] of contenders.entries()) {
      const directory = join(root, String(index));
      await mkdir(directory);
      runs.push({
        contender: contender.name,
        project: await openProject(cli, contender, { root: directory, count, service }),
        seconds: perStep((): number[] => []),
        stateBytes: perStep(() => 0),
      });
    }
    for (let round = 0; round < rounds; round++) {
      say(round + 1);
      const first = round % runs.length;
      for (const step of steps) {
        for (const { project, seconds, stateBytes } of [
          ...runs.slice(first),
          ...runs.slice(0, first),
        ]) {
          seconds[step].push(await secondsOf(project, step));
          stateBytes[step] = (await stat(project.stateFile)).size;
        }
      }
    }
    return { count, results: runs };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function perStep<Value>(make: () => Value): Record<Step, Value> {
  return Object.fromEntries(steps.map((step) => [step, make()])) as Record<Step, Value>;
}

/** Runs a command and measures its time. Throws if the command fails. */
async function secondsOf({ pulumi, directory, environment }: Project, step: Step): Promise<number> {
  const args = [step.replace("no-op ", ""), "--skip-preview", "--yes", "--non-interactive"];
  const startedAt = performance.now();
  await promisify(execFile)(pulumi, args, {
    cwd: directory,
    env: environment,
    maxBuffer: 2 ** 26,
  }).catch(({ stdout, stderr }) => {
    throw new Error(`pulumi ${args.join(" ")} failed:\n${stdout}${stderr}`);
  });
  return (performance.now() - startedAt) / 1000;
}
