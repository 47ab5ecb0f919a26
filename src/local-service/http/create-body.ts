import { eventTypes } from "../../common/event-types.js";

/** The fields of a creation (interface section 4.1), as stored. */
export interface CreateBody {
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId: string | null;
}

/** Reads the body of a creation; fields that the interface does not name are passed over. */
export function parseCreateBody(
  body: unknown,
  allowUnknownEvents: boolean,
): { readonly webhook: CreateBody } | { readonly problems: readonly string[] } {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { problems: ["the body must be a JSON object"] };
  }
  const { url, events, tableId } = body as Record<string, unknown>;
  const problems = [
    ...problemsOfUrl(url),
    ...problemsOfEvents(events, allowUnknownEvents),
    ...problemsOfTableId(tableId),
  ];
  if (problems.length > 0) {
    return { problems };
  }
  return {
    webhook: {
      url: url as string,
      events: [...new Set(events as string[])],
      tableId: (tableId as string | undefined) ?? null,
    },
  };
}

function problemsOfUrl(url: unknown): string[] {
  if (typeof url === "string" && /^https?:\/\//i.test(url) && URL.canParse(url)) {
    return [];
  }
  return ["url must be an absolute http or https URL"];
}

function problemsOfEvents(events: unknown, allowUnknownEvents: boolean): string[] {
  if (!Array.isArray(events) || events.length === 0) {
    return ["events must be an array of at least one event kind"];
  }
  return events.flatMap((event: unknown, index) => {
    if (typeof event !== "string") {
      return [`events[${index}] must be a string`];
    }
    if (!allowUnknownEvents && !eventTypes.some((known) => known === event)) {
      return [`events[${index}] is not an event kind of this service: ${JSON.stringify(event)}`];
    }
    return [];
  });
}

function problemsOfTableId(tableId: unknown): string[] {
  if (tableId === undefined || (typeof tableId === "string" && tableId !== "")) {
    return [];
  }
  return ["tableId must be a non-empty string, or left out for all tables"];
}
