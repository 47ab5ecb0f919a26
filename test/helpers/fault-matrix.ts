import type { Fault, FaultRule, LocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { errorsOfWebhooks, linesOfProvider, webhooksInState } from "./cli-output.mjs";
import { type TestStack, webhookArgs, withStack } from "./stack.js";

/** What a fault leads to. Counts are 0, places hold nothing and nothing is said unless given. */
export interface RowOutcome {
  readonly posts?: number;
  readonly deletes?: number;
  /** What the service holds afterwards. */
  readonly service?: "nothing" | "the webhook";
  /** What the state holds afterwards. */
  readonly state?: "the webhook" | "the webhook, no secret";
  /** Part of what the CLI prints about the webhook. */
  readonly says?: string | RegExp | ((name: string) => string);
}

/** One thing that goes wrong with one webhook. */
export interface FaultRow extends RowOutcome {
  /** Its resource and its database; unique in its table. */
  readonly name: string;
  /** What the service does, for the table. */
  readonly does: string;
  /** What arrives at the client, for the table. */
  readonly sees: string;
  readonly on: "POST" | "DELETE";
  readonly fault: FaultRule["fault"];
  /** Requests that meet the fault. Default: all. */
  readonly times?: number | undefined;
  /** Further rules for the row. */
  readonly more?: readonly FaultRule[];
  /** Whether somebody else removes the webhook first. */
  readonly isRemovedBefore?: boolean;
  /** Settings under which the fault is met. Rows that share them share a command. */
  readonly environment?: (service: LocalService) => Readonly<Record<string, string>>;
}

/** What was counted and read after the command that met the fault. */
export interface Measurement {
  readonly posts: number;
  readonly deletes: number;
  readonly service: string;
  readonly state: string;
  /** All that the CLI said about the webhook. */
  readonly message: string;
  /** What the state holds at last, the fault being over. */
  readonly end: string;
  /** Webhooks that the service holds and neither the state nor an error accounts for. */
  readonly forgotten: number;
}

/** Settings that are a fault themselves. */
export const otherwise = {
  unreachable: () => ({
    DBWEBHOOKS_BASE_URL: "http://127.0.0.1:1",
    DBWEBHOOKS_RETRY_SECONDS: "1",
  }),
  noTls: ({ baseUrl }: LocalService) => ({
    DBWEBHOOKS_BASE_URL: baseUrl.replace("http:", "https:"),
    DBWEBHOOKS_RETRY_SECONDS: "1",
  }),
  noRetries: () => ({ DBWEBHOOKS_RETRY_SECONDS: "0" }),
};

const settings = {
  "dbwebhooks:timeoutSeconds": "3",
  "dbwebhooks:retrySeconds": "15",
  "dbwebhooks:maxConcurrentRequests": "64",
};

type Measurements = Map<string, Measurement>;

/** Creates a webhook for each row in one `pulumi up`, and repairs as the errors say in a second. */
export function measureCreations(rows: readonly FaultRow[]): Promise<Measurements> {
  return measure(rows, async (stack, group, environment) => {
    const { service } = stack;
    const release = inject(service, group);
    const before = await run(stack, "up", environment);
    await release();
    const outcomes = await readOutcomes(stack, group, before);
    service.clearFaults();
    for (const { databaseId, id } of service.webhooks) {
      if (outcomes.get(databaseId)?.message.includes("A webhook may exist")) {
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
    for (const { databaseId, id } of service.webhooks) {
      if (group.some(({ name, isRemovedBefore }) => name === databaseId && isRemovedBefore)) {
        service.removeWebhook(id);
      }
    }
    service.clearRequests();
    const release = inject(service, group);
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
    await withStack(async (stack) => {
      await stack.configure(settings);
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
    });
  }
  return measurements;
}

/** Puts the faults in force; the function that it returns ends what they hold. */
function inject(service: LocalService, rows: readonly FaultRow[]): () => Promise<void> {
  const held: string[] = [];
  const rules = rows.flatMap(({ name: databaseId, on, fault, times, more = [] }) => {
    if ([fault].flat().some(({ kind }: Fault) => kind === "hold")) {
      held.push(databaseId);
    }
    const rule: FaultRule = { on, fault, ...(times !== undefined && { times }) };
    return [rule, ...more].map((each) => service.inject({ ...each, databaseId }));
  });
  return async () => {
    const committed = held.map((databaseId) =>
      service.nextRequest({ databaseId, stage: "committed" }),
    );
    for (const rule of rules) {
      rule.release();
    }
    await Promise.all(committed);
  };
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

type Outcome = Omit<Measurement, "end">;

async function readOutcomes(
  stack: TestStack,
  rows: readonly FaultRow[],
  output: string,
): Promise<Map<string, Outcome>> {
  const { requests, webhooks } = stack.service;
  const state = await readState(stack);
  const errors = errorsOfWebhooks(output);
  const lines = linesOfProvider(output);
  const readOutcome = (name: string): Outcome => {
    const count = (method: string) =>
      requests.filter((request) => request.databaseId === name && request.method === method).length;
    const held = webhooks.filter(({ databaseId }) => databaseId === name);
    const stored = state[name] ?? [];
    const said = [
      ...(errors[name] ?? []),
      ...lines.filter((line) => line.includes(`database ${name} `)),
    ];
    const message = said.join(" ");
    const isAccounted = ({ id, secret }: { id: number; secret: string }) =>
      message.includes(`A webhook may exist in database ${name} `) ||
      stored.some(
        (webhook) =>
          webhook.secret === secret || (webhook.secret === undefined && webhook.id === `${id}`),
      );
    return {
      posts: count("POST"),
      deletes: count("DELETE"),
      service: textOf(held.length, ""),
      state: textOf(stored.length, stored.every(({ secret }) => secret) ? "" : ", no secret"),
      message,
      forgotten: held.filter((webhook) => !isAccounted(webhook)).length,
    };
  };
  return new Map(rows.map(({ name }) => [name, readOutcome(name)]));
}

function textOf(count: number, addition: string): string {
  return count === 0 ? "nothing" : count === 1 ? `the webhook${addition}` : `${count} webhooks`;
}
