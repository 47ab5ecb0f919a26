import { hasStrayCharacters } from "./stray-characters.js";

// WHATWG's parser repairs much of what people mistype ("https:host", "https:///host", a line break inside). A url is
// sent on as it was written, so what needs repair is refused.
const absoluteHttpUrl = /^https?:\/\/[^\s\p{Cc}\\/][^\s\p{Cc}\\]*$/iu;

/** Says what is wrong with a receiver's url and what to write instead, without repeating it. */
export function problemOfReceiverUrl(url: string, allowInsecureUrl: boolean): string | undefined {
  const parsed = parsedHttpUrl(url);
  if (parsed === null) {
    return problemOfSyntax(url, "https://example.com/hooks");
  }
  if (!allowInsecureUrl && isInsecure(parsed)) {
    return "must begin with https:// (http:// only for a loopback host). To send notifications unencrypted anyway, set allowInsecureUrl: true";
  }
  return undefined;
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
  if (!allowInsecureBaseUrl && isInsecure(parsed)) {
    return "must begin with https:// (http:// only for a loopback host), because the API key travels with every request. To send it unencrypted anyway, set dbwebhooks:allowInsecureBaseUrl to true";
  }
  return undefined;
}

/** One spelling for all base URLs that mean the same: normalised, without a slash at the end. */
export function normalizeBaseUrl(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, "");
}

/** Whether two texts are spellings of one URL, such as `https://EXAMPLE.com:443` and `https://example.com/`. */
export function isSameUrl(one: string, other: string): boolean {
  const [parsed, otherParsed] = [URL.parse(one), URL.parse(other)];
  return one === other || (parsed !== null && parsed.href === otherParsed?.href);
}

/**
 * Whether a text can be an identifier: it can stand in a path as one segment, and holds no stray
 * characters.
 */
export function isIdentifier(value: string): boolean {
  return isPathSegment(value) && !hasStrayCharacters(value);
}

/**
 * Whether a string can stand in a path as one segment. URL parsers drop `.` and `..`, and a lone
 * surrogate cannot be percent-encoded.
 */
export function isPathSegment(value: string): boolean {
  return value !== "" && value !== "." && value !== ".." && value.isWellFormed();
}

/** Whether a text is an absolute http or https URL that needs no repair. */
export function isAbsoluteHttpUrl(url: string): boolean {
  return parsedHttpUrl(url) !== null;
}

function parsedHttpUrl(url: string): URL | null {
  return hasHttpSyntax(url) ? URL.parse(url) : null;
}

function hasHttpSyntax(url: string): boolean {
  return absoluteHttpUrl.test(url) && url.isWellFormed();
}

function problemOfSyntax(url: string, example: string): string {
  return hasHttpSyntax(url)
    ? `must have a host name and a port that can exist, such as "${example}"`
    : `must be an absolute URL, such as "${example}", without white space`;
}

function isInsecure({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopback(hostname);
}

/**
 * Whether a host name of a parsed URL is this machine itself. A name below `.localhost` may belong to any
 * address.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Whether an address to listen on is reached from this machine alone. */
export function isLoopbackAddress(host: string): boolean {
  const url = `http://${/^[\da-f]*:/i.test(host) ? `[${host}]` : host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
