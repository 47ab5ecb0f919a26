import { randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { type EventType, eventTypes, isEventType } from "../common/event-types.js";
import { adviceForUnknownName } from "../common/nearest-name.js";
import * as is from "./validation.js";

/** An event of a database, to be delivered to the webhooks that subscribe to it. */
export interface NewEvent {
  /** One of the nine event types; any other only with `allowUnknownEvents`. */
  readonly type: EventType | (string & {});
  /** Database of the event. */
  readonly databaseId: string;
  /** Table of the event. Default: none, and webhooks with a `tableId` do not get the event. */
  readonly tableId?: string | undefined;
  /**
   * `data` of the notification; `tableId` is added if `data` has none. Default: a sample that fits the
   * event type, in the table of the event or in a made-up one.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Identifier by which receivers detect duplicates. Default: a new one, `evt_` and random digits. */
  readonly id?: string | undefined;
}

/** An event as it is delivered. */
export interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly databaseId: string;
  readonly tableId?: string;
  /** When the event happened, in ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The schema of an event type (docs/api/README.md#event-types), in a subscription and in an event. */
export function eventTypeSchema(allowUnknownEvents: boolean) {
  const isKnown = (type: unknown) => allowUnknownEvents || isEventType(type as string);
  const isType = (type: unknown) => typeof type === "string" && type !== "";
  return z.custom((type) => isType(type) && isKnown(type), {
    error: ({ input }) =>
      isType(input) ? adviceForUnknownName(String(input), eventTypes) : "must be an event type",
  });
}

/** The schema of an event. */
export function eventSchema(allowUnknownEvents: boolean) {
  return is.fields({
    type: eventTypeSchema(allowUnknownEvents),
    databaseId: is.aNonEmptyString,
    tableId: z.optional(is.aNonEmptyString),
    data: z.optional(z.record(z.string(), z.unknown(), { error: "must be a JSON object" })),
    // The identifier is sent in the header `webhook-id`.
    id: z.optional(is.must("be 1 to 256 visible ASCII characters", isHeaderValue)),
  });
}

/** Fills in the fields that a notification needs. */
export function completeEvent(event: NewEvent): DeliveredEvent {
  const { type, databaseId, tableId, data = sampleData(type, tableId) } = event;
  return {
    id: event.id ?? newId("evt"),
    type,
    databaseId,
    ...(tableId !== undefined && { tableId }),
    timestamp: new Date().toISOString(),
    data: { ...(tableId !== undefined && { tableId }), ...data },
  };
}

/** A sample of the data of a notification, in the form that docs/api/README.md#what-the-local-service-does describes. */
function sampleData(type: string, tableId = newId("tbl")): Record<string, unknown> {
  const [subject, change] = type.split(".");
  const [recordId, fieldId] = [newId("rec"), newId("fld")];
  const records = [{ id: recordId, data: { Name: "A sample" } }];
  const field = { id: fieldId, name: "A sample", type: "text" };
  const previousField = { ...field, name: "An older name" };
  switch (subject) {
    case "record":
      return { tableId, recordIds: [recordId], ...(change !== "deleted" && { records }) };
    case "table":
      return { tableId, table: { id: tableId, name: "A sample" } };
    case "field":
      return { tableId, fieldId, field, ...(change === "updated" && { previousField }) };
    default:
      return {};
  }
}

/** A new identifier: its prefix and 96 random bits. */
function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}

function isHeaderValue(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]{1,256}$/.test(value);
}
