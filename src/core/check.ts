import * as z from "zod/mini";
import { isApiKey } from "../common/api-key.js";
import { eventTypes } from "../common/event-types.js";
import { adviceForUnknownName, nearestName } from "../common/nearest-name.js";
import {
  isPathSegment,
  normalizeBaseUrl,
  problemOfBaseUrl,
  problemOfReceiverUrl,
} from "../common/url.js";
import { isStorableSecret } from "../service/bodies.js";
import { isUnknown } from "./values.js";

// No message in this file repeats a received value: any of them can be a credential, and Pulumi
// masks only the secrets that it knows of.

/** Lists everything that is wrong with a webhook's arguments, one line a problem. */
export function problemsOfArguments(args: Readonly<Record<string, unknown>>): string[] {
  const mayBeOn = (value: unknown) => value === true || isUnknown(value);
  const allowUnknownEvents = mayBeOn(args.allowUnknownEvents);
  const allowInsecureUrl = mayBeOn(args.allowInsecureUrl);
  // Building a schema takes longer than using it.
  const key = `${allowUnknownEvents} ${allowInsecureUrl}`;
  const schema = builtSchemas.get(key) ?? webhookArguments(allowUnknownEvents, allowInsecureUrl);
  builtSchemas.set(key, schema);
  return problemsOf(schema.safeParse(args).error);
}

const builtSchemas = new Map<string, ReturnType<typeof webhookArguments>>();

/** A webhook's arguments as `check` leaves them: resolved, events sorted and without duplicates. */
export type WebhookInputs = z.infer<ReturnType<typeof webhookArguments>>;

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
  });

const argumentNames = Object.keys(webhookArguments(false, false).shape);
const adoptNames = Object.keys(adoptedWebhook().shape);

/** Where a webhook is, as far as its id and its state tell. */
export const webhookAddress = z.object({
  id: z.string().check(z.refine(isPathSegment)),
  databaseId: z.string().check(z.refine(isPathSegment)),
  baseUrl: z.pipe(
    z.string().check(z.refine((url) => problemOfBaseUrl(url, true) === undefined)),
    z.transform(normalizeBaseUrl),
  ),
});

/** The settings of one account. Every value arrives as text, from Pulumi or the environment. */
export const accountSettings = (allowInsecureBaseUrl: boolean) =>
  z.object({
    baseUrl: z.pipe(
      z.string().check(hasNo((url) => problemOfBaseUrl(url, allowInsecureBaseUrl))),
      z.transform(normalizeBaseUrl),
    ),
    apiKey: z
      .string()
      .check(
        z.refine(
          isApiKey,
          "must be the key alone: visible ASCII characters, without white space or line breaks",
        ),
      ),
    timeoutSeconds: z._default(numberText("a number of seconds", 0.001, 3_600), 30),
    retrySeconds: z._default(numberText("a number of seconds", 0, 86_400), 120),
    maxConcurrentRequests: z._default(numberText("a whole number", 1, 1_000, true), 16),
    requestsPerSecond: z.optional(numberText("a number", 0.001, 10_000)),
    listing: z._default(flagText(), false),
    allowInsecureBaseUrl: z._default(flagText(), false),
  });

/** The settings of one account, checked. */
export type AccountSettings = z.infer<ReturnType<typeof accountSettings>>;

/** Turns zod's issues into lines of the form `<path>: <what is wrong and what to write>`. */
export function problemsOf(error: z.core.$ZodError | undefined): string[] {
  return (error?.issues ?? []).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(
          (name) =>
            `${pathText([...issue.path, name.slice(0, 100)])}: ${adviceForUnknownName(name, issue.path[0] === "adopt" ? adoptNames : argumentNames)}`,
        )
      : [`${pathText(issue.path)}: ${issue.message}`],
  );
}

function identifier(what: string, example: string) {
  const message = `must be the identifier of ${what}, a non-empty string such as "${example}"`;
  return unlessUnknown(z.string(message).check(z.refine(isPathSegment, message)));
}

function adoptedWebhook() {
  const idMessage = 'must be the number of the webhook, such as 42 or "42"';
  const secretMessage = "must be the webhook's secret, a non-empty string";
  return z.strictObject(
    {
      id: unlessUnknown(z.custom<number | string>(isWebhookNumber, idMessage)),
      secret: unlessUnknown(
        z.string(secretMessage).check(z.refine(isStorableSecret, secretMessage)),
      ),
    },
    "must be an object with the id and the secret of a webhook that exists",
  );
}

function isWebhookNumber(value: unknown): boolean {
  return typeof value === "string"
    ? /^(0|[1-9]\d{0,63})$/.test(value)
    : Number.isSafeInteger(value) && Number(value) >= 0;
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

function flagText() {
  return z.pipe(
    z.enum(["true", "false"], "must be true or false"),
    z.transform((text) => text === "true"),
  );
}

function numberText(what: string, least: number, most: number, isWhole = false) {
  const message = `must be ${what} from ${least} to ${most}`;
  return z.pipe(
    z.string().check(
      z.refine((text) => {
        const value = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
        return value >= least && value <= most && (!isWhole || Number.isInteger(value));
      }, message),
    ),
    z.transform(Number),
  );
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

function hasNo(problemOfValue: (value: string) => string | undefined): z.core.$ZodCheck<string> {
  return z.refine((value: string) => problemOfValue(value) === undefined, {
    error: (issue) => problemOfValue(issue.input as string),
  });
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
}
