/** The nine event types that a webhook can subscribe to (docs/api/README.md#event-types). */
export const eventTypes = [
  "record.created",
  "record.updated",
  "record.deleted",
  "table.created",
  "table.updated",
  "table.deleted",
  "field.created",
  "field.updated",
  "field.deleted",
] as const;

/** One of the nine event types in {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** Whether a text is one of the nine event types. */
export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text);
}
