// URL parsers repair "https:host", "https:///host" or a line break inside. A URL is sent on as it was
// written, so one that needs a repair is refused.
const absoluteHttpUrl = /^https?:\/\/[^\s\p{Cc}\\/][^\s\p{Cc}\\]*$/iu;

/** Says what is wrong with a receiver's url and what to write instead, without repeating it. */
export function problemOfReceiverUrl(url: string, allowInsecureUrl: boolean): string | undefined {
  const parsed = parsedHttpUrl(url);
  if (parsed === null) {
    return problemOfSyntax(url, "https://example.com/hooks");
  }
  return allowInsecureUrl || !isInsecure(parsed)
    ? undefined
    : "must begin with https:// (http:// only for a loopback host). To send notifications unencrypted anyway, set allowInsecureUrl: true";
}

/** Says what is wrong with a base URL and what to write instead, without repeating it. */
export function problemOfBaseUrl(
  baseUrl: string,
  allowInsecureBaseUrl: boolean,
): string | undefined {
  const parsed = parsedHttpUrl(baseUrl);
  if (parsed === null) {
    return problemOfSyntax(baseUrl, "https://tables.example.com");
  }
  if (parsed.username !== "" || parsed.password !== "" || /[?#]/.test(baseUrl)) {
    return "must hold no user name, password, query or fragment; the key goes into dbwebhooks:apiKey";
  }
  return allowInsecureBaseUrl || !isInsecure(parsed)
    ? undefined
    : "must begin with https:// (http:// only for a loopback host), because the API key travels with every request. To send it unencrypted anyway, set dbwebhooks:allowInsecureBaseUrl to true";
}

/** One spelling for all base URLs that mean the same: normalized, without a slash at the end. */
export function normalizeBaseUrl(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, "");
}

/**
 * Whether two texts spell the same URL: scheme and host in either case, with or without the scheme's own
 * port, and with or without the slash of an empty path. Everything else must be equal, also in texts
 * that are not http or https URLs.
 */
export function isSameUrl(one: string, other: string): boolean {
  return normalizeOrigin(one) === normalizeOrigin(other);
}

function normalizeOrigin(url: string): string {
  const parsed = parsedHttpUrl(url);
  const [, userInfo = "", rest = ""] = /^\w+:\/\/([^/?#]*@)?[^/?#]*(.*)$/.exec(url) ?? [];
  const slash = rest.startsWith("/") ? "" : "/";
  return parsed === null ? url : `${parsed.protocol}//${userInfo}${parsed.host}${slash}${rest}`;
}

/** Whether a text is an absolute http or https URL that needs no repair. */
export function isAbsoluteHttpUrl(url: string): boolean {
  return parsedHttpUrl(url) !== null;
}

function parsedHttpUrl(url: string): URL | null {
  return absoluteHttpUrl.test(url) && url.isWellFormed() ? URL.parse(url) : null;
}

/** Says why a text is not an absolute http or https URL. */
function problemOfSyntax(url: string, example: string): string {
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(url)) {
    return `must not contain white space, control characters or backslashes, such as "${example}"`;
  }
  return /^https?:\/\//i.test(url)
    ? `must have a host name and a port that can exist, such as "${example}"`
    : `must begin with the scheme https://, such as "${example}"`;
}

function isInsecure({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopback(hostname);
}

/**
 * Whether the host name of a parsed URL is this machine itself. A name below `.localhost` may belong to
 * any address.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Whether only this machine can reach an address that a server listens on. */
export function isLoopbackAddress(address: string): boolean {
  const url = `http://${/^[\da-f]*:/i.test(address) ? `[${address}]` : address}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
