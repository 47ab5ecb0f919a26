// The rules for the identifiers of databases, tables and webhooks.
import { isPlainText } from "./plain-text.js";

/**
 * Whether a text can be the identifier of a database or a table. URL parsers drop `.` and `..` from
 * a path.
 */
export function isIdentifier(text: string): boolean {
  return !["", ".", ".."].includes(text) && isPlainText(text) && text.trim() === text;
}

/**
 * The id of a webhook as text, from an integer or its digits; `undefined` for anything else.
 * Leading zeros are refused, so that every webhook has one id. 0 is an id too.
 *
 * Source: docs/api/README.md#ids.
 */
export function webhookIdOf(value: unknown): string | undefined {
  const text = typeof value === "string" || Number.isSafeInteger(value) ? String(value) : "";
  return /^(0|[1-9]\d{0,63})$/.test(text) ? text : undefined;
}
