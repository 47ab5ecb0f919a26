import { Agent } from "undici";
import { eventSchema, validateBody } from "./bodies.js";
import { completeEvent, type NewEvent } from "./events.js";
import type { LocalServiceOptions } from "./options.js";
import type { DeliveredEvent, EmittedEvent, StoredWebhook } from "./records.js";
import { sendNotification, timeoutSeconds } from "./send-notification.js";

/** Delivers events to receivers, each once to every webhook. */
export class Deliveries {
  readonly #webhooks: ReadonlyMap<number, StoredWebhook>;
  readonly #deliverTo: string | undefined;
  readonly #eventSchema: ReturnType<typeof eventSchema>;
  // `sendNotification` has the timeout. Those of undici for a response are off, and that for
  // connecting, 10 s by default, must not be shorter.
  readonly #agent = new Agent({
    connect: { timeout: timeoutSeconds * 1000 },
    headersTimeout: 0,
    bodyTimeout: 0,
    // The environment can switch on this experimental parser, which the build leaves out.
    useMilo: false,
  });

  constructor(
    webhooks: ReadonlyMap<number, StoredWebhook>,
    { deliverTo, allowUnknownEvents = false }: LocalServiceOptions,
  ) {
    this.#webhooks = webhooks;
    this.#deliverTo = deliverTo === undefined ? undefined : new URL(deliverTo).href;
    this.#eventSchema = eventSchema(allowUnknownEvents);
  }

  /** Returns the problems of an event. */
  validateNewEvent(event: unknown): readonly string[] {
    return validateBody(this.#eventSchema, event);
  }

  /** Sends a valid event to every webhook that subscribes to it, and waits for the outcomes. */
  async emit(newEvent: NewEvent): Promise<EmittedEvent> {
    const event = completeEvent(newEvent);
    const webhooks = [...this.#webhooks.values()].filter((webhook) => subscribes(webhook, event));
    const deliver = (webhook: StoredWebhook) =>
      sendNotification(event, webhook, this.#agent, this.#deliverTo);
    return { ...event, deliveries: await Promise.all(webhooks.map(deliver)) };
  }

  /** Ends the deliveries in flight. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Whether a webhook receives an event (docs/api/README.md#notifications). */
function subscribes(webhook: StoredWebhook, event: DeliveredEvent): boolean {
  const { active, databaseId, events, tableId } = webhook;
  return (
    active &&
    databaseId === event.databaseId &&
    events.includes(event.type) &&
    (tableId === null || tableId === event.tableId)
  );
}
