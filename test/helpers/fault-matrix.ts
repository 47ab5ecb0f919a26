import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { errorsOfWebhooks, linesOfProvider, webhooksInState } from "./cli-output.mjs";
import {
  countAtService,
  countText,
  injectFaults,
  linesAbout,
  type Measurement,
  removeBefore,
} from "./fault-play.js";
import { type FaultRow, rowService, rowSettings } from "./fault-row.js";
import { type TestStack, webhookArgs, withStack } from "./stack.js";

/** What was counted and read on the real CLI. */
export interface CliMeasurement extends Measurement {
  /** What the state holds at last, the fault being over. */
  readonly end: string;
  /** Webhooks that the service holds and neither the state nor an error accounts for. */
  readonly forgotten: number;
}

type Measurements = Map<string, CliMeasurement>;

/** Creates a webhook for each row in one `pulumi up`, and repairs as the errors say in a second. */
export function measureCreations(rows: readonly FaultRow[]): Promise<Measurements> {
  return measure(rows, async (stack, group, environment) => {
    const { service } = stack;
    const release = injectFaults(service, group);
    const before = await run(stack, "up", environment);
    await release();
    const outcomes = await readOutcomes(stack, group, before);
    service.clearFaults();
    for (const { databaseId, id } of service.webhooks) {
      if (isInDoubt(group, databaseId)) {
        service.removeWebhook(id);
      }
    }
    const after = await run(stack, "up");
    expect(after).toContain("Resources:");
    const ends = await readOutcomes(stack, group, after);
    return new Map(
      [...outcomes].map(([name, outcome]) => [
        name,
        { ...outcome, end: ends.get(name)?.state ?? "nothing" },
      ]),
    );
  });
}

/** Creates a webhook for each row and deletes them in one `pulumi destroy`, then in a second. */
export function measureDeletions(rows: readonly FaultRow[]): Promise<Measurements> {
  return measure(rows, async (stack, group, environment) => {
    const { service } = stack;
    await stack.up();
    removeBefore(service, group);
    service.clearRequests();
    const release = injectFaults(service, group);
    const output = await run(stack, "destroy", environment);
    await release();
    const outcomes = await readOutcomes(stack, group, output);
    service.clearFaults();
    await run(stack, "destroy");
    const end = await readState(stack);
    return new Map(
      [...outcomes].map(([name, outcome]) => [
        name,
        { ...outcome, end: name in end ? "the webhook" : "nothing" },
      ]),
    );
  });
}

async function measure(
  rows: readonly FaultRow[],
  measureGroup: (
    stack: TestStack,
    group: readonly FaultRow[],
    environment: Readonly<Record<string, string>>,
  ) => Promise<Measurements>,
): Promise<Measurements> {
  const measurements: Measurements = new Map();
  for (const [environment, group] of Map.groupBy(rows, (row) => row.environment)) {
    const service = await startLocalService(rowService);
    const useStack = async (stack: TestStack) => {
      await stack.configure(rowSettings);
      await stack.declare(
        Object.fromEntries(
          group.map(({ name }) => [name, { args: webhookArgs({ databaseId: name }) }]),
        ),
      );
      const values = environment?.(stack.service) ?? {};
      for (const [name, measurement] of await measureGroup(stack, group, values)) {
        measurements.set(name, measurement);
      }
      await removeForgotten(stack);
    };
    await withStack(useStack, { service });
  }
  return measurements;
}

async function run(
  { pulumi }: TestStack,
  command: "up" | "destroy",
  environment?: Readonly<Record<string, string>>,
): Promise<string> {
  const flags = ["--yes", "--skip-preview", "--continue-on-error", "--parallel", "64"];
  return (await pulumi([command, ...flags], environment)).output;
}

async function readState({ pulumi }: TestStack): Promise<ReturnType<typeof webhooksInState>> {
  return webhooksInState((await pulumi(["stack", "export", "--show-secrets"])).stdout);
}

/** What the state does not know is to fail its row, not all of them. */
async function removeForgotten(stack: TestStack): Promise<void> {
  const known = Object.values(await readState(stack)).flatMap((all) => all.map(({ id }) => id));
  for (const { id } of stack.service.webhooks) {
    if (!known.includes(String(id))) {
      stack.service.removeWebhook(id);
    }
  }
}

async function readOutcomes(
  stack: TestStack,
  rows: readonly FaultRow[],
  output: string,
): Promise<Map<string, Omit<CliMeasurement, "end">>> {
  const state = await readState(stack);
  const errors = errorsOfWebhooks(output);
  const lines = linesOfProvider(output);
  const readOutcome = (row: FaultRow): Omit<CliMeasurement, "end"> => {
    const { held, counts } = countAtService(stack.service, row);
    const stored = state[row.name] ?? [];
    const isStored = ({ id, secret }: { id: number; secret: string }) =>
      stored.some(
        (webhook) =>
          webhook.secret === secret || (webhook.secret === undefined && webhook.id === `${id}`),
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
  return rows.some((row) => row.name === name && row.outcome === "in doubt");
}
