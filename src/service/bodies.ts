import * as z from "zod/mini";
import { parseJson } from "../common/json.js";
import { once } from "../common/once.js";
import { webhookIdOf } from "../common/webhook-id.js";

// What the service sends. Nothing else knows the names of its fields.

const webhookId = () =>
  z.pipe(
    z.unknown().check(z.refine((id) => webhookIdOf(id) !== undefined)),
    z.transform((id) => String(id)),
  );

/** Answer to the creation of a webhook: its id, where there is a usable one. */
export const createdId = once(() => z.object({ id: webhookId() }));

/** Answer to the creation of a webhook: its secret, where there is a usable one. */
export const createdSecret = once(() =>
  z.object({ secret: z.string().check(z.refine(isStorableSecret)) }),
);

const listedText = () => z.string().check(z.refine((text) => text.isWellFormed()));

const listedWebhook = once(() =>
  z.object({
    id: webhookId(),
    url: listedText(),
    events: z.array(listedText()),
    tableIds: z.nullable(z.array(listedText())),
    active: z.boolean(),
  }),
);

/** A webhook as the list operation shows it. */
export type ListedWebhook = z.infer<ReturnType<typeof listedWebhook>>;

/**
 * Answer to the list operation, and whether these are all webhooks of the database: any further field
 * leaves that in doubt.
 */
export const webhookList = once(() =>
  z.pipe(
    z
      .looseObject({ webhooks: z.array(listedWebhook()) })
      .check(
        z.refine(({ webhooks }) => new Set(webhooks.map(({ id }) => id)).size === webhooks.length),
      ),
    z.transform(({ webhooks, success = true, ...rest }) => ({
      webhooks,
      isWhole: success === true && Object.keys(rest).length === 0,
    })),
  ),
);

/** Answer to the deletion of a webhook. */
export const deletedWebhook = once(() => z.object({ success: z.literal(true) }));

const errorEnvelope = once(() =>
  z.object({ error: z.object({ code: z.string(), message: z.catch(z.string(), "") }) }),
);

/** An error as the service reports it; `undefined` where something else answers. Source: part 7. */
export function serviceErrorIn(
  body: string,
): { readonly code: string; readonly message: string } | undefined {
  return errorEnvelope().safeParse(parseJson(body)).data?.error;
}

/** Whether Pulumi can store a secret as it is: what is not well-formed Unicode would be altered. */
export function isStorableSecret(secret: string): boolean {
  return secret !== "" && secret.isWellFormed();
}
