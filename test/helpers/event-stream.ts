import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";

/** A stream of events that never rests. */
export interface EventStream extends Disposable {
  /** Ends the stream, and waits until every delivery is over. All events, in order. */
  end(): Promise<readonly EmittedEvent[]>;
}

const eventsAtOnce = 5;
const intervalMs = 20;

/**
 * Lets events happen in a database from now on: 250 a second. A late timer is not made up for, so a
 * busy machine gets fewer events and not a longer queue.
 */
export function startEventStream(service: LocalService, databaseId: string): EventStream {
  const events: EmittedEvent[] = [];
  const timer = setInterval(() => {
    for (let count = 0; count < eventsAtOnce; count++) {
      events.push(service.emit({ type: "record.created", databaseId }));
    }
  }, intervalMs);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(events.map(({ finished }) => finished));
      return events;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
