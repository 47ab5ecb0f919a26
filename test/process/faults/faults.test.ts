import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Adapter,
  adapters,
  type RunningAdapter,
  startAdapter,
} from "../../helpers/adapters/adapters.js";
import { someArgs } from "../../helpers/builders.js";
import { kindOf } from "../../helpers/kind-of.js";
import { createWebhook } from "../../helpers/local-service.js";
import {
  createFaults,
  deleteFaults,
  type FaultRow,
  faultRulesOf,
  type Outcome,
  outcomes,
  rowSettings,
} from "./rows.js";

const rows = [...createFaults, ...deleteFaults];
const rowsEndingIn = (...ends: readonly Outcome[]) =>
  rows.filter(({ outcome }) => ends.includes(outcome));

/** What Pulumi would store after an operation, and the message of its error. */
interface Stored {
  readonly state: string;
  /** Empty if the operation succeeded. */
  readonly error: string;
}

/** What a row left behind. */
interface Result extends Stored {
  /** The methods of the requests that the service has received. */
  readonly requests: readonly string[];
  /** The ids of the webhooks that the service holds. */
  readonly heldIds: readonly number[];
  /** The lines of output that name the database outside of a URL. */
  readonly lines: readonly string[];
}

describe.each(adapters)("A fault that meets $name", (adapter) => {
  let results: ReadonlyMap<FaultRow, Result>;
  const resultOf = (row: FaultRow) => results.get(row) as Result;

  beforeAll(async () => {
    results = await playRows(adapter);
  });

  it.each(rows)("leads to as many requests as documented: $on $does", (row) => {
    expect(resultOf(row).requests).toEqual(row.requests);
  });

  it.each(rows)("leaves at the service what is documented: $on $does", (row) => {
    expect(resultOf(row).heldIds).toHaveLength(row.isHeld ? 1 : 0);
  });

  it.each(rows)("leaves in the state what is documented: $on $does", (row) => {
    expect(resultOf(row).state).toBe(outcomes[row.outcome].state);
  });

  it.each(rowsEndingIn("notCreated", "inDoubt", "undone", "partial", "notDeleted"))(
    "ends with an error of the kind $outcome: $on $does",
    (row) => {
      const { error } = resultOf(row);

      expect(kindOf({ message: error }), error).toBe(row.outcome);
      expect(error).toContain(row.errorNames ?? "");
    },
  );

  it.each(rowsEndingIn("created", "deleted"))(
    "ends without an error or a line of output: $on $does",
    (row) => {
      expect(resultOf(row)).toMatchObject({ error: "", lines: [] });
    },
  );

  it.each(rowsEndingIn("alreadyGone"))(
    "ends with a line of output and without an error: $on $does",
    (row) => {
      expect(resultOf(row)).toMatchObject({ error: "", lines: [expect.anything()] });
    },
  );

  it.each(rowsEndingIn("inDoubt"))("has an error that names the database: $does", (row) => {
    expect(resultOf(row).error.replace(/https?:\S+/g, "")).toContain(row.name);
  });

  it.each(rows.filter(({ requests }) => requests.includes("GET")))(
    "has an error that names the webhook that may be the new one: $does",
    (row) => {
      const { error, heldIds } = resultOf(row);

      const words = error.replace(/https?:\S+/g, "").replaceAll(row.name, "");
      expect(words.match(/\d+/g)?.map(Number)).toEqual(heldIds);
    },
  );
});

/** Plays all rows at once, with one process for all rows that share their environment. */
async function playRows(adapter: Adapter): Promise<ReadonlyMap<FaultRow, Result>> {
  await using service = await startLocalService({ listing: true });
  const settings = { ...rowSettings, baseUrl: service.baseUrl, apiKey: service.apiKey };
  const groups = [...Map.groupBy(rows, ({ environment }) => environment)];
  // All processes start before the first timeout counts.
  const started = await Promise.all(
    groups.map(async ([environment, rowsOfProcess]) => {
      const running = await startAdapter(adapter, settings, await environment?.(service));
      return { running, rowsOfProcess };
    }),
  );
  const played = started.map(async ({ running, rowsOfProcess }) => {
    const results = await Promise.all(
      rowsOfProcess.map(async (row) => ({
        row,
        result: await playRow({ adapter, service, running }, row),
      })),
    );
    await running[Symbol.asyncDispose]();
    return results.map(({ row, result }): [FaultRow, Result] => [
      row,
      { ...result, lines: linesAbout(row, running.lines()) },
    ]);
  });
  return new Map((await Promise.all(played)).flat());
}

interface Stage {
  readonly adapter: Adapter;
  readonly service: LocalService;
  readonly running: RunningAdapter;
}

async function playRow(stage: Stage, row: FaultRow): Promise<Omit<Result, "lines">> {
  const { service } = stage;
  const ofRow = ({ databaseId }: { databaseId?: string }) => databaseId === row.name;
  const operation =
    row.on === "POST" ? await prepareCreation(stage, row) : await prepareDeletion(stage, row);
  const requestsBefore = service.requests.filter(ofRow).length;
  const [injected] = faultRulesOf(row).map((rule) => service.inject(rule));

  const stored = await operation();

  if (row.fault?.kind === "hold") {
    const committed = service.nextRequest({ databaseId: row.name, stage: "committed" });
    injected?.release();
    await committed;
  }
  const requests = service.requests.filter(ofRow).slice(requestsBefore);
  return {
    ...stored,
    requests: requests.map(({ method }) => method),
    heldIds: service.webhooks.filter(ofRow).map(({ id }) => id),
  };
}

/** Returns a function that creates the webhook. */
async function prepareCreation({ service, running }: Stage, { name: databaseId }: FaultRow) {
  const { inputs, failures } = await running.check(someArgs({ databaseId }));
  expect(failures).toEqual([]);
  return async (): Promise<Stored> => {
    const result = await running.create(inputs);
    if ("error" in result) {
      return result.partial
        ? { state: "the webhook, no secret", error: result.partial.reasons.join(" ") }
        : { state: "nothing", error: result.error };
    }
    const held = service.webhooks.find((webhook) => webhook.databaseId === databaseId);
    return { state: held?.secret === result.secret ? "the webhook" : "another secret", error: "" };
  };
}

/** Creates a webhook, and returns a function that deletes it. */
async function prepareDeletion(
  { adapter, service, running }: Stage,
  { name: databaseId, isRemovedBefore = false }: FaultRow,
) {
  const { databaseId: _, ...body } = someArgs();
  const { json } = await createWebhook(service, { databaseId, body });
  if (isRemovedBefore) {
    service.removeWebhook(json.id);
  }
  const { baseUrl } = service;
  const state = { ...someArgs({ databaseId }), baseUrl, secret: json.secret };
  return async (): Promise<Stored> => {
    const error = await running.delete(adapter.idOf({ databaseId, id: json.id }), state);
    return { state: error === "" ? "nothing" : "the webhook", error };
  };
}

function linesAbout({ name }: FaultRow, lines: readonly string[]): string[] {
  const database = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  return lines.filter((line) => database.test(line.replace(/https?:\S+/g, "")));
}
