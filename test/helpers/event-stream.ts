import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";

/** A stream of events that never rests. */
export interface EventStream extends Disposable {
  /** Ends the stream, and waits until every delivery is over. All events, in order. */
  end(): Promise<readonly EmittedEvent[]>;
}

const eventsPerSecond = 250;

/** Lets events happen in a database, at {@link eventsPerSecond} from now on. */
export function startEventStream(service: LocalService, databaseId: string): EventStream {
  const events: EmittedEvent[] = [];
  const startedAt = performance.now();
  // Made up for when the timer comes late, so that the rate holds on a busy machine.
  const catchUp = () => {
    const due = ((performance.now() - startedAt) / 1000) * eventsPerSecond;
    while (events.length < due) {
      events.push(service.emit({ type: "record.created", databaseId }));
    }
  };
  const timer = setInterval(catchUp, 4);
  return {
    end: async () => {
      clearInterval(timer);
      catchUp();
      await Promise.all(events.map(({ finished }) => finished));
      return events;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
