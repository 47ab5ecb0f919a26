/** The nine event types that a webhook can subscribe to (docs/api/README.md#event-types). */
export const eventTypes = [
  /** New records are added. */
  "record.created",
  /** Existing records are modified. */
  "record.updated",
  /** Records are deleted. */
  "record.deleted",
  /** New tables are added. */
  "table.created",
  /** Table properties change. */
  "table.updated",
  /** Tables are deleted. */
  "table.deleted",
  /** New fields are added. */
  "field.created",
  /** Field properties change. */
  "field.updated",
  /** Fields are deleted. */
  "field.deleted",
] as const;

/** One of the nine event types in {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** Sorts events and drops duplicates: neither has a meaning (docs/api/README.md#events). */
export function sortEvents(events: readonly string[]): readonly string[] {
  return [...new Set(events)].sort();
}

/** Whether a text is one of the nine event types. */
export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text);
}
