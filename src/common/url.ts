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

/**
 * Whether the host name of a parsed URL is this machine. A subdomain of `localhost` can have any
 * address.
 */
export function isLoopbackHostname(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
