import type { Fault } from "pulumi-dbwebhooks/local-service";
import { type FaultRow, outcomes, type RowOutcome } from "./row.js";

/** Nothing is sent, and nothing is there: what ends otherwise says in what. */
export const nothing = {
  posts: 0,
  gets: 0,
  deletes: 0,
  service: "nothing",
  state: "nothing",
} as const;

/** The webhook is there, at the service and in the state. */
export const webhook = { service: "the webhook", state: "the webhook" } as const;

/** The body of an error as the interface shows it. */
export const envelope = { error: { code: "SOME_CODE", message: "The service's own words." } };

/** What a proxy answers in place of the service. */
export const page = "<!doctype html><title>Sign in</title>";

/** The same, as a fault. */
export const pageFault: Fault = {
  kind: "respond",
  statusCode: 200,
  body: page,
  headers: { "content-type": "text/html" },
};

/** More seconds than anybody waits. */
export const aYear = String(365 * 86_400);

/** An answer with a status before anything takes effect, each time; an error has to name the status. */
export function statusRow(
  on: FaultRow["on"],
  statusCode: number,
  outcome: RowOutcome,
  body: unknown = envelope,
): FaultRow {
  return {
    on,
    name: `status-${statusCode}`,
    does: `answers ${statusCode}`,
    sees: `${statusCode}`,
    fault: { kind: "respond", statusCode, body },
    ...(outcomes[outcome.outcome].isError && { names: ` ${statusCode}` }),
    ...outcome,
  };
}

/** The same, the first time only, with a `Retry-After` of this name. */
export function statusOnceRow(
  on: FaultRow["on"],
  statusCode: number,
  outcome: RowOutcome,
  { name = "", value }: { readonly name?: string; readonly value?: string } = {},
): FaultRow {
  const text = name === "" ? `${statusCode}` : `${statusCode}, ${name} \`Retry-After\``;
  const headers = value === undefined ? {} : { "retry-after": value };
  return {
    on,
    name: `once-${statusCode}${name && "-"}${name.replaceAll(" ", "-")}`,
    does: `answers ${text}, once`,
    sees: text,
    fault: { kind: "respond", statusCode, body: envelope, headers },
    times: 1,
    ...outcome,
  };
}

/** An answer that takes its time, within the limit. */
export function lateRow(on: FaultRow["on"], sees: string, outcome: RowOutcome): FaultRow {
  return {
    on,
    name: "late",
    does: "answers late, within the limit",
    sees,
    fault: { kind: "delay", ms: 300 },
    ...outcome,
  };
}

/** A redirect, which an error has to name and nothing may follow. */
export function redirectRow(on: FaultRow["on"], outcome: RowOutcome): FaultRow {
  return {
    on,
    name: "redirect",
    does: "answers 301 to another host",
    sees: "301",
    fault: {
      kind: "respond",
      statusCode: 301,
      headers: { location: "https://elsewhere.example/api" },
    },
    ...outcome,
    names: "https://elsewhere.example",
  };
}
