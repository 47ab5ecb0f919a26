const replacement = "[redacted]";
const windowLength = 8;
const shortestSensitiveValue = 4;

/**
 * Removes sensitive values from a text that came from outside.
 *
 * Services truncate and re-case what they echo, so every stretch of 8 characters that a value and
 * the text have in common goes, whatever the case; shorter values go where they are a word of their
 * own: a path of "hooks" does not touch "webhooks". Values below 4 characters are left: hiding them
 * would only make the text unreadable. Bearer credentials, signing secrets and everything behind the
 * host of a URL go even when their value is not known.
 */
export function redact(text: string, sensitiveValues: readonly string[] = []): string {
  return redactorOf(sensitiveValues)(text);
}

/** {@link redact} for many texts and the same values, which it prepares once. */
export function redactorOf(sensitiveValues: readonly string[]): (text: string) => string {
  const stretches = stretchesOf(sensitiveValues.flatMap(spellings));
  return (text) => hideStretches(withoutShapes(text), stretches);
}

/**
 * What can be a credential in a receiver's URL: user info, path, query and fragment, as a whole, because
 * their parts can be too short to be looked for, and each part.
 */
export function sensitivePartsOfUrl(url: string): string[] {
  if (!URL.canParse(url)) {
    return [url];
  }
  const { username, password, pathname, search, searchParams, hash } = new URL(url);
  const path = pathname.slice(1);
  const parts = [
    ...[username, password, password && `${username}:${password}`],
    ...[path, ...path.split("/"), search.slice(1), hash.slice(1)],
  ];
  return [...parts, ...parts.map(percentDecoded), ...searchParams.values()].filter(Boolean);
}

/**
 * Makes a text fit for one line of Pulumi's output: no line breaks or control characters, well-formed
 * Unicode (a lone surrogate makes Pulumi's provider process hang), at most `maxLength` UTF-16 units.
 */
export function oneLine(text: string, maxLength: number): string {
  const flat = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const cut = flat.length > maxLength ? `${flat.slice(0, maxLength - 1)}…` : flat;
  return cut.toWellFormed();
}

/** A value that users chose, cut so that it leaves room for the rest of a sentence. */
export function shownValue(value: string): string {
  return oneLine(value, 100);
}

function withoutShapes(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[^\s"',;]+/gi, `$1 ${replacement}`)
    .replace(/whsec_[\w+/=%-]+/gi, replacement)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi, (url) => originOf(url));
}

function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : "null";
  return origin === "null" ? replacement : `${origin}/${replacement}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function spellings(value: string): string[] {
  return [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    ...base64Spellings(value),
  ];
}

/** How a value looks in base64, wherever in the encoded text it begins. */
function base64Spellings(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
    // The first and the last character may also hold bits of what stands beside the value.
    const own = text.slice(
      Math.ceil((offset * 8) / 6),
      Math.floor(((offset + bytes.length) * 8) / 6),
    );
    const isTelling = own.length >= windowLength;
    return isTelling ? [own, own.replaceAll("-", "+").replaceAll("_", "/")] : [];
  });
}

/** What to look for in a text, by length. */
function stretchesOf(values: readonly string[]): ReadonlyMap<number, ReadonlySet<string>> {
  const stretches = new Map<number, Set<string>>();
  for (const value of values.map(foldCase)) {
    if (value.length < shortestSensitiveValue) {
      continue;
    }
    const length = Math.min(value.length, windowLength);
    const ofLength = stretches.get(length) ?? new Set();
    stretches.set(length, ofLength);
    for (let start = 0; start + length <= value.length; start++) {
      ofLength.add(value.slice(start, start + length));
    }
  }
  return stretches;
}

function hideStretches(text: string, stretches: ReadonlyMap<number, ReadonlySet<string>>): string {
  const haystack = foldCase(text);
  const hidden = new Array<boolean>(text.length).fill(false);
  for (const [length, ofLength] of stretches) {
    for (let at = 0; at + length <= haystack.length; at++) {
      const isFound = ofLength.has(haystack.slice(at, at + length));
      if (isFound && (length === windowLength || isWord(haystack, at, length))) {
        hidden.fill(true, at, at + length);
      }
    }
  }
  if (!hidden.includes(true)) {
    return text;
  }
  let result = "";
  for (let at = 0; at < text.length; at++) {
    if (!hidden[at]) {
      result += text[at];
    } else if (!hidden[at - 1]) {
      result += replacement;
    }
  }
  return result;
}

function isWord(text: string, at: number, length: number): boolean {
  const isBegun = /(^|[^a-z0-9]|%[0-9a-f]{2})$/.test(text.slice(Math.max(0, at - 3), at));
  return isBegun && !/^[a-z0-9]/.test(text.slice(at + length));
}

// toLowerCase can change the length ("İ" becomes two units), which would shift every position.
function foldCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
