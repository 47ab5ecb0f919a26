import * as z from "zod/mini";
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

// Lists of these lengths are also what a first page looks like.
const pageSizes = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000];

/**
 * Answer to the list operation, and whether these are surely all webhooks of the database: a further
 * field leaves that in doubt unless it says so.
 */
export const webhookList = once(() =>
  z.pipe(
    z
      .looseObject({ webhooks: z.array(listedWebhook()) })
      .check(
        z.refine(({ webhooks }) => new Set(webhooks.map(({ id }) => id)).size === webhooks.length),
      ),
    z.transform(({ webhooks, success, ...rest }) => ({
      webhooks,
      isWhole:
        !pageSizes.includes(webhooks.length) &&
        (success === undefined || success === true) &&
        Object.entries(rest).every(
          ([name, value]) => isNoFurtherPage(name, value) || isTotal(name, value, webhooks.length),
        ),
    })),
  ),
);

/** Answer to the deletion of a webhook. */
export const deletedWebhook = once(() => z.object({ success: z.literal(true) }));

/** Body of an answer that reports an error. Source: part 7 of the service's interface. */
export const errorEnvelope = once(() =>
  z.object({ error: z.object({ code: z.string(), message: z.catch(z.string(), "") }) }),
);

/** Whether Pulumi can store a secret as it is: what is not well-formed Unicode would be altered. */
export function isStorableSecret(secret: string): boolean {
  return secret !== "" && secret.isWellFormed();
}

/** `false` says it only under a name that asks for more: `complete: false` says the opposite. */
function isNoFurtherPage(name: string, value: unknown): boolean {
  return (
    value === null || value === "" || (value === false && /more|next|truncated|partial/i.test(name))
  );
}

/** A size of the page or an offset may happen to be the number of webhooks, so its name counts. */
function isTotal(name: string, value: unknown, count: number): boolean {
  return /^total(_?count)?$/i.test(name) && value === count;
}
