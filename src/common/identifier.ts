// Rules for the ids, keys and other short texts that users and the service exchange.

/** Whether a text can be the identifier of a database or a table. */
export function isIdentifier(text: string): boolean {
  return isPathSegment(text) && !hasControlOrSurroundingSpace(text);
}

/**
 * Whether a text can be one segment of a path. URL parsers drop `.` and `..`, and a lone surrogate cannot
 * be percent-encoded.
 */
export function isPathSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && text.isWellFormed();
}

/**
 * Whether a text holds control characters, or white space at its ends. Most of them were copied by
 * accident with a line of a file.
 */
export function hasControlOrSurroundingSpace(text: string): boolean {
  return /^\s|\s$|\p{Cc}/u.test(text);
}

/**
 * Whether a text can be an API key: visible ASCII characters, because it travels in the header
 * `Authorization` (API §5; RFC 9110 §5.5).
 */
export function isApiKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * The id of a webhook as text, from an integer or its digits; `undefined` for anything else. Leading zeros
 * are refused, so that every webhook has one id. 0 is an id too.
 *
 * Source: API §2.
 */
export function webhookIdOf(value: unknown): string | undefined {
  const isId =
    typeof value === "string"
      ? /^(0|[1-9]\d{0,63})$/.test(value)
      : Number.isSafeInteger(value) && Number(value) >= 0;
  return isId ? String(value) : undefined;
}
