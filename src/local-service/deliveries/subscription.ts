import type { StoredWebhook } from "../data/webhook-store.js";
import type { StoredEvent } from "./event.js";

/** Whether a webhook selects an event. Source: interface section 3, and section 6, rules 1 and 2. */
export function isSubscribed(
  { active, events, tableId }: StoredWebhook,
  event: StoredEvent,
): boolean {
  return active && events.includes(event.type) && (tableId === null || tableId === event.tableId);
}
