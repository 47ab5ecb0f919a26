import * as z from "zod/mini";
import { isEventType } from "../../common/event-types.js";
import { isAbsoluteHttpUrl } from "../../common/url.js";
import { type Checked, check } from "../problems.js";

/** The fields of a creation (interface section 4.1), as stored. */
export interface CreateBody {
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId: string | null;
}

/** Returns a function that checks the body of a creation. It ignores unknown fields. */
export function createBodyReader(
  allowUnknownEvents: boolean,
): (body: unknown) => Checked<CreateBody> {
  const schema = createBody(allowUnknownEvents);
  return (body) => {
    const checked = check(schema, body);
    if (checked.problems !== undefined) {
      return checked;
    }
    const { url, events, tableId = null } = checked.value;
    return { value: { url, events: [...new Set(events)], tableId } };
  };
}

const urlMessage = "must be an absolute http or https URL";
const eventsMessage = "must be an array of at least one event kind";
const tableIdMessage = "must be a non-empty string, or left out for all tables";

const createBody = (allowUnknownEvents: boolean) =>
  z.object(
    {
      url: z.string(urlMessage).check(z.refine(isAbsoluteHttpUrl, urlMessage)),
      events: z
        .array(eventKind(allowUnknownEvents), eventsMessage)
        .check(z.minLength(1, eventsMessage)),
      tableId: z.optional(z.string(tableIdMessage).check(z.minLength(1, tableIdMessage))),
    },
    "the body must be a JSON object",
  );

function eventKind(allowUnknownEvents: boolean) {
  return z.string("must be a string").check(
    z.refine((event) => allowUnknownEvents || isEventType(event), {
      error: ({ input }) =>
        `is not an event kind of this service: ${JSON.stringify(String(input).slice(0, 100))}`,
    }),
  );
}
