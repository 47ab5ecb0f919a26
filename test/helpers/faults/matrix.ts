import { type StoredWebhook, startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { errorsOfWebhooks, linesOfProvider, webhooksInState } from "../cli-output.mjs";
import type { Program } from "../programs.js";
import { type TestStack, webhookArgs, withStack } from "../stack.js";
import {
  countAtService,
  countText,
  injectFaults,
  linesAbout,
  type Measurement,
  removeBefore,
} from "./play.js";
import { type FaultRow, rowService, rowSettings } from "./row.js";

/** What was counted and read on the real CLI. */
export interface CliMeasurement extends Measurement {
  /** What the state holds at last, the fault being over. */
  readonly end: string;
  /** Webhooks that the service holds and neither the state nor an error accounts for. */
  readonly forgotten: number;
}

type Measurements = Map<string, CliMeasurement>;

/** Creates a webhook for each row, one `pulumi up` for all that share their settings, and repairs in another. */
export async function measureCreations(
  program: Program,
  rows: readonly FaultRow[],
): Promise<Measurements> {
  return withRows(program, rows, async (stack) => {
    const { service } = stack;
    const outputs = await playGroups(program, stack, rows, "up");
    const outcomes = await readOutcomes(program, stack, rows, outputs);
    service.clearFaults();
    for (const { databaseId, id } of service.webhooks) {
      if (isInDoubt(rows, databaseId)) {
        service.removeWebhook(id);
      }
    }
    const after = await run(stack, "up");
    expect(after).toContain("Resources:");
    const ends = await readOutcomes(program, stack, rows, [after]);
    return withEnds(outcomes, (name) => ends.get(name)?.state ?? "nothing");
  });
}

/** Creates a webhook for each row and deletes them, as above, and those that are left in another `pulumi destroy`. */
export async function measureDeletions(
  program: Program,
  rows: readonly FaultRow[],
): Promise<Measurements> {
  return withRows(program, rows, async (stack) => {
    const { service } = stack;
    await stack.up();
    removeBefore(service, rows);
    service.clearRequests();
    const outputs = await playGroups(program, stack, rows, "destroy");
    const outcomes = await readOutcomes(program, stack, rows, outputs);
    service.clearFaults();
    await run(stack, "destroy");
    const end = await readState(stack);
    return withEnds(outcomes, (name) => (name in end ? "the webhook" : "nothing"));
  });
}

/** Runs `use` with a stack whose program declares a webhook for each row. */
async function withRows(
  program: Program,
  rows: readonly FaultRow[],
  use: (stack: TestStack) => Promise<Measurements>,
): Promise<Measurements> {
  const service = await startLocalService(rowService);
  let measurements: Measurements = new Map();
  const useStack = async (stack: TestStack) => {
    await stack.configure(rowSettings);
    await stack.declare(
      Object.fromEntries(
        rows.map(({ name }) => [name, { args: webhookArgs({ databaseId: name }) }]),
      ),
    );
    measurements = await use(stack);
    await removeForgotten(program, stack);
  };
  await withStack(useStack, { service, program });
  return measurements;
}

/** Plays the rows, in one command for all that share their settings. Returns all output. */
async function playGroups(
  program: Program,
  stack: TestStack,
  rows: readonly FaultRow[],
  command: "up" | "destroy",
): Promise<string[]> {
  const outputs: string[] = [];
  for (const [environment, group] of Map.groupBy(rows, (row) => row.environment)) {
    const release = injectFaults(stack.service, group);
    const targets = group.flatMap(({ name }) => [
      "--target",
      `urn:pulumi:test::webhooks::${program.type}::${name}`,
    ]);
    outputs.push(await run(stack, command, targets, await environment?.(stack.service)));
    await release();
  }
  return outputs;
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

function withEnds(
  outcomes: ReadonlyMap<string, Omit<CliMeasurement, "end">>,
  endOf: (name: string) => string,
): Measurements {
  return new Map([...outcomes].map(([name, outcome]) => [name, { ...outcome, end: endOf(name) }]));
}

async function readState({ pulumi }: TestStack): Promise<ReturnType<typeof webhooksInState>> {
  return webhooksInState((await pulumi(["stack", "export", "--show-secrets"])).stdout);
}

/** What the state does not know is to fail its row, not all of them. */
async function removeForgotten(program: Program, stack: TestStack): Promise<void> {
  const known = Object.values(await readState(stack)).flatMap((all) => all.map(({ id }) => id));
  for (const webhook of stack.service.webhooks) {
    if (!known.includes(program.idOf(webhook))) {
      stack.service.removeWebhook(webhook.id);
    }
  }
}

async function readOutcomes(
  program: Program,
  stack: TestStack,
  rows: readonly FaultRow[],
  outputs: readonly string[],
): Promise<Map<string, Omit<CliMeasurement, "end">>> {
  const state = await readState(stack);
  const errors = Object.assign({}, ...outputs.map(errorsOfWebhooks)) as Record<string, string[]>;
  const lines = outputs.flatMap(linesOfProvider);
  const readOutcome = (row: FaultRow): Omit<CliMeasurement, "end"> => {
    const { held, counts } = countAtService(stack.service, row);
    const stored = state[row.name] ?? [];
    const isStored = (webhook: StoredWebhook) =>
      stored.some(
        ({ id, secret }) =>
          secret === webhook.secret || (secret === undefined && id === program.idOf(webhook)),
      );
    const addition = stored.every(({ secret }) => secret) ? "" : ", no secret";
    return {
      ...counts,
      state: `${countText(stored.length)}${addition}`,
      error: (errors[row.name] ?? []).join(" "),
      lines: linesAbout(row, lines),
      forgotten: isInDoubt(rows, row.name)
        ? 0
        : held.filter((webhook) => !isStored(webhook)).length,
    };
  };
  return new Map(rows.map((row) => [row.name, readOutcome(row)]));
}

/** Whether an error names what the service may hold: the test of the row asserts that it does. */
function isInDoubt(rows: readonly FaultRow[], name: string): boolean {
  return rows.some((row) => row.name === name && row.outcome === "inDoubt");
}
