import * as z from "zod/mini";
import { parseJson } from "../common/json.js";
import { webhookIdOf } from "../common/webhook-id.js";
import type { HttpOutcome } from "./exchange.js";
import { lazy } from "./lazy.js";

// What the service sends. Nothing else knows the names of its fields.

const webhookId = () =>
  z.pipe(
    z.unknown().check(z.refine((id) => webhookIdOf(id) !== undefined)),
    z.transform((id) => String(id)),
  );

/** Answer to the creation of a webhook: its id and its secret, where there is a usable one. */
export const createdWebhookIn = parser(() =>
  z.object({
    id: z.catch(z.optional(webhookId()), undefined),
    secret: z.catch(z.optional(z.string().check(z.refine(isStorableSecret))), undefined),
  }),
);

const listedText = () => z.string().check(z.refine((text) => text.isWellFormed()));

const listedWebhook = () =>
  z.object({
    id: webhookId(),
    url: listedText(),
    events: z.array(listedText()),
    tableIds: z.nullable(z.array(listedText())),
    active: z.boolean(),
  });

/** A webhook as the list operation shows it. */
export type ListedWebhook = z.infer<ReturnType<typeof listedWebhook>>;

/**
 * Answer to the list operation, and whether these are all webhooks of the database: any further field
 * leaves that in doubt.
 */
export const webhookListIn = parser(() =>
  z.pipe(
    z
      .looseObject({ webhooks: z.array(listedWebhook()) })
      .check(
        z.refine(({ webhooks }) => new Set(webhooks.map(({ id }) => id)).size === webhooks.length),
      ),
    z.transform(({ webhooks, success = true, ...rest }) => ({
      webhooks,
      isComplete: success === true && Object.keys(rest).length === 0,
    })),
  ),
);

/** Answer to the deletion of a webhook. */
export const deletionIn = parser(() => z.object({ success: z.literal(true) }));

/** An error as the service reports it. Source: part 7. */
export const serviceErrorIn = parser(() =>
  z.pipe(
    z.object({ error: z.object({ code: z.string(), message: z.catch(z.string(), "") }) }),
    z.transform(({ error }) => error),
  ),
);

/** Whether an answer says that a database or a webhook is not there, or not for this key. */
export function isNotFound(outcome: HttpOutcome): boolean {
  return (
    outcome.kind === "response" &&
    outcome.statusCode === 404 &&
    serviceErrorIn(outcome.body)?.code === "NOT_FOUND"
  );
}

/** Whether Pulumi can store a secret as it is: what is not well-formed Unicode would be altered. */
export function isStorableSecret(secret: string): boolean {
  return secret !== "" && secret.isWellFormed();
}

/** Makes a function that reads a body; it gives nothing where the body is something else. */
function parser<Schema extends z.ZodMiniType>(make: () => Schema) {
  const schema = lazy(make);
  return (body: string) => schema().safeParse(parseJson(body)).data;
}
