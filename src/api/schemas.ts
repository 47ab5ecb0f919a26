// Parses the bodies of successful responses, with zod.
import * as z from "zod/mini";
import { webhookIdOf } from "../common/identifier.js";
import { isJsonObject, parseJson } from "../common/json.js";
import { isPlainText, maxTextLength } from "../common/plain-text.js";

const webhookId = () =>
  z.pipe(
    z.unknown().check(z.refine((id) => webhookIdOf(id) !== undefined)),
    z.transform((id) => String(id)),
  );

/** Reads the response to a creation: the id where it is usable, and the secret, whatever it is. */
export const parseCreatedWebhook = parser(() =>
  z.pipe(
    z.object({ id: z.optional(z.unknown()), secret: z.optional(z.unknown()) }),
    z.transform(({ id, secret }) => ({ id: webhookIdOf(id), secret })),
  ),
);

// A text of the list ends up in the state and on terminals, where Pulumi shows it unchanged.
const listedText = () => z.custom<string>(isListedText);

// A schema of the elements would report one problem for each, and fail at 100,000 of them.
const listedTexts = () =>
  z.custom<readonly string[]>((value) => Array.isArray(value) && value.every(isListedText));

const listedWebhook = () =>
  z.object({
    id: webhookId(),
    url: listedText(),
    events: listedTexts(),
    tableIds: z.nullable(listedTexts()),
    active: z.boolean(),
  });

/** A webhook in the response of the list operation. */
export type ListedWebhook = z.infer<ReturnType<typeof listedWebhook>>;

/** An entry of a list. `webhook` is missing where the entry is not usable. */
export interface ListEntry {
  /** The first entry has position 1. */
  readonly position: number;
  readonly id: string | undefined;
  readonly webhook: ListedWebhook | undefined;
}

interface ListBody {
  readonly webhooks: readonly unknown[];
  readonly success?: unknown;
}

/**
 * Reads the response to the list operation. The list counts as complete only without any further
 * field, which could be the one of a pagination.
 */
export const parseWebhookList = parser(() => {
  const webhookSchema = listedWebhook();
  return z.pipe(
    z.custom<ListBody>((body) => isJsonObject(body) && Array.isArray(body.webhooks)),
    z.transform((body) => {
      const { webhooks, success = true } = body;
      // Also "__proto__", which an object from zod would not have.
      const isWhole = Object.keys(body).every((name) => ["webhooks", "success"].includes(name));
      const byId = Map.groupBy(webhooks, idOf);
      const entries = webhooks.map((webhook, at): ListEntry => {
        const id = idOf(webhook);
        // Entries with the same id contradict each other.
        const isUnique = byId.get(id)?.length === 1;
        const data = isUnique ? webhookSchema.safeParse(webhook).data : undefined;
        return { position: at + 1, id, webhook: data };
      });
      return { entries, isComplete: success === true && isWhole };
    }),
  );
});

function isListedText(value: unknown): boolean {
  return typeof value === "string" && value.length <= maxTextLength && isPlainText(value);
}

function idOf(entry: unknown): string | undefined {
  return webhookIdOf((entry as { readonly id?: unknown } | null)?.id);
}

/** Reads the response to a deletion. */
export const parseDeletion = parser(() => z.object({ success: z.boolean() }));

/**
 * Returns a function that reads a body, and returns `undefined` where it does not match the schema.
 * The schema is made with the first body, so that a command that sends nothing starts sooner.
 */
function parser<Schema extends z.ZodMiniType>(make: () => Schema) {
  let schema: Schema | undefined;
  return (body: string) => {
    schema ??= make();
    return schema.safeParse(parseJson(body)).data;
  };
}
