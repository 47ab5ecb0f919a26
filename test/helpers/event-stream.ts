import type { EmittedEvent, LocalService } from "pulumi-dbwebhooks/local-service";

/** Lets 250 events a second happen in a database; a late timer is not made up for. */
export function startEventStream(service: LocalService, databaseId: string) {
  const events: EmittedEvent[] = [];
  const timer = setInterval(() => {
    for (let count = 0; count < 5; count++) {
      events.push(service.emit({ type: "record.created", databaseId }));
    }
  }, 20);
  return {
    /** Ends the stream, and waits until every delivery is over. All events, in order. */
    end: async (): Promise<readonly EmittedEvent[]> => {
      clearInterval(timer);
      await Promise.all(events.map(({ finished }) => finished));
      return events;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
