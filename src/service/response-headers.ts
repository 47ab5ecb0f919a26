/** The origin that a redirect points to, where it points to one. */
export function originOfRedirect(location: unknown, base: URL): string | undefined {
  return typeof location === "string" && URL.canParse(location, base.href)
    ? new URL(location, base).origin
    : undefined;
}

/** Whether a `Link` header names a next page (RFC 8288, section 3.3). */
export function hasNextPage(link: string | string[] | undefined): boolean {
  return /;\s*rel\s*=\s*"?[^";,]*\bnext\b/i.test(String(link ?? ""));
}

/** Milliseconds to wait by a `Retry-After` header, or nothing where it is absent or malformed. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value.trim())) {
    return Number(value) * 1000;
  }
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(value)
    ? Date.parse(value)
    : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
