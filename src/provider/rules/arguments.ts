// The arguments of a webhook and their rules. No message repeats a received value: any value can be
// a credential, and Pulumi masks only the secrets that it knows of.
import type { NewWebhook } from "../../api/client.js";
import { eventTypes, isEventType, sortEvents } from "../../common/event-types.js";
import { isIdentifier } from "../../common/identifier.js";
import { isPlainText, maxTextLength } from "../../common/plain-text.js";
import { quotesAdvice } from "../../common/settings-table.js";
import { unknownNameText, validateNames } from "../../common/unknown-names.js";
import { validateReceiverUrl } from "../../common/url-rules.js";
import {
  type ArgumentName,
  argumentNames,
  type WebhookField,
  webhookFields,
} from "../../common/webhook-fields.js";
import { hasMarker, isMarker, type Properties, withoutNullish } from "./values.js";

/** Returns one line per problem of a value that is given and known. `args` are all arguments. */
type Validate = (path: string, value: unknown, args: Properties) => readonly string[];

interface ArgumentRule {
  readonly isRequired: boolean;
  readonly validate: Validate;
}

// The text that an Output becomes inside a template string, in TypeScript and in Python.
const outputInText = /Calling (\[toString\]|__str__) on an \[?Output/;

// A list with a longer text is not usable, so the argument would hide the drift of its whole
// database.
const tooLong = `must have at most ${maxTextLength} characters`;

const validateDatabaseId = validateIdentifierOf("the database", "base_abc123");
const validateTableId = validateIdentifierOf(
  "one table (leave it out for all tables)",
  "tbl_orders",
);

/** Every argument of a webhook, and its rule. */
export const webhookArguments: Readonly<Record<ArgumentName, ArgumentRule>> = {
  databaseId: { isRequired: true, validate: validateDatabaseId },
  url: { isRequired: true, validate: validateUrl },
  events: { isRequired: true, validate: validateEvents },
  tableId: { isRequired: false, validate: validateTableId },
  allowUnknownEvents: { isRequired: false, validate: validateFlag },
  allowInsecureUrl: { isRequired: false, validate: validateFlag },
};

/** Lists every problem of a webhook's arguments, one line each. */
export function validateArguments(args: Properties): string[] {
  return Object.entries(webhookArguments).flatMap(([name, { isRequired, validate }]) => {
    const value = args[name];
    const isAbsent = value === undefined || value === null;
    return isAbsent && !isRequired ? [] : [...validateArgument(name, value, args, validate)];
  });
}

/** Lists the arguments that do not exist. */
export function validateArgumentNames(args: Properties): string[] {
  return validateNames(Object.keys(args), argumentNames).map(
    (problem) => `${problem}; the program or a transformation declares it`,
  );
}

/**
 * Returns the webhook that arguments define, or at least one problem. Arguments that are not known
 * yet are a problem too: Pulumi leaves them out of a creation.
 */
export function parseArguments(
  args: Properties,
): { readonly webhook: NewWebhook } | { readonly problems: readonly string[] } {
  const problems = validateArguments(args);
  if (problems.length > 0) {
    return { problems };
  }
  if (argumentNames.some((name) => hasMarker(args[name]))) {
    return { problems: ["not all arguments are known"] };
  }
  // The rules have checked the types.
  return { webhook: fieldsOf(withSortedEvents(withoutNullish(args))) as NewWebhook };
}

/** Returns the arguments that define the webhook, which Pulumi also stores as outputs. */
function fieldsOf(args: Properties): { readonly [Name in WebhookField]?: unknown } {
  const given = webhookFields.filter((name) => name in args);
  return Object.fromEntries(given.map((name) => [name, args[name]]));
}

/** Returns arguments with their events sorted, and without duplicates. */
export function withSortedEvents(args: Properties): Properties {
  return { ...args, events: normalizeEvents(args.events) };
}

/** Sorts events once all of them are known. */
export function normalizeEvents(events: unknown): unknown {
  const isList = Array.isArray(events) && events.every((event) => typeof event === "string");
  return isList && !hasMarker(events) ? sortEvents(events) : events;
}

/**
 * Returns no problem for a value that is not known yet. A list or an object is validated by its
 * parts.
 */
function validateArgument(
  path: string,
  value: unknown,
  args: Properties,
  validate: Validate,
): readonly string[] {
  if (isMarker(value)) {
    return [];
  }
  return typeof value === "string" && outputInText.test(value)
    ? [
        `${path}: holds an Output inside a text: write pulumi.interpolate\`…\` (in Python, pulumi.Output.concat) or use apply`,
      ]
    : validate(path, value, args);
}

function validateIdentifierOf(what: string, example: string): Validate {
  return (path, value) => {
    const expected = `${path}: must be the identifier of ${what}, such as "${example}"`;
    if (typeof value !== "string") {
      const isUnquoted = ["number", "boolean"].includes(typeof value);
      return [
        `${expected}, a string${isUnquoted ? `: ${quotesAdvice("pulumi config set NAME")}, with --secret for a secret` : ""}`,
      ];
    }
    if (value.length > maxTextLength) {
      return [`${path}: ${tooLong}`];
    }
    return isIdentifier(value)
      ? []
      : [
          `${expected}, without control, invisible or damaged characters (U+FFFD) or surrounding white space`,
        ];
  };
}

function validateUrl(path: string, value: unknown, args: Properties): readonly string[] {
  const problems =
    typeof value === "string"
      ? validateReceiverUrl(value, { allowInsecureUrl: mayBeOn(args.allowInsecureUrl) })
      : ['must be the URL of the receiver, such as "https://example.com/hooks"'];
  return problems.map((problem) => `${path}: ${problem}`);
}

function validateEvents(path: string, value: unknown, args: Properties): readonly string[] {
  if (!Array.isArray(value)) {
    return [`${path}: must be a list of events, such as ["${eventTypes[0]}"]`];
  }
  if (value.length === 0) {
    return [`${path}: must name at least one event, such as ["${eventTypes[0]}"]`];
  }
  return value.flatMap((event, at) =>
    validateArgument(`${path}[${at}]`, event, args, validateEvent),
  );
}

function validateEvent(path: string, value: unknown, args: Properties): readonly string[] {
  if (typeof value !== "string" || value === "" || !isPlainText(value)) {
    return [`${path}: must be the name of an event, such as "${eventTypes[0]}"`];
  }
  if (value.length > maxTextLength) {
    return [`${path}: ${tooLong}`];
  }
  if (mayBeOn(args.allowUnknownEvents) || isEventType(value)) {
    return [];
  }
  const problem = unknownNameText(eventTypes);
  return [`${path}: ${problem} (to subscribe to it anyway, set allowUnknownEvents: true)`];
}

function validateFlag(path: string, value: unknown): readonly string[] {
  return typeof value === "boolean" ? [] : [`${path}: must be true or false, without quotes`];
}

/** Whether a flag is on, or is not known yet. */
function mayBeOn(flag: unknown): boolean {
  return flag === true || isMarker(flag);
}
