import { isStorableSecret } from "../api/schemas.js";
import { eventTypes, isEventType } from "../common/event-types.js";
import { hasControlOrSurroundingSpace, isIdentifier } from "../common/identifier.js";
import { adviceForUnknownName } from "../common/nearest-name.js";
import { problemOfReceiverUrl } from "../common/url.js";
import { webhookIdOf } from "../common/webhook-id.js";
import { isUnknown, type Properties } from "./values.js";

// No message in this file repeats a received value: any value can be a credential, and Pulumi masks only
// the secrets that it knows of.

/** The arguments of a webhook as `check` leaves them: resolved, with sorted events and no duplicates. */
export interface WebhookInputs {
  readonly databaseId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId?: string;
  readonly allowUnknownEvents?: boolean;
  readonly allowInsecureUrl?: boolean;
  readonly adopt?: { readonly id: number | string; readonly secret: string };
}

/** What is wrong with one argument, and where, such as `events[0]`. */
interface Problem {
  readonly path: string;
  readonly message: string;
}

interface ArgumentRule {
  /** Whether a change replaces the webhook, because the API describes no update (API §4.3). */
  readonly replaces: boolean;
  readonly isRequired: boolean;
  /** Returns the problems of a value that is given and known. `args` are all arguments. */
  readonly validate: (path: string, value: unknown, args: Properties) => readonly Problem[];
}

/** Every argument of a webhook, and its rule. */
export const webhookArguments: Readonly<Record<keyof WebhookInputs, ArgumentRule>> = {
  databaseId: {
    replaces: true,
    isRequired: true,
    validate: identifierRule("the database", "base_abc123"),
  },
  url: { replaces: true, isRequired: true, validate: validateUrl },
  events: { replaces: true, isRequired: true, validate: validateEvents },
  tableId: {
    replaces: true,
    isRequired: false,
    validate: identifierRule("one table", "tbl_orders"),
  },
  allowUnknownEvents: { replaces: false, isRequired: false, validate: validateFlag },
  allowInsecureUrl: { replaces: false, isRequired: false, validate: validateFlag },
  adopt: { replaces: false, isRequired: false, validate: validateAdopt },
};

const argumentNames = Object.keys(webhookArguments);

/** The arguments whose change replaces the webhook. */
export const replacingArguments: readonly string[] = Object.entries(webhookArguments).flatMap(
  ([name, { replaces }]) => (replaces ? [name] : []),
);

/** Lists every problem of a webhook's arguments, one line each. */
export function validateArguments(args: Properties): string[] {
  const problems = Object.entries(webhookArguments).flatMap(([name, rule]) => {
    const value = args[name];
    const isAbsent = value === undefined || value === null;
    return isAbsent && !rule.isRequired ? [] : validateKnown(name, value, args, rule.validate);
  });
  return [...problems, ...unknownNames("", args, argumentNames)].map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

/** Whether a text that a user gives can be the secret of a webhook. */
export function isSecretAsGiven(text: string): boolean {
  return isStorableSecret(text) && !hasControlOrSurroundingSpace(text);
}

/** Validates a value that is known, or of which a part is known. */
function validateKnown(
  path: string,
  value: unknown,
  args: Properties,
  validate: ArgumentRule["validate"],
): readonly Problem[] {
  return typeof value !== "object" && isUnknown(value) ? [] : validate(path, value, args);
}

function identifierRule(what: string, example: string): ArgumentRule["validate"] {
  const expected = `must be the identifier of ${what}, such as "${example}"`;
  return (path, value) => {
    if (typeof value !== "string") {
      const isUnquoted = ["number", "boolean"].includes(typeof value);
      return [{ path, message: `${expected}, a string${isUnquoted ? ": put it in quotes" : ""}` }];
    }
    return isIdentifier(value)
      ? []
      : [{ path, message: `${expected}, without control characters or surrounding white space` }];
  };
}

function validateUrl(path: string, value: unknown, args: Properties): readonly Problem[] {
  if (typeof value !== "string") {
    const message = 'must be the URL of the receiver, such as "https://example.com/hooks"';
    return [{ path, message }];
  }
  const message = problemOfReceiverUrl(value, isOn(args.allowInsecureUrl));
  return message === undefined ? [] : [{ path, message }];
}

function validateEvents(path: string, value: unknown, args: Properties): readonly Problem[] {
  if (!Array.isArray(value)) {
    return [{ path, message: `must be a list of events, such as ["${eventTypes[0]}"]` }];
  }
  if (value.length === 0) {
    return [{ path, message: `must name at least one event, such as ["${eventTypes[0]}"]` }];
  }
  return value.flatMap((event, at) => validateKnown(`${path}[${at}]`, event, args, validateEvent));
}

function validateEvent(path: string, value: unknown, args: Properties): readonly Problem[] {
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) {
    return [{ path, message: `must be the name of an event, such as "${eventTypes[0]}"` }];
  }
  if (isOn(args.allowUnknownEvents) || isEventType(value)) {
    return [];
  }
  const message = `${adviceForUnknownName(value, eventTypes)} (to subscribe to it anyway, set allowUnknownEvents: true)`;
  return [{ path, message }];
}

function validateFlag(path: string, value: unknown): readonly Problem[] {
  return typeof value === "boolean"
    ? []
    : [{ path, message: "must be true or false, without quotes" }];
}

function validateAdopt(path: string, value: unknown, args: Properties): readonly Problem[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [
      { path, message: "must be an object with the id and the secret of an existing webhook" },
    ];
  }
  const { id, secret } = value as Properties;
  return [
    ...validateKnown(`${path}.id`, id, args, validateAdoptedId),
    ...validateKnown(`${path}.secret`, secret, args, validateAdoptedSecret),
    ...unknownNames(`${path}.`, value as Properties, ["id", "secret"]),
  ];
}

function validateAdoptedId(path: string, value: unknown): readonly Problem[] {
  return webhookIdOf(value) === undefined
    ? [{ path, message: 'must be the number of the webhook, such as 42 or "42"' }]
    : [];
}

function validateAdoptedSecret(path: string, value: unknown): readonly Problem[] {
  const message =
    "must be the webhook's secret, a non-empty string without control characters or surrounding white space";
  return typeof value === "string" && isSecretAsGiven(value) ? [] : [{ path, message }];
}

function unknownNames(prefix: string, value: Properties, known: readonly string[]): Problem[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: `${prefix}${name.slice(0, 100)}`,
      message: adviceForUnknownName(name, known),
    }));
}

/** Whether a flag is on, or may turn out to be on. */
function isOn(flag: unknown): boolean {
  return flag === true || isUnknown(flag);
}
