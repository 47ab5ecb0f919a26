import {
  type FaultRule,
  type LocalService,
  startLocalService,
} from "pulumi-dbwebhooks/local-service";
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
import { createFaults, deleteFaults, type FaultRow, rowSettings } from "./rows.js";

const rows = [...createFaults, ...deleteFaults];
const failing = rows.filter(({ outcome }) => !/^(created|deleted|already gone)$/.test(outcome));

/** What a row left behind. */
interface Result {
  readonly posts: number;
  readonly gets: number;
  readonly deletes: number;
  readonly service: string;
  readonly state: string;
  /** The message of the error; empty if the operation succeeded. */
  readonly error: string;
  /** The lines of output that name the database. */
  readonly lines: readonly string[];
  /** The ids of the webhooks that the service holds. */
  readonly heldIds: readonly string[];
}

describe.each(adapters)("A fault that meets $name", (adapter) => {
  let results: ReadonlyMap<FaultRow, Result>;
  const resultOf = (row: FaultRow) => results.get(row) as Result;

  beforeAll(async () => {
    results = await playRows(adapter);
  });

  it.each(rows)("leaves $service at the service, $state in the state: $on: $does: $sees", (row) => {
    const { posts, gets, deletes, service, state } = row;

    expect(resultOf(row)).toMatchObject({ posts, gets, deletes, service, state });
  });

  it.each(failing)("ends with an error of the kind $outcome: $on: $does: $sees", (row) => {
    const { error } = resultOf(row);

    expect(kindOf({ message: error }), error).toBe(row.outcome);
    expect(error).toContain(row.errorNames ?? "");
  });

  it.each(rows.filter((row) => !failing.includes(row)))(
    "ends without an error: $on: $does: $sees",
    (row) => {
      expect(resultOf(row).error).toBe("");
    },
  );

  it.each(rows.filter(({ outcome }) => /^(created|deleted)$/.test(outcome)))(
    "writes no line of output: $on: $does: $sees",
    (row) => {
      expect(resultOf(row).lines).toEqual([]);
    },
  );

  it.each(rows.filter(({ outcome }) => outcome === "already gone"))(
    "writes a line of output: $on: $does: $sees",
    (row) => {
      expect(resultOf(row).lines).toHaveLength(1);
    },
  );

  it.each(rows.filter(({ outcome }) => outcome === "inDoubt"))(
    "names the database: $on: $does: $sees",
    (row) => {
      expect(resultOf(row).error.replace(/https?:\S+/g, "")).toContain(row.name);
    },
  );

  it.each(rows.filter(({ isIdNamed }) => isIdNamed))(
    "names the webhook that may be the new one: $on: $does: $sees",
    (row) => {
      const { error, heldIds } = resultOf(row);

      const words = error.replace(/https?:\S+/g, "").replaceAll(row.name, "");
      expect(words.match(/\d+/g)).toEqual(heldIds);
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
      rowsOfProcess.map((row) => playRow({ adapter, service, running }, row)),
    );
    await running[Symbol.asyncDispose]();
    return rowsOfProcess.map((row, at): [FaultRow, Result] => {
      const lines = linesAbout(row, running.lines());
      return [row, { ...(results[at] as Omit<Result, "lines">), lines }];
    });
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
  const { name: databaseId, on } = row;
  const operation =
    on === "POST" ? await prepareCreation(stage, row) : await prepareDeletion(stage, row);
  const requestsBefore = service.requests.filter((request) => request.databaseId === databaseId);
  const rules = [...faultOf(row), ...(row.furtherRules ?? [])];
  const injected = rules.map((rule) => service.inject({ ...rule, databaseId }));

  const { state, error } = await operation();

  if (row.fault?.kind === "hold") {
    const committed = service.nextRequest({ databaseId, stage: "committed" });
    injected[0]?.release();
    await committed;
  }
  const requests = service.requests
    .filter((request) => request.databaseId === databaseId)
    .slice(requestsBefore.length);
  const count = (method: string) => requests.filter((request) => request.method === method).length;
  const held = service.webhooks.filter((webhook) => webhook.databaseId === databaseId);
  return {
    posts: count("POST"),
    gets: count("GET"),
    deletes: count("DELETE"),
    service: ["nothing", "the webhook"][held.length] ?? `${held.length} webhooks`,
    state,
    error,
    heldIds: held.map(({ id }) => String(id)),
  };
}

function faultOf({ on, fault, times }: FaultRow): FaultRule[] {
  return fault ? [{ on, fault, ...(times !== undefined && { times }) }] : [];
}

/** Returns a function that creates the webhook; its result has what Pulumi would store. */
async function prepareCreation({ service, running }: Stage, { name: databaseId }: FaultRow) {
  const { inputs, failures } = await running.check(someArgs({ databaseId }));
  expect(failures).toEqual([]);
  return async () => {
    const result = await running.create(inputs);
    const secretAtService = service.webhooks.find((one) => one.databaseId === databaseId)?.secret;
    if (!("error" in result)) {
      const isSame = [undefined, result.secret].includes(secretAtService);
      return { state: isSame ? "the webhook" : "another secret", error: "" };
    }
    return result.partial
      ? { state: "the webhook, no secret", error: result.partial.reasons.join(" ") }
      : { state: "nothing", error: result.error };
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
  return async () => {
    const error = await running.delete(adapter.idOf({ databaseId, id: json.id }), state);
    return { state: error === "" ? "nothing" : "the webhook", error };
  };
}

/** The lines that name the database of a row outside of a URL. */
function linesAbout({ name }: FaultRow, lines: readonly string[]): string[] {
  const database = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  return lines.filter((line) => database.test(line.replace(/https?:\S+/g, "")));
}
