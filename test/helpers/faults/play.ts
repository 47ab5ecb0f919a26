import type { FaultRule, LocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { kindOf } from "../kind-of.js";
import type { FaultRow } from "./rows.js";

/** What was counted and read after the operation that met the fault. */
export interface Measurement extends ReturnType<typeof countAtService> {
  readonly state: string;
  /** The error of the operation; empty when it succeeded. */
  readonly error: string;
  /** Lines of output about the webhook. */
  readonly lines: readonly string[];
}

/** Asserts that the row ended as it says. */
export function expectRow(row: FaultRow, measured: Measurement | undefined): void {
  const { name, outcome, posts, gets, deletes, service, state } = row;
  expect(measured).toMatchObject({ posts, gets, deletes, service, state });

  const { error, lines, held } = measured as Measurement;
  if (["created", "deleted", "already gone"].includes(outcome)) {
    expect(error).toBe("");
    expect(lines.length > 0, lines.join("\n")).toBe(outcome === "already gone");
    return;
  }
  expect(kindOf({ message: error }), error).toBe(outcome);
  expect(error).toContain(outcome === "inDoubt" ? name : "");
  // The name and an address hold numbers too.
  const words = error.replace(/https?:\S+/g, "").replaceAll(name, "");
  expect(row.names?.startsWith("http") ? error : words).toContain(row.names ?? "");
  if (row.isIdNamed) {
    expect(words.match(/\d+/g)).toEqual(held.map(({ id }) => String(id)));
  }
}

/** Puts the faults of the rows in force; the function that it returns ends what they hold. */
export function injectFaults(
  service: LocalService,
  rows: readonly FaultRow[],
): () => Promise<void> {
  const held = rows.filter(({ fault }) => "kind" in fault && fault.kind === "hold");
  const rules = rows.flatMap(({ name: databaseId, on, fault, times, rules = [] }) => {
    const rule: FaultRule = { on, fault, ...(times !== undefined && { times }) };
    return [rule, ...rules].map((each) => service.inject({ ...each, databaseId }));
  });
  return async () => {
    const committed = held.map(({ name: databaseId }) =>
      service.nextRequest({ databaseId, stage: "committed" }),
    );
    for (const rule of rules) {
      rule.release();
    }
    await Promise.all(committed);
  };
}

/** Removes the webhooks that somebody else removes before they are deleted, and forgets requests. */
export function prepareDeletions(service: LocalService, rows: readonly FaultRow[]): void {
  const names = rows.filter(({ isRemovedBefore }) => isRemovedBefore).map(({ name }) => name);
  for (const { id } of service.webhooks.filter(({ databaseId }) => names.includes(databaseId))) {
    service.removeWebhook(id);
  }
  service.clearRequests();
}

/** What the service got and holds for a row. */
export function countAtService({ requests, webhooks }: LocalService, { name }: FaultRow) {
  const count = (method: string) =>
    requests.filter((request) => request.databaseId === name && request.method === method).length;
  const held = webhooks.filter(({ databaseId }) => databaseId === name);
  return {
    held,
    posts: count("POST"),
    gets: count("GET"),
    deletes: count("DELETE"),
    service: ["nothing", "the webhook"][held.length] ?? `${held.length} webhooks`,
  };
}

/** What a state holds, as the rows say it, where the service holds `webhook`. */
export function stateText(
  stored: { readonly id: string; readonly secret?: unknown } | undefined,
  webhook: { readonly id: string; readonly secret: string } | undefined,
): string {
  if (stored === undefined) {
    return "nothing";
  }
  const key = stored.secret === undefined ? "id" : "secret";
  const isAnother = webhook !== undefined && stored[key] !== webhook[key];
  return `${isAnother ? "another" : "the"} webhook${key === "id" ? ", no secret" : ""}`;
}

/** Those of the lines that name the webhook of a row, other than in an address. */
export function linesAbout({ name }: FaultRow, lines: readonly string[]): string[] {
  const database = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  return lines.filter((line) => database.test(line.replace(/https?:\S+/g, "")));
}
