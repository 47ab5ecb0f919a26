import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Measurement, measure } from "./measure.mts";
import { type Contender, type Project, type Step, steps } from "./project.mts";
import { startServiceProcess } from "./service-process.mts";
import { rounded, type Summary, summarize } from "./statistics.mts";

/** What a number of webhooks took with one contender. */
export interface Result {
  readonly contender: string;
  readonly seconds: Readonly<Record<Step, Summary>>;
  /** Peak of the provider's process, over all rounds; absent where it cannot be read. */
  readonly providerMegabytes?: Readonly<Record<Step, number>>;
  /** What one webhook adds to the file of the state. */
  readonly stateBytes: number;
}

export interface CompareOptions {
  readonly contenders: readonly Contender[];
  readonly count: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/**
 * Measures contenders against each other: in every round each step runs once for each of them, and
 * the order changes from round to round, so that a drift of the machine hits all.
 */
export async function compare(options: CompareOptions): Promise<Result[]> {
  const { contenders, count, rounds, say } = options;
  const root = await realpath(await mkdtemp(join(tmpdir(), "dbwebhooks-bench-")));
  await using service = await startServiceProcess(["--listing"]);
  try {
    const runs: Run[] = [];
    for (const contender of contenders) {
      const directory = join(root, String(runs.length));
      await mkdir(directory);
      const project = await contender.open({ root: directory, count, service });
      runs.push({ contender, project, measurements: new Map(steps.map((step) => [step, []])) });
    }
    for (let round = 0; round < rounds; round++) {
      say(`webhooks: ${count}, round ${round + 1} of ${rounds}`);
      for (const step of steps) {
        for (const run of rotated(runs, round)) {
          run.measurements.get(step)?.push(await measure(run.project, step));
        }
      }
    }
    return runs.map((run) => resultOf(run, count));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface Run {
  readonly contender: Contender;
  readonly project: Project;
  readonly measurements: ReadonlyMap<Step, Measurement[]>;
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  return items.map((_, index) => items[(index + by) % items.length] as Item);
}

function resultOf({ contender, measurements }: Run, count: number): Result {
  const perStep = <Value,>(summaryOf: (of: readonly Measurement[]) => Value) =>
    Object.fromEntries(
      steps.map((step) => [step, summaryOf(measurements.get(step) ?? [])]),
    ) as Record<Step, Value>;
  const stateBytes = perStep((of) => summarize(of.map((one) => one.stateBytes)).median);
  const megabytes = perStep((of) =>
    Math.round(Math.max(...of.map((one) => one.providerMegabytes ?? -1))),
  );
  return {
    contender: contender.name,
    seconds: perStep((of) => summarizeRounded(of.map(({ seconds }) => seconds))),
    ...(Math.min(...Object.values(megabytes)) > 0 && { providerMegabytes: megabytes }),
    stateBytes: Math.round((stateBytes.up - stateBytes.destroy) / count),
  };
}

function summarizeRounded(values: readonly number[]): Summary {
  const { median, min, max } = summarize(values);
  return { median: rounded(median), min: rounded(min), max: rounded(max) };
}
