// Parses the bodies of successful responses, with zod.
import * as z from "zod/mini";
import { webhookIdOf } from "../common/identifier.js";
import { parseJson } from "../common/json.js";

const webhookId = () =>
  z.pipe(
    z.unknown().check(z.refine((id) => webhookIdOf(id) !== undefined)),
    z.transform((id) => String(id)),
  );

/** Reads the response to a creation: the id where it is usable, and the secret, whatever it is. */
export const parseCreatedWebhook = parser(() =>
  z.object({ id: z.catch(z.optional(webhookId()), undefined), secret: z.optional(z.unknown()) }),
);

// A text of the list ends up in the state and on terminals.
const listedText = () =>
  z
    .string()
    .check(z.refine((text) => text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)));

const listedWebhook = () =>
  z.object({
    id: webhookId(),
    url: listedText(),
    events: z.array(listedText()),
    tableIds: z.nullable(z.array(listedText())),
    active: z.boolean(),
  });

/** A webhook in the response of the list operation. */
export type ListedWebhook = z.infer<ReturnType<typeof listedWebhook>>;

/**
 * Reads the response to the list operation. The list counts as complete only without any further field,
 * which could be the one of a pagination.
 */
export const parseWebhookList = parser(() =>
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

/** Reads the response to a deletion. */
export const parseDeletion = parser(() => z.object({ success: z.literal(true) }));

/**
 * Returns a function that reads a body, and returns `undefined` where it does not match the schema. The
 * schema is made with the first body, so that a command that sends nothing starts sooner.
 */
function parser<Schema extends z.ZodMiniType>(make: () => Schema) {
  let schema: Schema | undefined;
  return (body: string) => {
    schema ??= make();
    return schema.safeParse(parseJson(body)).data;
  };
}
