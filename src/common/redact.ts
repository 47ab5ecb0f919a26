const replacement = "[redacted]";
const windowLength = 8;
const shortestSensitiveValue = 4;

/**
 * Removes sensitive values from a text that came from outside: a second line of defence.
 *
 * Services truncate and re-case what they echo, so every stretch of 8 characters that a value and
 * the text have in common goes, whatever the case and the white space between them, also in base64
 * and hex. Shorter values go where they are a word of their own: a path of "hooks" does not touch
 * "webhooks". Values below 4 characters are left: hiding them would only make the text unreadable.
 *
 * Bearer credentials, signing secrets and everything behind the host of a URL go even when their value
 * is not known. So does each word with an escape sequence (`%41`, `\u0041`, `\x41`, `&#65;`): it may
 * stand for anything.
 */
export function redact(text: string, sensitiveValues: readonly string[] = []): string {
  return redactorOf(sensitiveValues)(text);
}

/** {@link redact} for many texts and the same values. */
export function redactorOf(sensitiveValues: readonly string[]): (text: string) => string {
  const stretches = stretchesOf(sensitiveValues.flatMap(spellings));
  const lengths = new Set(Array.from(stretches, ({ length }) => length));
  return (text) => hideStretches(withoutShapes(flattened(text)), stretches, lengths);
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
 * Makes a text fit for one line of Pulumi's output: no line breaks, control or invisible characters,
 * well-formed Unicode (a lone surrogate makes Pulumi's provider process hang), at most `maxLength`
 * UTF-16 units.
 */
export function oneLine(text: string, maxLength: number): string {
  const flat = flattened(text).trim();
  const cut = flat.length > maxLength ? `${flat.slice(0, maxLength - 1)}…` : flat;
  return cut.toWellFormed();
}

/** A value that users chose, cut so that it leaves room for the rest of a sentence. */
export function shownValue(value: string): string {
  return oneLine(value, 100);
}

/** Without invisible characters, which split a value that can still be read; a break is a space. */
function flattened(text: string): string {
  return text.replace(/[\p{Cf}\p{DI}]/gu, "").replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}

function withoutShapes(text: string): string {
  return text
    .replace(/\p{Cs}/gu, "")
    .replace(/\b(bearer|basic)\s+[^\s"',;]+/gi, `$1 ${replacement}`)
    .replace(/whsec_[\w+/=%-]+/gi, replacement)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi, (url) => originOf(url))
    .replace(/[^\s/"'<>]+/g, (word) => (escapeSequence.test(word) ? replacement : word));
}

const escapeSequence = /\\|%u?[0-9a-f]{2}|&#?\w+;/i;

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
  return [value, Buffer.from(value).toString("hex"), ...base64Spellings(value)];
}

/** How a value looks in base64, wherever in the encoded text it begins. */
function base64Spellings(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
    // The first and the last character may also hold bits of what stands beside the value.
    const end = offset + bytes.length;
    const own = text.slice(Math.ceil((offset * 8) / 6), Math.floor((end * 8) / 6));
    return own.length < windowLength ? [] : [own, own.replaceAll("-", "+").replaceAll("_", "/")];
  });
}

/** What to look for in a text: whole short values, and every stretch of the longer ones. */
function stretchesOf(values: readonly string[]): ReadonlySet<string> {
  const sensitive = values
    .map((value) => visiblePart(flattened(value)))
    .filter((value) => value.length >= shortestSensitiveValue);
  const stretches = sensitive.flatMap((value) =>
    Array.from({ length: Math.max(value.length - windowLength, 0) + 1 }, (_, at) =>
      value.slice(at, at + windowLength),
    ),
  );
  return new Set(stretches);
}

function hideStretches(text: string, stretches: ReadonlySet<string>, lengths: Iterable<number>) {
  const haystack = visiblePart(text);
  let positions: number[] | undefined;
  const hidden: boolean[] = [];
  for (const length of lengths) {
    for (let at = 0; at + length <= haystack.length; at++) {
      if (stretches.has(haystack.slice(at, at + length))) {
        positions ??= Array.from(text.matchAll(/\S/g), ({ index }) => index);
        const [start = 0, last = 0] = [positions[at], positions[at + length - 1]];
        if (length === windowLength || isWord(text, start, last)) {
          hidden.length = Math.max(hidden.length, last + 1);
          hidden.fill(true, start, last + 1);
        }
      }
    }
  }
  if (hidden.length === 0) {
    return text;
  }
  const shown = (unit: string, at: number) =>
    hidden[at] ? (hidden[at - 1] ? "" : replacement) : unit;
  return text.split("").map(shown).join("");
}

function isWord(text: string, start: number, last: number): boolean {
  return ![text[start - 1], text[last + 1]].some((beside) => /[a-z0-9]/i.test(beside ?? ""));
}

/** Not toLowerCase: it can change the length ("İ" becomes two units), which shifts positions. */
function visiblePart(text: string): string {
  return text.replace(/\s/g, "").replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
