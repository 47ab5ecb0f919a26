import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { oneLine, redact, sensitivePartsOfUrl, shownValue } from "../../src/common/redact.ts";

const key = "sk_live_K7pQ2mX9vT4w";
const note = redact(key, [key]);

const lettersAndDigits = fc.constantFrom(..."ABCKQXZabckqxz0123456789");
const secrets = fc.string({ unit: lettersAndDigits, minLength: 8, maxLength: 40 });
const surroundings = fc.string({ unit: "binary", maxLength: 30 });
const separators = fc.string({ unit: "binary" }).map((text) => text.replace(/[\p{L}\p{N}]/gu, ""));
const tags = fc.constantFrom("</b><b>", "<br/>", "<!-- x -->", "＜i＞");
const escapes = fc.constantFrom(
  ...["\\uDB40", "\\u200B", "\\x00", "\\n", "%00", "%u200B", "&shy;", "&#173;", "&#xAD;"],
  ...["\u001b[31m", "\u009b1m", "\u001b]0;x\u0007"],
);

describe("A text that repeats a sensitive value", () => {
  it("is withheld whatever stands between the letters", () => {
    const between = fc.oneof(separators, tags, escapes);
    const gaps = fc.array(between, { minLength: 1, maxLength: 10 });

    fc.assert(
      fc.property(secrets, gaps, surroundings, surroundings, (secret, gap, before, after) => {
        const spelled = secret.replace(/./g, (letter, at) => letter + gap[at % gap.length]);

        expect(redact(`${before} ${spelled} ${after}`, [secret])).toBe(note);
      }),
    );
  });

  it.each<[string, (letter: string) => string]>([
    ["in capitals", (letter) => letter.toUpperCase()],
    ["in full width", (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)],
    ["with accents", (letter) => `${letter}\u0301`.normalize()],
    ["as JSON escapes", (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`],
    ["as \\x escapes", (letter) => `\\x${letter.charCodeAt(0).toString(16)}`],
    ["percent-encoded", (letter) => `%${letter.charCodeAt(0).toString(16)}`],
    ["as HTML entities", (letter) => `&#${letter.charCodeAt(0)};`],
    ["between symbols that decompose into letters", (letter) => `${letter}\u3200`],
    ["between letters that look like punctuation", (letter) => `${letter}\u02d0\u02bc\ua78f`],
    ["between signs that decompose into digits", (letter) => `${letter}\u00b2`],
    ["between line breaks as escapes", (letter) => `${letter}\\n`],
    ["between the surrogates of invisible characters", (letter) => `${letter}\udb40\u200b\udc41`],
    ["between repeated surrogates", (letter) => `${letter}\udb40\udb40\udc41\udc41`],
  ])("is withheld when the letters are written %s", (_case, spell) => {
    const choices = fc.array(fc.boolean(), { minLength: 4, maxLength: 10 });

    fc.assert(
      fc.property(secrets, choices, (secret, choice) => {
        const spelled = secret.replace(/./g, (letter, at) =>
          choice[at % choice.length] ? spell(letter) : letter,
        );

        expect(redact(`The key ${spelled} is not valid.`, [secret])).toBe(note);
      }),
    );
  });

  it("is withheld when it holds only 8 letters of the value", () => {
    fc.assert(
      fc.property(secrets, fc.nat(), (secret, random) => {
        const start = random % (secret.length - 7);

        expect(redact(`ends in ${secret.slice(start, start + 8)}`, [secret])).toBe(note);
      }),
    );
  });

  it.each(["base64", "base64url", "hex"] as const)(
    "is withheld when it does so in %s",
    (encoding) => {
      const values = fc.string({ unit: "grapheme-ascii", minLength: 12 });

      fc.assert(
        fc.property(values, fc.string(), fc.string(), (value, before, after) => {
          fc.pre(/(?:[a-z0-9]{2}.?){6}/i.test(value));
          const encoded = Buffer.from(before + value + after).toString(encoding);

          expect(redact(encoded, [value])).toBe(note);
        }),
      );
    },
  );

  it("is withheld when a value of 4 to 7 letters stands there as a word", () => {
    const short = fc.string({ unit: lettersAndDigits, minLength: 4, maxLength: 7 });
    const delimiters = fc.constantFrom("/", " ", '"', "=", "-", "_", "😀", "\u200b ");

    fc.assert(
      fc.property(short, delimiters, (value, delimiter) => {
        const text = `a${delimiter}${value.toLowerCase()}${delimiter}b`;

        expect(redact(text, [value])).toBe(note);
      }),
    );
  });
});

describe("A text that may hold a credential of an unknown value", () => {
  it.each([
    "Authorization: Bearer abc.def-123=",
    "authorization: basic dXNlcjpwYXNzd29yZA",
    '{"authorization":"bearer \u200b\n abc1"}',
    "secret whsec_C2FVsBQI+b5sSYspob7oD/=",
    "wh\u00adsec_abc",
    "see wss://example.com/a",
    "see redis://:pass@example.com",
    "see https://example.com?c=d",
    '"http://example.com:81/x"',
    "/api/base%5F1/webhooks",
  ])("is withheld: %j", (text) => {
    expect(redact(text)).toBe(note);
  });
});

describe("A text without a secret", () => {
  it.each([
    ["a longer word holds a short value", "webhook: hookshot, Fishhook2.", ["hook"]],
    ["it shares fewer than 8 letters with a value", "sk_live is a prefix", [key]],
    ["a value has fewer than 4 letters", "a bad id", ["a", "id", "bad", "--------"]],
    ["it speaks of credentials", "Your Basic plan needs a Bearer token (whsec_).", [key]],
    ["it names hosts", 'Not in "b_1" (example.com/a, 100 % & 7), see https://example.com', [key]],
    ["it compares", "3 < 4 && a <= b; 5\\", [key]],
  ])("is shown as it is: %s", (_case, text, values) => {
    expect(redact(text, values)).toBe(text);
  });

  it("is shown even though the receiver's path holds common words", () => {
    const text = "Notifications: no more webhooks; incoming events need a callback service.";
    const url = "https://example.com/api/webhooks/incoming/notifications/callback?events=1";

    expect(redact(text, sensitivePartsOfUrl(url))).toBe(text);
  });
});

describe("The work of redaction", () => {
  const length = 400_000;

  // The lookups are counted; a pattern that backtracks would let the test time out.
  it.each(["a.", "a ", "ab-", "bearer ", "bearer:-", "://", "//a", "&a", "<", "\\ ", "=\u0301"])(
    "grows linearly with a text of many %j",
    (unit) => {
      const text = unit.repeat(length / unit.length);
      const has = vi.spyOn(Set.prototype, "has");

      redact(text, [key]);
      const lookups = has.mock.calls.length;
      has.mockRestore();

      expect(lookups).toBeLessThanOrEqual(8 * length);
    },
  );
});

describe("The sensitive parts of a URL", () => {
  it.each([
    ["https://h.example/a1/b2/c3/d4/e5", "bad h.example/a1/b2/c3/d4/e5"],
    ["https://h.example/a/b/cdef", "bad path a, b, cdef"],
    ["https://bob:p1@h.example/", "bob:p1@h.example"],
    ["https://us%20er:pass@example.com/", "the password is pass"],
    ["https://example.com/?token=s3cr3t", "token s3cr3t is wrong"],
    ["https://example.com/#fragment-7", "not found: fragment 7"],
    ["https://example.com/t%2Fken%C3%A4xyz", "not found: t/kenäxyz"],
    ["https://example.com/100%/T0K3N-9", "not found: T0K3N 9"],
    ["https://example.com/webhooks-T0K3N-99", "not found: webhooks T0K3N-99"],
    ["not a URL", "it is not-a-url"],
  ])("withhold what repeats them: %s", (url, text) => {
    expect(redact(text, sensitivePartsOfUrl(url))).toBe(note);
  });
});

describe("One line", () => {
  it("has no breaks, control or invisible characters, is well-formed and not too long", () => {
    const lengths = fc.integer({ min: 1, max: 50 });

    fc.assert(
      fc.property(fc.string({ unit: "binary" }), lengths, (text, length) => {
        const line = oneLine(`${text}\ud800${text}\udc00\u202e${text}`, length);

        expect(line.length).toBeLessThanOrEqual(length);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(line.isWellFormed()).toBe(true);
      }),
    );
  });

  it.each([
    ["Grüße 😀", 8, "Grüße 😀"],
    ["123456789", 5, "1234…"],
    ["\na\r\n\tb\u2028c\u0085d\u001b[31m\n", 50, "a b c d [31m"],
    ["a\udb40\u200b\udc41b", 50, "a\ufffd\ufffdb"],
  ])("of %j, cut at %i, is %j", (text, length, line) => {
    expect(oneLine(text, length)).toBe(line);
  });
});

describe("A shown value", () => {
  it("has no bidirectional marks, no control characters and at most 100 characters", () => {
    expect(shownValue("a\u202e\u2066b\u200f\u0007c")).toBe("ab c");
    expect(shownValue("x".repeat(101))).toHaveLength(100);
  });
});
