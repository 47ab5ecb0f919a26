import { unescape as percentDecoded } from "node:querystring";

const note = "[withheld: it may repeat a secret]";
const stretchLength = 8;
const shortestLength = 4;

// Most paths of receivers hold some of these words. If they counted, most messages about webhooks would
// be withheld.
const commonWords =
  /(?<![\p{L}\p{N}])(?:api|callbacks?|events?|hooks?|incoming|(?:incoming)?webhooks?|notifications?|receivers?|services?|subscriptions?|databases?|tables?|records?|fields?|created|updated|deleted)(?![\p{L}\p{N}])/iu;

// Each pattern takes a time that grows linearly with the text.
const suspiciousPatterns = [
  // Credentials of unknown values, and everything but the origin of a URL.
  /whsec_[\w+/=-]/i,
  /\b(?:bearer|basic)[\s:=]+(?=[\w.~+/-]*\d|[\w.~+/-]{16})/i,
  /:\/\/[^\s"'/?#@]*[/?#@][^\s"']/,
  // Escape sequences that can stand for any letter, and terminal sequences.
  /\\[xu0-7]|%u?[\da-f]{2}|&(?:#|\w+;)/i,
  /[^\P{Cc}\s]/u,
];

/**
 * Returns a text from outside as it is, or a note in its place if it may hold a secret.
 *
 * It may if it shares 8 letters or digits in a row with a sensitive value, or with the value's hex or
 * base64, whatever their case and whatever stands between them: services re-case, split and cut what
 * they echo. A value of 4 to 7 letters counts only where it stands as a word, so that a path of "hook"
 * does not touch "webhooks". Text with credentials of unknown values or with escape sequences is
 * withheld too.
 */
export function redact(text: string, sensitiveValues: readonly string[] = []): string {
  const stretches = new Set(
    sensitiveValues
      .flatMap(spellingsOf)
      .map((spelling) => wordsOf(readable(spelling)).join(""))
      .filter(({ length }) => length >= shortestLength)
      .flatMap(stretchesOf),
  );
  const shown = readable(text);
  const isSuspicious = suspiciousPatterns.some((pattern) => pattern.test(shown));
  const isRepeated = readingsOf(text).some((reading) => repeatsOne(wordsOf(reading), stretches));
  return isSuspicious || isRepeated ? note : text;
}

/**
 * Lists what can be a credential in a receiver's URL: user info, path, query and fragment as a whole,
 * because their parts can be too short to count, and each part.
 */
export function sensitivePartsOfUrl(url: string): string[] {
  const parsed = URL.parse(url);
  if (parsed === null) {
    return [url];
  }
  const { username, password, pathname, search, searchParams, hash } = parsed;
  const userInfo = [`${username}:${password}`, username, password].map(percentDecoded);
  const location = [pathname, ...pathname.split("/"), search, hash].map(percentDecoded);
  const words = [...location, ...searchParams.values()].flatMap((part) => part.split(commonWords));
  return [...userInfo, ...words];
}

/**
 * Makes a text fit for one line of Pulumi's output: no line breaks, control or invisible characters,
 * well-formed Unicode (a lone surrogate makes Pulumi's provider process hang), at most `maxLength`
 * UTF-16 units.
 */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    // Comes first: without an invisible character between them, two lone surrogates become a pair.
    .toWellFormed()
    .replace(/[\p{Cf}\p{DI}]/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  const cut = line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
  return cut.toWellFormed();
}

/** Cuts a value that users chose, so that it leaves room for the rest of a sentence. */
export function shownValue(value: string): string {
  return oneLine(value, 100);
}

function repeatsOne(words: readonly string[], stretches: ReadonlySet<string>): boolean {
  const hasStretch = stretchesOf(words.join("")).some((stretch) => stretches.has(stretch));
  // A short value can itself consist of several words, such as "a/b2/c".
  const wordCounts = [1, 2, 3, 4, 5, 6, 7];
  const startsShortValue = (_: string, at: number) =>
    wordCounts.some((count) => stretches.has(words.slice(at, at + count).join("")));
  return hasStretch || words.some(startsShortValue);
}

/**
 * The ways to read a text. Tags and escapes such as `\n` can stand between the letters of a value. So can
 * characters beyond ASCII, some of which decompose into letters or are letters that look like punctuation.
 */
function readingsOf(text: string): string[] {
  const asciiOf = (one: string) => one.replace(/[^\0-\x7f]+/g, " ");
  const all = [readable(text), asciiOf(readable(text)), asciiOf(text)];
  return [...new Set([...all, ...all.map((one) => one.replace(/<[^<>]*>|\\./g, " "))])];
}

/** Removes what only changes the look of letters: accents, full width, invisible characters. */
function readable(text: string): string {
  const withoutInvisible = text.replace(/[\p{M}\p{Cf}\p{Cs}\p{DI}]/gu, "");
  return withoutInvisible.normalize("NFKD").replace(/[\p{M}\p{DI}]/gu, "");
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns every 8 letters in a row, or the whole text if it is shorter. */
function stretchesOf(letters: string): string[] {
  const count = Math.max(letters.length - stretchLength, 0) + 1;
  return Array.from({ length: count }, (_, at) => letters.slice(at, at + stretchLength));
}

function spellingsOf(value: string): string[] {
  if (value.length < stretchLength) {
    return [value];
  }
  // Base64 depends on where in the encoded bytes the value begins.
  const base64 = ["", "\0", "\0\0"].map((before) => Buffer.from(before + value).toString("base64"));
  return [value, Buffer.from(value).toString("hex"), ...base64];
}
