import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.js";
import { createFaults } from "../helpers/faults/create-faults.js";
import { deleteFaults } from "../helpers/faults/delete-faults.js";
import {
  countAtService,
  expectRow,
  injectFaults,
  linesAbout,
  type Measurement,
  removeBefore,
} from "../helpers/faults/play.js";
import { type FaultRow, rowService, rowSettings } from "../helpers/faults/row.js";
import type { CreateResult, RunningShell, Shell } from "../helpers/shells/shell.js";
import { shells } from "../helpers/shells/shells.js";

/** What one operation on the webhook of a row came to. */
type Played = Pick<Measurement, "state" | "error">;

type Created = Exclude<CreateResult, { readonly error: string }>;

describe.each(shells)("A creation through $name", (shell) => {
  let measurements: ReadonlyMap<string, Measurement>;

  beforeAll(async () => {
    await using service = await startLocalService(rowService);
    measurements = await play(createFaults, service, shell, async (row, running) => {
      const { inputs, failures } = await running.check(someArgs({ databaseId: row.name }));
      expect(failures).toEqual([]);
      const result = await running.create(inputs);
      const [webhook] = countAtService(service, row).held;
      return storedOf(result, webhook && { ...webhook, id: shell.idOf(webhook) });
    });
  });

  it.each(createFaults)("ends as its row says: $name", (row) => {
    expectRow(row, measurements.get(row.name));
  });
});

describe.each(shells)("A deletion through $name", (shell) => {
  let measurements: ReadonlyMap<string, Measurement>;

  beforeAll(async () => {
    await using service = await startLocalService(rowService);
    const created = await createAll(deleteFaults, service, shell);
    removeBefore(service, deleteFaults);
    service.clearRequests();
    measurements = await play(deleteFaults, service, shell, async ({ name }, running) => {
      const { id, state } = created.get(name) as Created;
      const { error = "" } = await running.delete(id, state);
      return { state: error === "" ? "nothing" : "the webhook", error };
    });
  });

  it.each(deleteFaults)("ends as its row says: $name", (row) => {
    expectRow(row, measurements.get(row.name));
  });
});

/** Plays all rows at once, in one process for all that share their settings. */
async function play(
  rows: readonly FaultRow[],
  service: LocalService,
  shell: Shell,
  operate: (row: FaultRow, running: RunningShell) => Promise<Played>,
): Promise<ReadonlyMap<string, Measurement>> {
  const groups = [...Map.groupBy(rows, (row) => row.environment)];
  const measured = groups.map(async ([environment, group]) => {
    const running = await shell.start(configOf(service), await environment?.(service));
    const played = await (async () => {
      await using _ = running;
      const release = injectFaults(service, group);
      const results = await Promise.all(group.map((row) => operate(row, running)));
      await release();
      return results;
    })();
    return group.map((row, at): [string, Measurement] => {
      const { counts } = countAtService(service, row);
      const lines = linesAbout(row, running.lines());
      return [row.name, { ...counts, ...(played[at] as Played), lines }];
    });
  });
  return new Map((await Promise.all(measured)).flat());
}

async function createAll(
  rows: readonly FaultRow[],
  service: LocalService,
  shell: Shell,
): Promise<ReadonlyMap<string, CreateResult>> {
  await using running = await shell.start(configOf(service));
  const created = rows.map(async ({ name }): Promise<[string, CreateResult]> => {
    return [name, await running.create(someArgs({ databaseId: name }))];
  });
  return new Map(await Promise.all(created));
}

/** What the engine would store, given what the service holds. */
function storedOf(
  result: CreateResult,
  webhook: { readonly id: string; readonly secret: string } | undefined,
): Played {
  if (!("error" in result)) {
    return {
      state: result.secret === webhook?.secret ? "the webhook" : "another webhook",
      error: "",
    };
  }
  const { error, partial } = result;
  if (partial === undefined) {
    return { state: "nothing", error };
  }
  const isHeld = partial.id === webhook?.id;
  return {
    state: isHeld ? "the webhook, no secret" : "another webhook, no secret",
    error: partial.reasons.join(" "),
  };
}

function configOf({ baseUrl, apiKey }: LocalService): Record<string, string> {
  return { ...rowSettings, "dbwebhooks:baseUrl": baseUrl, "dbwebhooks:apiKey": apiKey };
}
