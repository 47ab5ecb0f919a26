import * as z from "zod/mini";
import { type EventType, eventTypes, isEventType } from "../../common/event-types.js";
import { nearestName } from "../../common/nearest-name.js";
import { type Checked, check } from "../problems.js";
import { newId, sampleData } from "./sample-data.js";

/** An event of a database, to be delivered to the webhooks that select it. */
export interface NewEvent {
  /** Event kind, one of the nine; any other only with `allowUnknownEvents`. */
  readonly type: EventType | (string & {});
  /** Database of the event. */
  readonly databaseId: string;
  /**
   * Table of the event. Default: none, and webhooks with a `tableId` do not get it.
   */
  readonly tableId?: string | undefined;
  /**
   * `data` of the notification; `tableId` is added when it has none. Default: a sample of what the
   * event is about, in the table of the event or in a made-up one.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Identifier, by which receivers recognise repetitions. Default: a new one, `evt_` and random digits.
   */
  readonly id?: string | undefined;
}

/** An event as it is stored and delivered. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly databaseId: string;
  readonly tableId?: string;
  /** When it happened: ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns a function that checks an event. It ignores unknown fields. */
export function eventReader(allowUnknownEvents: boolean): (event: unknown) => Checked<NewEvent> {
  const schema = newEvent(allowUnknownEvents);
  return (event) => check(schema, event);
}

/** Fills in the fields that a delivery needs. */
export function completeEvent(event: NewEvent, happenedAt: number): StoredEvent {
  const { type, databaseId, tableId, data = sampleData(type, tableId) } = event;
  return {
    id: event.id ?? newId("evt"),
    type,
    databaseId,
    ...(tableId !== undefined && { tableId }),
    timestamp: new Date(happenedAt).toISOString(),
    data: { ...(tableId !== undefined && { tableId }), ...data },
  };
}

const newEvent = (allowUnknownEvents: boolean) =>
  z.object(
    {
      type: text("must be an event kind").check(
        z.refine((type) => allowUnknownEvents || isEventType(type), {
          error: ({ input }) =>
            `is not an event kind of this service; the nearest is ${nearestName(String(input), eventTypes)}`,
        }),
      ),
      databaseId: text("must be a non-empty string"),
      tableId: z.optional(text("must be a non-empty string")),
      data: z.optional(z.looseObject({}, "must be a JSON object")),
      id: z.optional(headerValue("must be 1 to 256 visible ASCII characters")),
    },
    "the event must be a JSON object",
  );

function text(message: string) {
  return z.string(message).check(z.minLength(1, { error: message, abort: true }));
}

/** The identifier travels in a header. */
function headerValue(message: string) {
  return z.string(message).check(z.regex(/^[\x21-\x7e]{1,256}$/, message));
}
