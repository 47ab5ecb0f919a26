import type { Fault } from "pulumi-dbwebhooks/local-service";
import { type FaultRow, outcomes, type RowOutcome } from "./row.js";

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
