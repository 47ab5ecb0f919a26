import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { errorsOfWebhooks, linesOfProvider, webhooksInState } from "../helpers/cli-output.mjs";
import {
  countAtService,
  expectRow,
  injectFaults,
  linesAbout,
  type Measurement,
  prepareDeletions,
  stateText,
} from "../helpers/faults/play.js";
import {
  createFaults,
  deleteFaults,
  type FaultRow,
  faults,
  rowSettings,
} from "../helpers/faults/rows.js";
import { javascriptProgram, type Program, yamlProgram } from "../helpers/programs.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

/** The same on the real CLI, and what is there at last, the fault being over. */
interface CliMeasurement extends Measurement {
  readonly end: { readonly isStored: boolean; readonly held: number };
}

const programs = [javascriptProgram, yamlProgram];
const measured = new Map<Program, ReadonlyMap<FaultRow, CliMeasurement>>();

beforeAll(async () => {
  await Promise.all(
    programs.map(async (program) => measured.set(program, await playRows(program))),
  );
});

describe.each(programs)("A fault on the real CLI, through $name", (program) => {
  it.each(faults)("loses nothing: $on: $does: $sees", (row) => {
    const measurement = measured.get(program)?.get(row);

    expectRow(row, measurement);
    expect(measurement?.end).toEqual(
      row.on === "POST" ? { isStored: true, held: 1 } : { isStored: false, held: 0 },
    );
  });
});

/** Plays the rows, in one `up` or `destroy` for all that share their settings. */
async function playRows(program: Program): Promise<ReadonlyMap<FaultRow, CliMeasurement>> {
  const service = await startLocalService({ listing: true });
  const results = new Map<FaultRow, CliMeasurement>();
  const useStack = async (stack: TestStack) => {
    await stack.configure(rowSettings);
    const { counts, outputs } = await playGroups(program, stack, createFaults);
    prepareDeletions(service, deleteFaults);
    const later = await playGroups(program, stack, deleteFaults);

    const state = webhooksInState(
      (await stack.pulumi(["stack", "export", "--show-secrets"])).stdout,
    );
    const ends = await repair(program, stack);
    const allOutputs = [...outputs, ...later.outputs];
    const errors = Object.assign({}, ...allOutputs.map(errorsOfWebhooks));
    const lines = allOutputs.flatMap(linesOfProvider);
    for (const [row, count] of [...counts, ...later.counts]) {
      const [webhook] = count.held;
      const atService = webhook && { id: program.idOf(webhook), secret: webhook.secret };
      results.set(row, {
        ...count,
        state: stateText(state[row.name]?.[0], atService),
        error: (errors[row.name] ?? []).join(" "),
        lines: linesAbout(row, lines),
        end: ends(row),
      });
    }
  };
  await withStack(useStack, { service, program });
  return results;
}

/** Plays these rows. The first `up` also creates what is to be deleted. */
async function playGroups(program: Program, stack: TestStack, all: readonly FaultRow[]) {
  const { service } = stack;
  const outputs: string[] = [];
  for (const [environment, rows] of Map.groupBy(all, (row) => row.environment)) {
    const release = injectFaults(service, rows);
    const command = all === createFaults ? "up" : "destroy";
    const declared = command === "up" && outputs.length === 0 ? [...rows, ...deleteFaults] : rows;
    await stack.declare(webhooksOf(declared));
    const targets = declared.flatMap(({ name }) => [
      "--target",
      `urn:pulumi:test::webhooks::${program.type}::${name}`,
    ]);
    outputs.push(await run(stack, command, targets, await environment?.(service)));
    await release();
  }
  return { outputs, counts: all.map((row) => [row, countAtService(service, row)] as const) };
}

/** Ends the faults, deletes by hand what errors named, and says what the next `up` makes of a row. */
async function repair(program: Program, stack: TestStack) {
  const { service } = stack;
  service.clearFaults();
  const doubtful = createFaults.filter(({ outcome }) => outcome === "inDoubt");
  removeFrom(service, ({ databaseId }) => doubtful.some(({ name }) => name === databaseId));
  await stack.declare(webhooksOf(createFaults));
  expect(await run(stack, "up")).toContain("Resources:");
  const resources = await stack.resources();
  const counts = new Map(faults.map(({ name }) => [name, 0]));
  for (const { databaseId } of service.webhooks) {
    counts.set(databaseId, (counts.get(databaseId) ?? 0) + 1);
  }
  // What the state does not know is to fail its row, not all of them.
  const known = Object.values(resources).map(({ id }) => id);
  removeFrom(service, (webhook) => !known.includes(program.idOf(webhook)));
  return ({ name }: FaultRow) => ({ isStored: name in resources, held: counts.get(name) ?? 0 });
}

function removeFrom(
  service: LocalService,
  isRemoved: (webhook: LocalService["webhooks"][number]) => boolean,
): void {
  for (const { id } of service.webhooks.filter(isRemoved)) {
    service.removeWebhook(id);
  }
}

function webhooksOf(rows: readonly FaultRow[]) {
  return Object.fromEntries(
    rows.map(({ name }) => [name, { args: webhookArgs({ databaseId: name }) }]),
  );
}

async function run(
  { pulumi }: TestStack,
  command: "up" | "destroy",
  targets: readonly string[] = [],
  environment?: Readonly<Record<string, string>>,
): Promise<string> {
  const flags = ["--yes", "--skip-preview", "--continue-on-error", "--parallel", "64"];
  return (await pulumi([command, ...flags, ...targets], environment)).output;
}
