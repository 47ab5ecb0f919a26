// Source: part 6 of the service's interface.

/** The nine event kinds that a webhook can subscribe to. */
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

/** One of the nine event kinds in {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** Whether a text is one of the nine event kinds. */
export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text);
}
