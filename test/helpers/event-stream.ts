import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";

/** A stream of events that never rests. */
export interface EventStream extends Disposable {
  /** Ends the stream, and waits until every delivery is over. All events, in order. */
  end(): Promise<readonly EmittedEvent[]>;
}

/** Lets 250 events a second happen in a database; a late timer is not made up for. */
export function startEventStream(service: LocalService, databaseId: string): EventStream {
  const events: EmittedEvent[] = [];
  const emitFive = () => {
    for (let count = 0; count < 5; count++) {
      events.push(service.emit({ type: "record.created", databaseId }));
    }
  };
  const timer = setInterval(emitFive, 20);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(events.map(({ finished }) => finished));
      return events;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
