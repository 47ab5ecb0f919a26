import { randomBytes } from "node:crypto";
import type { EventType } from "../common/event-types.js";
import type { DeliveredEvent } from "./records.js";

/** An event of a database, to be delivered to the webhooks that subscribe to it. */
export interface NewEvent {
  /** One of the nine event types; any other only with `allowUnknownEvents`. */
  readonly type: EventType | (string & {});
  /** Database of the event. */
  readonly databaseId: string;
  /** Table of the event. Default: none, and webhooks with a `tableId` do not get the event. */
  readonly tableId?: string | undefined;
  /**
   * `data` of the notification; `tableId` is added if `data` has none. Default: a sample that fits
   * the event type, in the table of the event or in a made-up one.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Identifier by which receivers detect duplicates. Default: a new one, `evt_` and random digits.
   */
  readonly id?: string | undefined;
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

/**
 * A sample of the data of a notification, in the form that
 * docs/api/README.md#what-the-local-service-does describes.
 */
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
