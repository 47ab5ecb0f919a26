import { randomUUID } from "node:crypto";
import type { EventType } from "../common/event-types.js";
import { eventSchema, parseBody } from "./bodies.js";
import type { LocalServiceOptions } from "./options.js";
import { createAgent, type Delivery, sendNotification } from "./send-notification.js";
import type { StoredWebhook, WebhookStore } from "./webhooks.js";

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
  /** Identifier by which receivers detect duplicates. Default: a new one, `evt_` and a UUID. */
  readonly id?: string | undefined;
}

/** An event that was emitted. */
export interface EmittedEvent {
  /** Identifier by which receivers detect duplicates. */
  readonly id: string;
  /** One for every active webhook that subscribes to the event. */
  readonly deliveries: readonly Delivery[];
}

/** Sends an event once to every webhook that subscribes to it, and waits for the outcomes. */
export type Emit = (event: NewEvent) => Promise<EmittedEvent>;

/**
 * Returns the function that emits events. It rejects with a TypeError if the event is invalid.
 *
 * @param closing Ends the deliveries in flight.
 */
export function emitterOf(
  store: WebhookStore,
  { deliverTo, allowUnknownEvents = false }: LocalServiceOptions,
  closing: AbortSignal,
): Emit {
  const schema = eventSchema(allowUnknownEvents);
  const origin = deliverTo === undefined ? undefined : new URL(deliverTo).href;
  const agent = createAgent();
  closing.addEventListener("abort", () => void agent.destroy());
  return async (given) => {
    const parsed = parseBody(schema, given);
    if ("problems" in parsed) {
      throw new TypeError(`Invalid event: ${parsed.problems.join("; ")}.`);
    }
    const event = parsed.body;
    const { id = newId("evt"), type, tableId, data = sampleData(type, tableId) } = event;
    const timestamp = new Date().toISOString();
    const notification = { id, type, timestamp, data: { tableId, ...data } };
    const subscribed = store.webhooks.filter((webhook) => subscribes(webhook, event));
    const deliveries = subscribed.map((webhook) =>
      sendNotification(notification, webhook, agent, origin),
    );
    return { id, deliveries: await Promise.all(deliveries) };
  };
}

/** Whether a webhook receives an event (docs/api/README.md#notifications). */
function subscribes(webhook: StoredWebhook, event: NewEvent): boolean {
  const { active, databaseId, events, tableId } = webhook;
  return (
    active &&
    databaseId === event.databaseId &&
    events.includes(event.type) &&
    (tableId === null || tableId === event.tableId)
  );
}

/**
 * A sample of the data of a notification (docs/api/README.md#notifications). The three events of a
 * subject have one form; an update also has the values before it.
 */
function sampleData(type: string, tableId = newId("tbl")): Record<string, unknown> {
  const [subject, change] = type.split(".");
  const [recordId, fieldId] = [newId("rec"), newId("fld")];
  const recordsWith = (name: string) => [{ id: recordId, data: { Name: name } }];
  const table = { id: tableId, name: "A sample", order: 0, primaryFieldId: fieldId };
  const field = { id: fieldId, name: "A sample", type: "single_line_text", order: 0 };
  const older = "An older sample";
  const ofUpdate = (previous: object) => (change === "updated" ? previous : {});
  switch (subject) {
    case "record": {
      const previous = ofUpdate({ previousRecords: recordsWith(older) });
      return { tableId, recordIds: [recordId], records: recordsWith("A sample"), ...previous };
    }
    case "table":
      return { tableId, table, ...ofUpdate({ previousTable: { ...table, name: older } }) };
    case "field":
      return { tableId, fieldId, field, ...ofUpdate({ previousField: { ...field, name: older } }) };
    default:
      return {};
  }
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID()}`;
}
