import * as z from "zod/mini";
import { eventTypes } from "../common/event-types.js";
import { adviceForUnknownName, nearestName } from "../common/nearest-name.js";
import { once } from "../common/once.js";
import { oneLine, shownValue } from "../common/redact.js";
import { isPathSegment, problemOfReceiverUrl } from "../common/url.js";
import { webhookIdOf } from "../common/webhook-id.js";
import { isStorableSecret } from "../service/bodies.js";
import { hasNo } from "../service/problem-check.js";
import { type ArgumentName, argumentChanges } from "./arguments.js";
import {
  isUnknown,
  normalizeEvents,
  type Properties,
  withoutAbsent,
  withSecretMarked,
} from "./values.js";

// No message in this file repeats a received value: any of them can be a credential, and Pulumi
// masks only the secrets that it knows of.

const maxFailures = 20;

/** What `check` answers: arguments in one spelling, and what is wrong with them, a line each. */
export interface CheckResult {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
}

/**
 * Checks arguments.
 *
 * @param problems What is wrong besides, with the configuration.
 */
export function checkArguments(news: Properties, problems: readonly string[]): CheckResult {
  const inputs = withoutAbsent(news);
  const all = [...problems, ...problemsOfArguments(inputs)];
  return all.length > 0
    ? { inputs, failures: shownFailures(all) }
    : { inputs: normalizeInputs(inputs), failures: [] };
}

/** Says what a webhook of one table never receives when it selects events of tables only. */
export function tableEventsHint({ tableId, events }: Properties): string | undefined {
  const isOfTables = (event: unknown) => String(event).startsWith("table.");
  if (typeof tableId !== "string" || isUnknown([tableId, events]) || !Array.isArray(events)) {
    return undefined;
  }
  return events.every(isOfTables)
    ? `A webhook of table ${shownValue(tableId)} selects only ${events.map((event) => shownValue(event)).join(", ")}: it receives these events for this one table. Leave tableId out to receive them for all tables.`
    : undefined;
}

/** Lists everything that is wrong with a webhook's arguments, one line a problem. */
export function problemsOfArguments(args: Properties): string[] {
  const mayBeOn = (value: unknown) => value === true || isUnknown(value);
  const allowsEvents = mayBeOn(args.allowUnknownEvents) ? "anyEvents" : "knownEvents";
  const allowsUrls = mayBeOn(args.allowInsecureUrl) ? "anyUrl" : "secureUrl";
  return problemsOf(schemas[allowsEvents][allowsUrls]().safeParse(args).error);
}

const webhookArguments = (allowUnknownEvents: boolean, allowInsecureUrl: boolean) =>
  z.strictObject({
    databaseId: identifier("the database", "base_abc123"),
    url: unlessUnknown(
      z
        .string('must be the URL of the receiver, such as "https://example.com/hooks"')
        .check(hasNo((url) => problemOfReceiverUrl(url, allowInsecureUrl))),
    ),
    events: unlessUnknown(
      z
        .array(event(allowUnknownEvents), `must be a list of events, such as ["${eventTypes[0]}"]`)
        .check(z.minLength(1, `must name at least one event, such as ["${eventTypes[0]}"]`)),
    ),
    tableId: z.optional(identifier("one table", "tbl_orders")),
    allowUnknownEvents: flag(),
    allowInsecureUrl: flag(),
    adopt: z.optional(unlessUnknown(adoptedWebhook())),
  } satisfies Record<ArgumentName, z.ZodMiniType>);

/** A webhook's arguments as `check` leaves them: resolved, events sorted and without duplicates. */
export type WebhookInputs = z.infer<ReturnType<typeof webhookArguments>>;

// Building a schema takes longer than using it.
const schemas = {
  knownEvents: {
    secureUrl: once(() => webhookArguments(false, false)),
    anyUrl: once(() => webhookArguments(false, true)),
  },
  anyEvents: {
    secureUrl: once(() => webhookArguments(true, false)),
    anyUrl: once(() => webhookArguments(true, true)),
  },
};

/** Turns zod's issues into lines of the form `<path>: <what is wrong and what to write>`. */
function problemsOf(error: z.core.$ZodError | undefined): string[] {
  return (error?.issues ?? []).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(
          (name) =>
            `${pathText([...issue.path, name.slice(0, 100)])}: ${adviceForUnknownName(name, issue.path[0] === "adopt" ? ["id", "secret"] : Object.keys(argumentChanges))}`,
        )
      : [`${pathText(issue.path)}: ${issue.message}`],
  );
}

/** As many lines as a person reads. */
function shownFailures(problems: readonly string[]): string[] {
  const shown = problems.slice(0, maxFailures);
  if (problems.length > shown.length) {
    shown.push(`more: there are ${problems.length - shown.length} further problems like these`);
  }
  return shown.map((line) => oneLine(line, 500));
}

/**
 * Checked arguments as they are stored: in one spelling, and the secret of a webhook to adopt marked,
 * so that the engine encrypts it even where a transformation has removed its mark.
 */
function normalizeInputs(inputs: Properties): Record<string, unknown> {
  const { adopt, events, ...rest } = inputs;
  const normalized = { ...rest, events: normalizeEvents(events) };
  if (typeof adopt !== "object" || adopt === null) {
    return "adopt" in inputs ? { ...normalized, adopt } : normalized;
  }
  const { id, secret } = adopt as Record<string, unknown>;
  return { ...normalized, adopt: withSecretMarked({ id: String(id), secret }) };
}

function identifier(what: string, example: string) {
  const message = `must be the identifier of ${what}, a non-empty string such as "${example}"`;
  return unlessUnknown(z.string(message).check(z.refine(isPathSegment, message)));
}

function adoptedWebhook() {
  const idMessage = 'must be the number of the webhook, such as 42 or "42"';
  const secretMessage = "must be the webhook's secret, a non-empty string";
  const isWebhookId = (value: unknown) => webhookIdOf(value) !== undefined;
  return z.strictObject(
    {
      id: unlessUnknown(z.custom<number | string>(isWebhookId, idMessage)),
      secret: unlessUnknown(
        z.string(secretMessage).check(z.refine(isStorableSecret, secretMessage)),
      ),
    },
    "must be an object with the id and the secret of a webhook that exists",
  );
}

function event(allowUnknownEvents: boolean) {
  return unlessUnknown(
    z.string(`must be a string, such as "${eventTypes[0]}"`).check(
      hasNo((value) => {
        if (value === "" || !value.isWellFormed()) {
          return `must be the name of an event, such as "${eventTypes[0]}"`;
        }
        return allowUnknownEvents || eventTypes.some((known) => known === value)
          ? undefined
          : `is not a known event; the nearest is "${nearestName(value, eventTypes)}". To subscribe to it all the same, set allowUnknownEvents: true`;
      }),
    ),
  );
}

function flag() {
  return z.optional(unlessUnknown(z.boolean("must be true or false, without quotes")));
}

/** Accepts what the schema accepts, and values that Pulumi does not know yet. */
function unlessUnknown<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.custom<z.output<Schema>>().check((context) => {
    if (typeof context.value === "object" || !isUnknown(context.value)) {
      for (const issue of schema.safeParse(context.value).error?.issues ?? []) {
        context.issues.push({ ...issue, input: undefined } as z.core.$ZodRawIssue);
      }
    }
  });
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
}
