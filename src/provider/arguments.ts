import * as z from "zod/mini";
import { isStorableSecret } from "../api/schemas.js";
import { withoutProblem } from "../api/settings.js";
import { eventTypes, isEventType } from "../common/event-types.js";
import { hasControlOrSurroundingSpace, isIdentifier } from "../common/identifier.js";
import { adviceForUnknownName } from "../common/nearest-name.js";
import { problemOfReceiverUrl } from "../common/url.js";
import { webhookIdOf } from "../common/webhook-id.js";
import { isUnknown } from "./values.js";

// No message in this file repeats a received value: any of them can be a credential, and Pulumi
// masks only the secrets that it knows of.

/** The arguments that relax the rules of others. */
export interface Allowances {
  readonly allowUnknownEvents: boolean;
  readonly allowInsecureUrl: boolean;
}

/**
 * The arguments of a webhook: the rule of each, and what a change of it does. `replace` replaces the
 * webhook, because the service's interface describes no update operation (part 4.3); `local` changes
 * nothing at the service; `adopt` replaces the webhook when it names another one.
 */
export const webhookArguments = {
  databaseId: { change: "replace", rule: () => identifier("the database", "base_abc123") },
  url: {
    change: "replace",
    rule: ({ allowInsecureUrl }: Allowances) =>
      unlessUnknown(
        z
          .string('must be the URL of the receiver, such as "https://example.com/hooks"')
          .check(withoutProblem((url) => problemOfReceiverUrl(url, allowInsecureUrl))),
      ),
  },
  events: {
    change: "replace",
    rule: ({ allowUnknownEvents }: Allowances) =>
      unlessUnknown(
        z
          .array(
            event(allowUnknownEvents),
            `must be a list of events, such as ["${eventTypes[0]}"]`,
          )
          .check(z.minLength(1, `must name at least one event, such as ["${eventTypes[0]}"]`)),
      ),
  },
  tableId: { change: "replace", rule: () => z.optional(identifier("one table", "tbl_orders")) },
  allowUnknownEvents: { change: "local", rule: () => flag() },
  allowInsecureUrl: { change: "local", rule: () => flag() },
  adopt: { change: "adopt", rule: () => z.optional(unlessUnknown(adoptedWebhook())) },
} as const;

/** A webhook's arguments as `check` leaves them: resolved, events sorted and without duplicates. */
export type WebhookInputs = z.infer<z.ZodMiniObject<Rules>>;

type Rules = {
  [Name in keyof typeof webhookArguments]: ReturnType<(typeof webhookArguments)[Name]["rule"]>;
};

/** The rules of all arguments together, kept: building them takes longer than using them. */
export function argumentRules(allowances: Allowances): z.ZodMiniObject<Rules> {
  const key = JSON.stringify(allowances);
  const built = builtRules.get(key);
  if (built !== undefined) {
    return built;
  }
  const entries = Object.entries(webhookArguments);
  const rules = Object.fromEntries(entries.map(([name, { rule }]) => [name, rule(allowances)]));
  const schema = z.strictObject(rules as Rules);
  builtRules.set(key, schema);
  return schema;
}

const builtRules = new Map<string, z.ZodMiniObject<Rules>>();

/** The arguments whose change replaces the webhook. */
export const replacingArguments: readonly string[] = Object.entries(webhookArguments).flatMap(
  ([name, { change }]) => (change === "replace" ? [name] : []),
);

function identifier(what: string, example: string) {
  const message = `must be the identifier of ${what}, such as "${example}"`;
  const isBare = (input: unknown) => ["number", "boolean"].includes(typeof input);
  return unlessUnknown(
    z
      .string({
        error: ({ input }) => `${message}, a string${isBare(input) ? ": put it in quotes" : ""}`,
      })
      .check(z.refine(isIdentifier, `${message}, without white space at its ends`)),
  );
}

/** Whether a text that a user gives can be the secret of a webhook. */
export function isSecretAsGiven(text: string): boolean {
  return isStorableSecret(text) && !hasControlOrSurroundingSpace(text);
}

function adoptedWebhook() {
  const idMessage = 'must be the number of the webhook, such as 42 or "42"';
  const secretMessage =
    "must be the webhook's secret, a non-empty string without control characters and without white space at its ends";
  const isWebhookId = (value: unknown) => webhookIdOf(value) !== undefined;
  return z.strictObject(
    {
      id: unlessUnknown(z.custom<number | string>(isWebhookId, idMessage)),
      secret: unlessUnknown(
        z.string(secretMessage).check(z.refine(isSecretAsGiven, secretMessage)),
      ),
    },
    "must be an object with the id and the secret of a webhook that exists",
  );
}

function event(allowUnknownEvents: boolean) {
  return unlessUnknown(
    z.string(`must be a string, such as "${eventTypes[0]}"`).check(
      withoutProblem((value) => {
        if (value === "" || !value.isWellFormed()) {
          return `must be the name of an event, such as "${eventTypes[0]}"`;
        }
        return allowUnknownEvents || isEventType(value)
          ? undefined
          : `${adviceForUnknownName(value, eventTypes)} (to subscribe to it anyway, set allowUnknownEvents: true)`;
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
