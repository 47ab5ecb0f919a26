import { shownValue } from "../common/redact.js";
import type { Properties } from "./state.js";
import { isUnknown } from "./values.js";

/** Says what a webhook of one table will never hear, when it selects events of tables only. */
export function tableEventsHint({ tableId, events }: Properties): string | undefined {
  const isOfTables = (event: unknown) => String(event).startsWith("table.");
  if (typeof tableId !== "string" || isUnknown([tableId, events]) || !Array.isArray(events)) {
    return undefined;
  }
  return events.every(isOfTables)
    ? `A webhook of table ${shownValue(tableId)} selects events of tables only (${events.map((event) => shownValue(event)).join(", ")}): it hears of this one table, which exists already, and of no other. Leave tableId out to hear of all tables.`
    : undefined;
}
