import { randomBytes } from "node:crypto";
import { closest } from "fastest-levenshtein";
import { type EventType, eventTypes } from "../../common/event-types.js";

/** Something that happened in a database, to be told to those who subscribed to it. */
export interface NewEvent {
  /** Event kind, one of interface section 6; any other only with `allowUnknownEvents`. */
  readonly type: EventType | (string & {});
  /** Database in which it happened. */
  readonly databaseId: string;
  /**
   * Table that it is about. Default: none, and subscriptions to one table do not hear of it. Source:
   * interface section 6, rule 1.
   */
  readonly tableId?: string | undefined;
  /**
   * `data` of the notification; `tableId` is added when it has none. Default: a made-up record, table
   * or field, whichever the event is about.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Identifier, by which receivers drop repetitions. Default: a new one, `evt_` and random digits. */
  readonly id?: string | undefined;
}

/** An event as it is stored and told. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly databaseId: string;
  readonly tableId?: string;
  /** When it happened: ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads an event that came from outside; fields that it does not know are passed over. */
export function parseEvent(
  event: unknown,
  allowUnknownEvents: boolean,
): { readonly event: NewEvent } | { readonly problems: readonly string[] } {
  if (!isObject(event)) {
    return { problems: ["the event must be a JSON object"] };
  }
  const { type, databaseId, tableId, data, id } = event;
  const problems = [
    ...problemsOfType(type, allowUnknownEvents),
    ...(isText(databaseId) ? [] : ["databaseId must be a non-empty string"]),
    ...(tableId === undefined || isText(tableId) ? [] : ["tableId must be a non-empty string"]),
    ...(data === undefined || isObject(data) ? [] : ["data must be a JSON object"]),
    // It travels in a header.
    ...(id === undefined || (isText(id) && /^[\x21-\x7e]{1,256}$/.test(id))
      ? []
      : ["id must be 1 to 256 visible ASCII characters"]),
  ];
  return problems.length > 0
    ? { problems }
    : { event: { type, databaseId, tableId, data, id } as NewEvent };
}

/** Fills in what an event needs to be told. */
export function completeEvent(event: NewEvent, happenedAt: number): StoredEvent {
  const { type, databaseId, tableId, data = sampleData(type) } = event;
  return {
    id: event.id ?? newId("evt"),
    type,
    databaseId,
    ...(tableId !== undefined && { tableId }),
    timestamp: new Date(happenedAt).toISOString(),
    data: { ...(tableId !== undefined && { tableId }), ...data },
  };
}

function problemsOfType(type: unknown, allowUnknownEvents: boolean): string[] {
  if (!isText(type)) {
    return ["type must be an event kind"];
  }
  if (allowUnknownEvents || eventTypes.some((known) => known === type)) {
    return [];
  }
  const nearest = closest(type.slice(0, 100), eventTypes);
  return [`type is not an event kind of this service; the nearest is ${nearest}`];
}

function sampleData(type: string): Record<string, unknown> {
  const [subject, verb] = type.split(".");
  switch (subject) {
    case "record": {
      const id = newId("rec");
      const records = verb === "deleted" ? {} : { records: [{ id, data: { Name: "A sample" } }] };
      return { recordIds: [id], ...records };
    }
    case "table":
      return { table: { id: newId("tbl"), name: "A sample" } };
    case "field": {
      const field = { id: newId("fld"), name: "A sample", type: "text" };
      return verb === "deleted" ? { fieldId: field.id } : { field };
    }
    default:
      return {};
  }
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
