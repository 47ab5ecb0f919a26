import { shownValue } from "../../common/plain-text.js";
import type { DatabaseList, WebhookRow } from "./comparison.js";

const head = ["DATABASE", "ID", "URL", "EVENTS", "TABLE", "ACTIVE"];
// A longer cell moves the rest of its own row alone.
const maxWidth = 60;

/**
 * Formats lists as a table, which is empty if none of them could be read.
 *
 * @param hasStates Whether the resources that have the webhooks are known.
 */
export function tableOf(lists: readonly DatabaseList<WebhookRow>[], hasStates: boolean): string {
  if (lists.every(({ error }) => error !== undefined)) {
    return "";
  }
  const rows = lists.flatMap(({ databaseId, webhooks = [] }) =>
    webhooks.map((row) => [databaseId, ...cellsOf(row), ...(hasStates ? [holdersText(row)] : [])]),
  );
  const table = [hasStates ? [...head, "RESOURCE"] : head, ...rows];
  const widths = head.map((_, at) =>
    table.reduce((width, cells) => Math.max(width, Math.min(cells[at]?.length ?? 0, maxWidth)), 0),
  );
  const lines = table.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)));
  return lines.map((cells) => `${cells.join("  ").trimEnd()}\n`).join("");
}

function cellsOf({ id, listed }: WebhookRow): string[] {
  switch (listed) {
    case "missing":
      return [id, "not listed", "", "", ""];
    case "unknown":
      return [id, "unknown (the list may be a part, or older)", "", "", ""];
    default: {
      const { url, events, tables, active } = listed;
      return [id, url, events.join(","), tablesText(tables), active ? "on" : "off"];
    }
  }
}

/** A list need not show the tables. */
function tablesText(tables: readonly string[] | undefined): string {
  if (tables === undefined) {
    return "?";
  }
  return tables.length === 0 ? "all" : tables.join(",");
}

function holdersText({ holders, isUnmanaged }: WebhookRow): string {
  if (holders.length === 0) {
    return isUnmanaged ? "-" : "?";
  }
  const texts = holders.map(({ urn, address, isPendingDeletion, isElsewhere }) => {
    const deletion = isPendingDeletion ? " (pending deletion)" : "";
    return `${urn}${deletion}${isElsewhere ? ` (at ${shownValue(address.baseUrl)})` : ""}`;
  });
  return texts.join(", ");
}
