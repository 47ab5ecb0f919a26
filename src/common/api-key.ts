/**
 * Whether a text can be an API key: visible ASCII characters without white space, because it travels in
 * the header `Authorization: Bearer <API_KEY>`.
 *
 * Source: part 5 of the service's interface; the form is that of a header's value (RFC 9110, section 5.5).
 */
export function isApiKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
