// The rules for the URLs of receivers and of the service. No message repeats the URL, which can
// hold a credential.
import { isPlainText, maxTextLength } from "./plain-text.js";

/** The path of the API, which follows every base URL (docs/api/README.md#paths). */
export const apiPath = "/api/v1";

// The state holds the normalized text, in which a letter can have six characters or more.
const tooLong = `must have at most ${maxTextLength} characters, percent-encoded`;

// The host that a template makes if a value is missing, if it is not evaluated, or if its value is
// a whole URL.
const missingValue = /(?:^|\.)(?:undefined|null)(?:\.|$)|[${}()]|^https?$/;

// URL parsers normalize "https:host", "https:///host" and a line break inside a URL. This package
// sends a URL as it was written, so it refuses one whose structure a parser would change.
const absoluteHttpUrl = /^https?:\/\/[^\s\p{Cc}\\/][^\s\p{Cc}\\]*$/iu;

/** Returns the problem of a receiver's url: what is wrong, and what to write instead. */
export function validateReceiverUrl(url: string, { allowInsecureUrl = false }): readonly string[] {
  const problems = validateUrl(url, "https://example.com/hooks");
  if (problems.length > 0) {
    return problems;
  }
  if (!isPlainText(url)) {
    return [
      "must hold no invisible or damaged characters (U+FFFD), and no text that Pulumi or a CI system reads as a command, such as ##[: write %23 for # or percent-encode the character",
    ];
  }
  return allowInsecureUrl || !isInsecure(new URL(url))
    ? []
    : [
        "must begin with https:// (http:// only for a loopback host). To send notifications unencrypted anyway, set allowInsecureUrl: true",
      ];
}

/** Returns the problem of a base URL: what is wrong, and what to write instead. */
export function validateBaseUrl(baseUrl: string): readonly string[] {
  const problems = validateUrl(baseUrl, "https://tables.example.com");
  if (problems.length > 0) {
    return problems;
  }
  const parsed = new URL(baseUrl);
  if (parsed.username !== "" || parsed.password !== "" || /[?#]/.test(baseUrl)) {
    return [
      "must hold no user name, password, query or fragment; the API key is a setting of its own",
    ];
  }
  if (`${parsed.pathname.toLowerCase()}/`.includes(`${apiPath}/`)) {
    return [
      `must be the URL of the service alone: leave out ${apiPath}, which is added to it, and everything after it`,
    ];
  }
  return isInsecure(parsed)
    ? [
        "must begin with https:// (http:// only for a loopback host), because the API key travels with every request",
      ]
    : [];
}

/** Returns a base URL normalized, or `undefined` if it is not valid. */
export function parseBaseUrl(text: string | undefined): string | undefined {
  const isValid = text !== undefined && validateBaseUrl(text).length === 0;
  return isValid ? normalizeBaseUrl(text) : undefined;
}

/** Returns the same text for all base URLs that mean the same, without a slash at the end. */
export function normalizeBaseUrl(baseUrl: string): string {
  const { href } = new URL(baseUrl);
  let end = href.length;
  // A pattern such as /\/+$/ would take a time that grows with the square of the number of slashes.
  while (href[end - 1] === "/") {
    end -= 1;
  }
  return href.slice(0, end);
}

/**
 * Returns the same text for all spellings of a URL, as the URL standard normalizes it: the case of
 * the host, the scheme's own port, percent-encoding. A service may store that spelling
 * (docs/api/README.md#urls). Returns a text that is no URL as it is.
 */
export function normalizeUrl(text: string): string {
  return URL.parse(text)?.href ?? text;
}

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

/** Returns the problem of a URL of either kind. */
function validateUrl(url: string, example: string): readonly string[] {
  const parsed = parseHttpUrl(url);
  if (parsed === null) {
    return [
      `must be an https:// URL with a valid host name and port, such as "${example}", without white space, control characters or backslashes`,
    ];
  }
  if (Math.max(url.length, parsed.href.length) > maxTextLength) {
    return [tooLong];
  }
  return missingValue.test(parsed.hostname)
    ? [
        "must have a host name; the one it has looks like a template without its value, or around a whole URL",
      ]
    : [];
}

function isInsecure({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopbackHostname(hostname);
}
