// URL parsers repair "https:host", "https:///host" or a line break inside. A URL is sent on as it was
// written, so one that needs a repair is refused.
const absoluteHttpUrl = /^https?:\/\/[^\s\p{Cc}\\/][^\s\p{Cc}\\]*$/iu;

/** Parses an absolute http or https URL; returns `null` for one that needs a repair. */
export function parseHttpUrl(url: string): URL | null {
  return absoluteHttpUrl.test(url) && url.isWellFormed() ? URL.parse(url) : null;
}

/** Whether a text is an absolute http or https URL that needs no repair. */
export function isAbsoluteHttpUrl(url: string): boolean {
  return parseHttpUrl(url) !== null;
}

/** Whether the host name of a parsed URL is this machine. A name below `.localhost` can have any address. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Whether only this machine can reach an address that a server listens on. */
export function isLoopbackAddress(address: string): boolean {
  const url = `http://${/^[\da-f]*:/i.test(address) ? `[${address}]` : address}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
