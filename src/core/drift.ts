import type { ListedWebhook } from "../service/bodies.js";
import { normalizeEvents } from "./values.js";

/** What is compared of a webhook. */
export interface WebhookShape {
  readonly url?: unknown;
  readonly events?: unknown;
  readonly tableId?: unknown;
}

/** The properties in which a listed webhook differs, with the values that it has. */
export function driftOf(listed: ListedWebhook, state: WebhookShape): Record<string, unknown> {
  const events = normalizeEvents(listed.events);
  const drift: Record<string, unknown> = {};
  if (!isSameUrl(listed.url, state.url)) {
    drift.url = listed.url;
  }
  if (JSON.stringify(events) !== JSON.stringify(normalizeEvents(state.events))) {
    drift.events = events;
  }
  const tableId = tableIdOf(listed);
  if (tableId !== (state.tableId ?? undefined)) {
    drift.tableId = tableId;
  }
  return drift;
}

/**
 * The table of a listed webhook. Several tables are nothing that a program can declare: the text only
 * shows them. An empty list names no table; taken for a change, every update would replace the webhook.
 */
function tableIdOf({ tableIds }: ListedWebhook): string | undefined {
  return tableIds?.join(", ") || undefined;
}

/** Whether two texts are the same URL; services also store `https://a.example` with a `/` behind it. */
function isSameUrl(listed: string, stored: unknown): boolean {
  const areUrls = typeof stored === "string" && URL.canParse(stored) && URL.canParse(listed);
  return areUrls ? new URL(stored).href === new URL(listed).href : listed === stored;
}
