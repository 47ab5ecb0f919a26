// URL parsers normalize "https:host", "https:///host" and a line break inside a URL. This package
// sends a URL as it was written, so it refuses one whose structure a parser would change.
const absoluteHttpUrl = /^https?:\/\/[^\s\p{Cc}\\/][^\s\p{Cc}\\]*$/iu;

/**
 * Parses an absolute http or https URL; returns `null` for one whose structure a parser would
 * change.
 */
export function parseHttpUrl(url: string): URL | null {
  return absoluteHttpUrl.test(url) && url.isWellFormed() ? URL.parse(url) : null;
}

/** Whether {@link parseHttpUrl} accepts a text. */
export function isAbsoluteHttpUrl(url: string): boolean {
  return parseHttpUrl(url) !== null;
}

/** Whether a value is the origin of an http or https URL, without a path and without user info. */
export function isHttpOrigin(value: unknown): boolean {
  const isOrigin = typeof value === "string" && /^https?:\/\/[^/?#@]+\/?$/i.test(value);
  return isOrigin && isAbsoluteHttpUrl(value);
}

/**
 * Whether the host name of a parsed URL is this machine. A subdomain of `localhost` can have any
 * address.
 */
export function isLoopbackHostname(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Whether only this machine can reach an address that a server listens on. */
export function isLoopbackAddress(address: string): boolean {
  const url = `http://${/^[\da-f]*:/i.test(address) ? `[${address}]` : address}`;
  return URL.canParse(url) && isLoopbackHostname(new URL(url).hostname);
}
