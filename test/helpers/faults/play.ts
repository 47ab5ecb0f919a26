import type {
  Fault,
  FaultRule,
  LocalService,
  StoredWebhook,
} from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { kindOf } from "../kind-of.js";
import { type FaultRow, outcomes } from "./row.js";

/** What was counted and read after the operation that met the fault. */
export interface Measurement {
  readonly posts: number;
  readonly gets: number;
  readonly deletes: number;
  readonly service: string;
  /** The ids of what the service held. */
  readonly heldIds: readonly number[];
  readonly state: string;
  /** The error of the operation; empty when it succeeded. */
  readonly error: string;
  /** Lines of output about the webhook. */
  readonly lines: readonly string[];
}

/** Asserts that the row ended as it says. */
export function expectRow(row: FaultRow, measured: Measurement | undefined): void {
  const { posts, gets, deletes, service, state } = row;
  expect(measured).toMatchObject({ posts, gets, deletes, service, state });

  const { isError } = outcomes[row.outcome];
  const error = measured?.error ?? "";
  const lines = measured?.lines ?? [];
  const said = isError ? error : lines.join(" ");
  expect(error !== "", error).toBe(isError);
  if (isError) {
    expect(kindOf({ message: error }), error).toBe(row.outcome);
  } else {
    expect(lines.length > 0, said).toBe(row.outcome === "already gone");
  }
  expect(said).toContain(row.outcome === "inDoubt" ? row.name : "");
  expect(said).toContain(row.names ?? "");
  if (row.isIdNamed) {
    // An address holds numbers too.
    const words = said.replace(/https?:\S+/g, "").match(/\d+/g);
    expect(words).toEqual(measured?.heldIds.map(String));
  }
}

/** Puts the faults of the rows in force; the function that it returns ends what they hold. */
export function injectFaults(
  service: LocalService,
  rows: readonly FaultRow[],
): () => Promise<void> {
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

/** Removes the webhooks of those rows whose webhook somebody else removes first. */
export function removeBefore(service: LocalService, rows: readonly FaultRow[]): void {
  for (const { databaseId, id } of service.webhooks) {
    if (rows.some(({ name, isRemovedBefore }) => name === databaseId && isRemovedBefore)) {
      service.removeWebhook(id);
    }
  }
}

/** What the service got and holds for a row. */
export function countAtService({ requests, webhooks }: LocalService, { name }: FaultRow) {
  const count = (method: string) =>
    requests.filter((request) => request.databaseId === name && request.method === method).length;
  const held: readonly StoredWebhook[] = webhooks.filter(({ databaseId }) => databaseId === name);
  return {
    held,
    counts: {
      posts: count("POST"),
      gets: count("GET"),
      deletes: count("DELETE"),
      service: countText(held.length),
      heldIds: held.map(({ id }) => id),
    },
  };
}

/** Those of the lines that name the webhook of a row. */
export function linesAbout({ name }: FaultRow, lines: readonly string[]): string[] {
  const database = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  // An address names it too, where the request is tried again.
  return lines.filter((line) => database.test(line.replace(/https?:\S+/g, "")));
}

/** What a place holds, as the rows say it. */
export function countText(count: number): string {
  return count === 0 ? "nothing" : count === 1 ? "the webhook" : `${count} webhooks`;
}
