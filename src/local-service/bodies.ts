import * as z from "zod/mini";
import { eventTypes, isEventType } from "../common/event-types.js";
import { unknownNameText } from "../common/unknown-names.js";
import { parseHttpUrl } from "../common/url-rules.js";

const headerText = "1 to 256 visible ASCII characters";
const nonEmptyString = z.custom<string>((value) => typeof value === "string" && value !== "", {
  error: "must be a non-empty string",
});

/** The body of a creation (docs/api/README.md#create-a-webhook). */
export function creationSchema(allowUnknownEvents: boolean) {
  const isUrl = (url: unknown) => typeof url === "string" && parseHttpUrl(url) !== null;
  return objectSchema({
    url: z.custom<string>(isUrl, { error: "must be an absolute http or https URL" }),
    events: eventListSchema(eventTypeSchema(allowUnknownEvents)),
    tableId: z.optional(nonEmptyString),
  });
}

/** Reports the first problem alone: one for each of 130,000 elements overflows zod's stack. */
function eventListSchema(eventType: z.ZodMiniType<string>) {
  const isList = (list: unknown) => Array.isArray(list) && list.length > 0;
  const error = "must be an array of at least one event type";
  return z.custom<readonly string[]>(isList, { error }).check(
    z.check(({ value: events, issues }) => {
      const at = events.findIndex((event) => !eventType.safeParse(event).success);
      const [problem] = eventType.safeParse(events[at]).error?.issues ?? [];
      if (at >= 0 && problem) {
        issues.push({ code: "custom", message: problem.message, path: [at], input: events });
      }
    }),
  );
}

/** An event to emit, with its database. */
export function eventSchema(allowUnknownEvents: boolean) {
  return objectSchema({
    type: eventTypeSchema(allowUnknownEvents),
    databaseId: nonEmptyString,
    tableId: z.optional(nonEmptyString),
    data: z.optional(z.record(z.string(), z.unknown(), { error: "must be a JSON object" })),
    // It is sent in the header `x-webhook-id`.
    id: z.optional(z.custom<string>(isHeaderValue, { error: `must be ${headerText}` })),
  });
}

/** Returns a valid body, or its problems, such as "url must be …". */
export function parseBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
): { readonly body: Body } | { readonly problems: readonly string[] } {
  const { data, error } = schema.safeParse(body);
  return error === undefined
    ? { body: data as Body }
    : {
        problems: error.issues.map(({ path, message }) =>
          `${z.core.toDotPath(path)} ${message}`.trimStart(),
        ),
      };
}

/** A schema of objects that may have further fields. */
function objectSchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape, { error: "must be an object" });
}

/**
 * An event type (docs/api/README.md#event-types), in a subscription and in an event. It is sent in
 * the header `x-webhook-event`.
 */
function eventTypeSchema(allowUnknownEvents: boolean) {
  return allowUnknownEvents
    ? z.custom<string>(isHeaderValue, { error: `must be an event type: ${headerText}` })
    : z.custom<string>((type) => isEventType(type as string), {
        error: unknownNameText(eventTypes),
      });
}

function isHeaderValue(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]{1,256}$/.test(value);
}
