// Keeps sensitive values out of messages: which they are, and how they are found in a text.
import { unescape as percentDecoded } from "node:querystring";

/** Stands in place of a text that may hold a secret. */
export const withheldText = "[withheld: it may repeat a secret]";

const ngramLength = 8;
// One less, so that plain words by themselves are not searched for.
const nearbyLength = ngramLength - 1;
const maxLookedAt = 4_000;
// A response can hold any number of secrets of any length. More values take too long to compare.
const maxValueCount = 100;

// Most receiver URLs contain some of these words in their path. If they counted as secret, most
// messages about webhooks would be withheld. The group keeps them in the result of a split.
const commonWords =
  /(?<![\p{L}\p{N}])(localhost|api|callbacks?|events?|hooks?|incoming|(?:incoming)?webhooks?|notifications?|receivers?|services?|subscriptions?|databases?|tables?|records?|fields?|created|updated|deleted)(?![\p{L}\p{N}])/iu;

// A word of the host or the path of a receiver's URL, such as those of "example.com/hooks/orders".
// A service names them in the reason of a refusal. Nearly every credential has a digit, a capital
// within a word, or more letters.
const plainWord = /^\p{L}\p{Ll}{0,11}$/u;
// Passphrases and the names of tunnels are made of more words.
const maxWordsOfPart = 3;

// Texts that look like a credential, even one that is not known here, and escaped URLs with more
// than an origin. Every pattern runs in linear time.
const suspiciousPatterns = [
  /whsec_[\w+/=-]/i,
  // A secret in hex. The ids of requests and of traces are shorter.
  /[\da-f]{40}/i,
  /\b(?:bearer|basic)[\s:=]+(?=[\w.~+/-]*\d|[\w.~+/-]{16})/i,
  /:\/\/[^\s"'/?#@]*[/?#@][^\s"']/,
];

// A secret in a body, in one of two notations. First, a field before a quoted value, as in JSON,
// also inside a JSON text, or as debuggers print objects: a name such as `secret` or `secretKey`,
// perhaps in quotes; then `:`, `=` or `=>` (some services escape > in JSON); perhaps `[`, the prefix
// of a literal in Python or `Some(`; and text up to the quote that it began with. An escaped quote
// does not end it, so the text may be longer than the secret, and never shorter. Second, a parameter
// as in a URL. It runs in linear time: a response can have 1 MiB.
const secretInText =
  /secret\w{0,20}\\*["']?\s*(?::|=(?:>|\\+u003e)?)\s*(?:\[\s*|[bru]|Some\()?\\*(?<quote>["'])(?<field>(?:\\.|(?!\k<quote>)[^\\])*)|secret\w{0,20}(?:=|%3D)(?<parameter>[^\s"'&]*)/gis;

/** Where the values come from that no message shows. */
export interface SensitiveSources {
  readonly apiKeys?: readonly string[];
  /** The arguments or the state of a webhook: its secret is sensitive, and parts of its url. */
  readonly properties?: { readonly url?: unknown; readonly secret?: unknown };
  /** The description of webhooks to import, which is sensitive as a whole. */
  readonly description?: string | undefined;
  /** The body of a response of any status: what it holds as a secret is sensitive. */
  readonly body?: string | undefined;
}

/** Returns the values that no message shows. */
export function sensitiveValues(sources: SensitiveSources): string[] {
  const { apiKeys = [], properties = {}, description, body = "" } = sources;
  const texts = (...values: readonly unknown[]) =>
    values.filter((value) => typeof value === "string");
  return [
    ...apiKeys,
    ...texts(properties.secret, description),
    ...texts(properties.url).flatMap(sensitivePartsOfUrl),
    ...[body, withoutUnicodeEscapes(body)]
      .flatMap((spelling) => [...spelling.matchAll(secretInText)])
      .map(({ groups = {} }) => groups.field ?? groups.parameter ?? ""),
  ];
}

/**
 * Returns the first 4,000 characters of a text from outside, with each URL cut to its scheme, or a
 * placeholder if they may hold a secret.
 *
 * It finds what a gateway or a debug page repeats by accident. A text is withheld if it shares 8
 * letters or digits in a row with the first 4,000 characters of a sensitive value, whatever else
 * stands between them, in either case, also percent-encoded. Shorter values are not searched for. A
 * text that looks like a credential is withheld too, and every text if there are more than 100
 * values.
 */
export function redact(text: string, sensitive: readonly string[]): string {
  // A link must not hide the reason of an error.
  const start = text.replace(/:\/\/\S+/g, "://…").slice(0, maxLookedAt);
  const values = new Set(sensitive.map((value) => value.slice(0, maxLookedAt)));
  if (values.size > maxValueCount) {
    return withheldText;
  }
  const ngrams = new Set([...values].flatMap(ngramsOf));
  // JSON may escape the slashes of a URL.
  const spellings = [start, percentDecoded(start)].map((one) => one.replaceAll("\\/", "/"));
  const isSuspicious = spellings.some((one) =>
    suspiciousPatterns.some((pattern) => pattern.test(one)),
  );
  const isRepeated = spellings.some((one) => ngramsOf(one).some((ngram) => ngrams.has(ngram)));
  return isSuspicious || isRepeated ? withheldText : start;
}

/**
 * Decodes the escapes of JSON, with which some services also write quotes and `=`, at any depth of
 * JSON inside JSON. It runs in linear time: only the first backslash in a row begins an escape.
 */
function withoutUnicodeEscapes(text: string): string {
  return text.replace(/(?<!\\)\\+u([\da-f]{4})/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * Returns what of a receiver's URL can be a credential, without common words such as `hooks`: its
 * user info, each label that is a passphrase, and everything from the first part that is not plain.
 * The labels behind a passphrase can be plain, and the path behind it is not. Each part begins with
 * the up to 7 letters before it, so that a credential of fewer than 8 is found together with them,
 * and a passphrase ends with those behind it.
 */
function sensitivePartsOfUrl(url: string): string[] {
  const [, userInfo = "", encodedPlace] = /^https?:\/\/(?:([^/?#]*)@)?(.*)$/is.exec(url) ?? [];
  if (encodedPlace === undefined) {
    return [percentDecoded(url)];
  }
  const place = percentDecoded(encodedPlace);
  const lettersAfter = (at: number) => lettersIn(place.slice(at)).slice(0, nearbyLength);
  const values = [userInfo && percentDecoded(userInfo) + lettersAfter(0)];
  let start = "";
  let hasPassphrase = false;
  for (const part of labelsAndSegmentsOf(place)) {
    const words = wordsOf(part);
    const isPassphrase = words.length > maxWordsOfPart;
    hasPassphrase ||= isPassphrase;
    if (!words.every(isPlainWord) || (hasPassphrase && part.startsWith("/"))) {
      break;
    }
    if (isPassphrase) {
      const label = `${part}.${lettersAfter(start.length + part.length)}`;
      values.push(...withoutCommonWords(label, start));
    }
    start += part;
  }
  return [...values, ...withoutCommonWords(place.slice(start.length), start)];
}

/** Returns the parts between common words, each after the up to 7 letters before it. */
function withoutCommonWords(text: string, before: string): string[] {
  const values: string[] = [];
  let lettersBefore = lettersIn(before).slice(-nearbyLength);
  for (const part of text.split(commonWords)) {
    if (!commonWords.test(part)) {
      values.push(lettersBefore + part);
    }
    lettersBefore = (lettersBefore + lettersIn(part)).slice(-nearbyLength);
  }
  return values;
}

/** Divides a host and its path, without losing a character. */
function labelsAndSegmentsOf(place: string): string[] {
  const [hostAndPath = ""] = /^[^?#;=]*/.exec(place) ?? [];
  const [host = ""] = /^[^/]*/.exec(hostAndPath) ?? [];
  // A host can end with a dot or an empty port.
  const labels = host.match(/[.:]*[^.:]*/g) ?? [];
  const segments = hostAndPath.slice(host.length).match(/\/+[^/]*/g) ?? [];
  return [...labels, ...segments];
}

function isPlainWord(word: string): boolean {
  return plainWord.test(word) || commonWords.test(word);
}

/** Returns every 8 letters or digits in a row, whatever stands between them. */
function ngramsOf(text: string): string[] {
  const letters = lettersIn(text.toLowerCase());
  const count = Math.max(letters.length - ngramLength + 1, 0);
  return Array.from({ length: count }, (_, at) => letters.slice(at, at + ngramLength));
}

/** Returns the letters and digits of a text. */
function lettersIn(text: string): string {
  return wordsOf(text).join("");
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
