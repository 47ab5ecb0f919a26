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

interface ListBody {
  readonly webhooks: readonly unknown[];
  readonly success?: unknown;
}

/**
 * Reads the response to the list operation: every id that it shows, and the webhooks, unless an
 * entry is not usable. The list counts as complete only without any further field, which could be
 * the one of a pagination.
 */
export const parseWebhookList = parser(() => {
  const webhookSchema = listedWebhook();
  return z.pipe(
    z.custom<ListBody>((body) => isJsonObject(body) && Array.isArray(body.webhooks)),
    z.transform((body) => {
      const { webhooks: entries, success = true } = body;
      // Also "__proto__", which an object from zod would not have.
      const isWhole = Object.keys(body).every((name) => ["webhooks", "success"].includes(name));
      const ids = entries.map(idOf).filter((id) => id !== undefined);
      const webhooks = entries.flatMap((entry) => webhookSchema.safeParse(entry).data ?? []);
      // Entries with the same id contradict each other.
      const isUsable = [webhooks.length, new Set(ids).size].every((one) => one === entries.length);
      const isComplete = success === true && isWhole;
      return { ids, webhooks: isUsable ? webhooks : undefined, isComplete };
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
