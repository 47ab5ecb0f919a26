/**
 * The id of a webhook as text, from a number or a string of digits; `undefined` for anything else. Zeros in
 * front are refused, so that one webhook has one id.
 *
 * Source: `id`, part 2 of the service's interface: an integer. 0 is an id too.
 */
export function webhookIdOf(value: unknown): string | undefined {
  const isId =
    typeof value === "string"
      ? /^(0|[1-9]\d{0,63})$/.test(value)
      : Number.isSafeInteger(value) && Number(value) >= 0;
  return isId ? String(value) : undefined;
}
