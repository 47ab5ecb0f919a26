import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildExecutable } from "../tools/plugin/executable.mts";
import { platformOfMachine } from "../tools/plugin/node-binary.mts";
import { executablePlugin } from "./contenders.mts";
import {
  dynamicProvider,
  executableProvider,
  nativeProvider,
  type Provider,
  startProvider,
} from "./provider-process.mts";

/** The columns of the table, with their units. */
export const processColumns = {
  start: "ms",
  "first check and diff": "ms",
  "1,000 more": "ms",
  "memory then": "MB",
  import: "ms",
} as const;

/** The measurements of one kind of process. */
export interface ProcessMeasurements {
  readonly name: string;
  readonly rounds: readonly Measurement[];
}

/** A value for each column that can be measured. */
type Measurement = Readonly<Partial<Record<keyof typeof processColumns, number>>>;

const emptyProvider = `exports.handler = () => ({
  check: async (olds, { __provider, ...inputs }) => ({ inputs }),
  diff: async () => ({ changes: false }),
})`;
const ourProvider = 'exports.handler = () => require("pulumi-dbwebhooks/provider")';

const processes: Readonly<Record<string, () => Promise<Measurement>>> = {
  plugin: () => callProvider(nativeProvider),
  "plugin, executable": () => callProvider(executableProvider),
  "dynamic provider process, ours": () => callProvider(dynamicProvider(ourProvider)),
  "dynamic provider process, empty": () => callProvider(dynamicProvider(emptyProvider)),
  "`node -e 0`": startEmptyProgram,
  '`require("pulumi-dbwebhooks")`': () => importPackage("pulumi-dbwebhooks"),
  '`require("pulumi-dbwebhooks/native")`': () => importPackage("pulumi-dbwebhooks/native"),
};

/** Measures every process in each round. The order alternates, so that changes of the machine's speed affect all. */
export async function measureProcesses(
  rounds: number,
  say: (line: string) => void,
): Promise<ProcessMeasurements[]> {
  await buildExecutable(platformOfMachine(), executablePlugin);
  const measurements = Object.entries(processes).map(([name, run]) => ({
    name,
    run,
    rounds: [] as Measurement[],
  }));
  for (let round = 0; round < rounds; round++) {
    say(`processes, round ${round + 1} of ${rounds}`);
    const inOrder = round % 2 === 0 ? measurements : measurements.toReversed();
    for (const measurement of inOrder) {
      measurement.rounds.push(await measurement.run());
    }
  }
  return measurements;
}

/** Sends a provider the engine's requests about unchanged webhooks, one after the other. */
async function callProvider(provider: Provider): Promise<Measurement> {
  await using running = await startProvider(provider);
  const checkAndDiff = async (index: number) => {
    const { inputs } = await running.check({
      ...provider.extraInputs,
      databaseId: "base_abc123",
      url: `https://example.com/hooks/${index}`,
      events: ["record.created", "record.updated"],
    });
    const state = { ...inputs, baseUrl: "https://tables.example.com", secret: "x" };
    await running.diff(provider.exampleId, state, inputs);
  };
  const first = await msOf(() => checkAndDiff(0));
  const more = await msOf(async () => {
    for (let index = 1; index <= 1_000; index++) {
      await checkAndDiff(index);
    }
  });
  const memory = running.memory();
  return {
    start: running.startMs,
    "first check and diff": first,
    "1,000 more": more,
    ...(memory && { "memory then": memory.now }),
  };
}

async function startEmptyProgram(): Promise<Measurement> {
  return { start: await msOf(() => once(spawn(process.execPath, ["-e", "0"]), "exit")) };
}

/** Measures how long an import takes in a program that has already loaded Pulumi's SDK. */
async function importPackage(name: string): Promise<Measurement> {
  const program = `require("@pulumi/pulumi");
const startedAt = performance.now();
require("${name}");
process.stdout.write(String(performance.now() - startedAt));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], {
    cwd: join(import.meta.dirname, ".."),
  });
  return { import: Number(stdout) };
}

async function msOf(task: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt;
}
