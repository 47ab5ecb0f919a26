// Parses the bodies of successful responses, with zod. The API's own names of fields end here.
import * as z from "zod/mini";
import { sortEvents } from "../common/event-types.js";
import { webhookIdOf } from "../common/identifier.js";
import { isJsonObject, parseJson } from "../common/json.js";
import { isPlainText, maxTextLength } from "../common/plain-text.js";
import { isCompleteList, type ListResponse } from "./list-completeness.js";

// A text of the list ends up in the state and on terminals, where Pulumi shows it unchanged.
const listedText = z.custom<string>(isListedText);

// A schema of the elements would report one problem for each, and fail at 100,000 of them.
const listedTexts = z.custom<readonly string[]>(
  (value) => Array.isArray(value) && value.every(isListedText),
);

const listedWebhook = z.pipe(
  z.object({
    id: z.unknown().check(z.refine((id) => webhookIdOf(id) !== undefined)),
    url: listedText,
    events: listedTexts,
    tableIds: z.optional(z.nullable(listedTexts)),
    active: z.boolean(),
  }),
  z.transform(({ id, events, tableIds, ...others }) => ({
    ...others,
    id: String(id),
    events: sortEvents(events),
    // Without the field, the tables are unknown: a missing field does not mean all tables
    // (docs/api/README.md#list-webhooks).
    ...(tableIds !== undefined && { tableId: tableIdOf(tableIds), tables: tableIds ?? [] }),
  })),
);

/** A webhook in the response of the list operation. */
export type ListedWebhook = z.infer<typeof listedWebhook>;

const createdWebhook = z.object({
  id: z.optional(z.unknown()),
  secret: z.optional(z.unknown()),
});

const deletion = z.object({ success: z.boolean() });

/** Reads the response to a creation: the id where it is usable, and the secret, whatever it is. */
export function parseCreatedWebhook(
  body: string,
): { readonly id: string | undefined; readonly secret: unknown } | undefined {
  const { data } = createdWebhook.safeParse(parseJsonWithIds(body));
  return data && { id: webhookIdOf(data.id), secret: data.secret };
}

/** The content of a response to the list operation. */
interface ParsedList {
  readonly ids: readonly string[];
  /** `undefined` if an entry is not usable. */
  readonly webhooks: readonly ListedWebhook[] | undefined;
  readonly isComplete: boolean;
}

/**
 * Reads the response to the list operation: every id that it shows, and the webhooks, unless an
 * entry is not usable. With a `success` other than `true`, or with an `error`, the response is no
 * list.
 */
export function parseWebhookList(text: string, response: ListResponse): ParsedList | undefined {
  const body = parseJsonWithIds(text);
  if (!isJsonObject(body)) {
    return undefined;
  }
  const { webhooks: entries, success = true, error } = body;
  if (!Array.isArray(entries) || success !== true || error) {
    return undefined;
  }
  const ids = entries.map(idOf).filter((id) => id !== undefined);
  const webhooks = entries.flatMap((entry) => listedWebhook.safeParse(entry).data ?? []);
  // Entries with the same id contradict each other (docs/api/README.md#ids).
  const isUsable = webhooks.length === entries.length && new Set(ids).size === entries.length;
  const isComplete = isCompleteList(response, body, entries.length);
  return { ids, webhooks: isUsable ? webhooks : undefined, isComplete };
}

/** Reads the response to a deletion. */
export function parseDeletion(body: string): z.infer<typeof deletion> | undefined {
  return deletion.safeParse(parseJson(body)).data;
}

/**
 * Parses JSON with the digits of each `id` as a text: from 2^53 on, a number of JavaScript is not
 * exact. Returns `undefined` where a text is not JSON.
 */
function parseJsonWithIds(text: string): unknown {
  // TypeScript does not declare the context, which Node.js has passed since version 21.
  const keepDigits = (name: string, value: unknown, context?: { readonly source?: string }) =>
    name === "id" && typeof value === "number" && /^\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    // A reviver overflows the stack at arrays whose nesting JSON.parse alone can read.
    return parseJson(text);
  }
}

function isListedText(value: unknown): boolean {
  return typeof value === "string" && value.length <= maxTextLength && isPlainText(value);
}

/**
 * Returns the tables of a webhook as one text, `undefined` for all tables. No program can declare
 * several tables: joined, they differ from the id of one and can be shown. An empty list counts as
 * no table, because an update could not end a difference from it.
 */
function tableIdOf(tableIds: readonly string[] | null): string | undefined {
  const tables = tableIds?.join(", ") ?? "";
  return tables.slice(0, maxTextLength).toWellFormed() || undefined;
}

function idOf(entry: unknown): string | undefined {
  return webhookIdOf((entry as { readonly id?: unknown } | null)?.id);
}
