import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.js";
import {
  countAtService,
  expectRow,
  injectFaults,
  linesAbout,
  type Measurement,
  prepareDeletions,
  stateText,
} from "../helpers/faults/play.js";
import { deleteFaults, type FaultRow, faults, rowSettings } from "../helpers/faults/rows.js";
import { createWebhook } from "../helpers/local-service.js";
import type { RunningShell, Shell } from "../helpers/shells/shell.js";
import { shells } from "../helpers/shells/shells.js";

const measured = new Map<Shell, ReadonlyMap<FaultRow, Measurement>>();

beforeAll(async () => {
  // All processes start before the first limit counts.
  const started = await Promise.all(shells.map(startProcesses));
  const played = started.map(async (parts) => measured.set(parts.shell, await playRows(parts)));
  await Promise.all(played);
});

describe.each(shells)("A fault that meets $name", (shell) => {
  it.each(faults)("ends as its row says: $on: $does: $sees", (row) => {
    expectRow(row, measured.get(shell)?.get(row));
  });
});

/** Starts a process for all rows that share their settings. */
async function startProcesses(shell: Shell) {
  const service = await startLocalService({ listing: true });
  const { baseUrl, apiKey } = service;
  const config = { ...rowSettings, "dbwebhooks:baseUrl": baseUrl, "dbwebhooks:apiKey": apiKey };
  const groups = [...Map.groupBy(faults, ({ environment }) => environment)];
  const starting = groups.map(async ([environment, rows]) => {
    return { rows, running: await shell.start(config, await environment?.(service)) };
  });
  return { shell, service, groups: await Promise.all(starting) };
}

/** Plays all rows at once. */
async function playRows({ shell, service, groups }: Awaited<ReturnType<typeof startProcesses>>) {
  const { databaseId: _, ...body } = someArgs();
  for (const { name: databaseId } of deleteFaults) {
    await createWebhook(service, { databaseId, body });
  }
  const created = new Map(service.webhooks.map((webhook) => [webhook.databaseId, webhook]));
  prepareDeletions(service, deleteFaults);

  const play = async ({ name, on }: FaultRow, running: RunningShell): Promise<Played> => {
    const args = someArgs({ databaseId: name });
    if (on === "DELETE") {
      const webhook = created.get(name);
      const state = { ...args, baseUrl: service.baseUrl, secret: webhook?.secret };
      const { error = "" } = await running.delete(webhook ? shell.idOf(webhook) : "", state);
      return { state: error === "" ? "nothing" : "the webhook", error };
    }
    const { inputs, failures } = await running.check(args);
    expect(failures).toEqual([]);
    const result = await running.create(inputs);
    const webhook = service.webhooks.find(({ databaseId }) => databaseId === name);
    const atService = webhook && { id: shell.idOf(webhook), secret: webhook.secret };
    return "error" in result
      ? {
          state: stateText(result.partial, atService),
          error: result.partial?.reasons.join(" ") ?? result.error,
        }
      : { state: stateText(result, atService), error: "" };
  };
  const played = groups.map(async ({ rows, running }) => {
    const release = injectFaults(service, rows);
    const results = await Promise.all(rows.map((row) => play(row, running)));
    await release();
    await running[Symbol.asyncDispose]();
    return rows.map((row, at): [FaultRow, Measurement] => {
      const lines = linesAbout(row, running.lines());
      return [row, { ...countAtService(service, row), ...(results[at] as Played), lines }];
    });
  });
  const measurements = new Map((await Promise.all(played)).flat());
  await service.close();
  return measurements;
}

/** What one operation came to; the state is what the engine would store. */
type Played = Pick<Measurement, "state" | "error">;
