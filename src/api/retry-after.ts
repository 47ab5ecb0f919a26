// Node.js replaces a longer delay by 1 ms. No setting allows to wait so long.
const longestRetryAfterMs = 2 ** 31 - 1;

/**
 * Returns the milliseconds that a `Retry-After` header asks for, unless it is missing or malformed.
 *
 * @param now The time of the response by the clock of the service, with which a date in the header
 * is compared.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value.trim())) {
    return Math.min(Number(value) * 1000, longestRetryAfterMs);
  }
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(value);
  const date = isDate ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), longestRetryAfterMs);
}
