const replacement = "[redacted]";
const windowLength = 8;
const shortestSensitiveValue = 4;

/**
 * Removes sensitive values from a text that came from outside.
 *
 * Services truncate and re-case what they echo, so every stretch of 8 characters that a value and
 * the text have in common goes, whatever the case; shorter values go where they stand whole. Values
 * below 4 characters are left: hiding them would only make the text unreadable. Bearer credentials,
 * signing secrets and everything behind the host of a URL go even when their value is not known.
 */
export function redact(text: string, sensitiveValues: readonly string[] = []): string {
  const withoutShapes = text
    .replace(/\b(bearer|basic)\s+[^\s"',;]+/gi, `$1 ${replacement}`)
    .replace(/\bwhsec_[\w+/=-]+/gi, replacement)
    .replace(/\b(https?:\/\/)[^\s"'<>]*/gi, (url) => originOf(url));
  return hideStretches(withoutShapes, sensitiveValues.flatMap(spellings));
}

/** The parts of a receiver's URL that can be a credential: user info, path segments and query. */
export function sensitivePartsOfUrl(url: string): string[] {
  if (!URL.canParse(url)) {
    return [url];
  }
  const { username, password, pathname, search, hash } = new URL(url);
  return [username, password, ...pathname.split("/"), search.slice(1), hash.slice(1)];
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

function originOf(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/${replacement}` : replacement;
}

function spellings(value: string): string[] {
  const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
  return [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    base64,
  ];
}

function hideStretches(text: string, values: readonly string[]): string {
  const haystack = foldCase(text);
  const hidden = new Array<boolean>(text.length).fill(false);
  for (const value of new Set(values.map(foldCase))) {
    if (value.length < shortestSensitiveValue) {
      continue;
    }
    const length = Math.min(value.length, windowLength);
    const stretches = new Set<string>();
    for (let start = 0; start + length <= value.length; start++) {
      stretches.add(value.slice(start, start + length));
    }
    for (let at = 0; at + length <= haystack.length; at++) {
      if (stretches.has(haystack.slice(at, at + length))) {
        hidden.fill(true, at, at + length);
      }
    }
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

// toLowerCase can change the length ("İ" becomes two units), which would shift every position.
function foldCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
