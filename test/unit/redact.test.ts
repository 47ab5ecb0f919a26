import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, redact, sensitivePartsOfUrl } from "../../src/common/redact.ts";

const windowLength = 8;
const visible = (text: string) => text.toLowerCase().replace(/[\s\p{Cf}\p{Cs}\p{DI}]/gu, "");

/** Whether a text holds 8 characters of a value in a row, whatever the case and what is invisible between. */
function holdsStretch(text: string, value: string): boolean {
  const [haystack, needle] = [visible(text), visible(value)];
  return Array.from({ length: Math.max(needle.length - windowLength + 1, 0) }, (_, at) =>
    needle.slice(at, at + windowLength),
  ).some((stretch) => haystack.includes(stretch));
}

// Without letters that the replacement itself is made of.
const characters = 'ABCFGHIJKLMNOPQSUVWXYZabfghijklmnopqsuvwxyz0123456789-_.~+/=%&?"\\ äß😀';
const values = fc.string({ unit: fc.constantFrom(...characters), minLength: 8, maxLength: 60 });
const keys = fc.string({ unit: fc.constantFrom(..."FGHJKMPQfghjkmpq0123_-"), minLength: 12 });
const surroundings = fc.string({ unit: "binary", maxLength: 30 });

const percent = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

describe("redaction of a known value", () => {
  it.each<[string, (value: string) => string]>([
    ["as it is", (value) => value],
    ["in capitals", (value) => value.replace(/[a-z]/g, (letter) => letter.toUpperCase())],
    ["cut at both ends", (value) => value.slice(1, -1)],
    ["in JSON", (value) => JSON.stringify(value)],
    ["with what is invisible", (value) => value.split("").join("\r\n \u200b\ufe0f\ud800\u00ad")],
  ])("leaves no stretch of 8 characters of it %s", (_case, spell) => {
    fc.assert(
      fc.property(values, surroundings, surroundings, (value, before, after) => {
        const redacted = redact(before + spell(value) + after, [value]);

        expect(holdsStretch(redacted, value)).toBe(false);
      }),
    );
  });

  it.each([
    ["base64", 6],
    ["base64url", 6],
    ["hex", 4],
  ] as const)("leaves none in %s of a text that holds it", (encoding, bits) => {
    fc.assert(
      fc.property(values, fc.string(), fc.string(), (value, before, after) => {
        const encoded = Buffer.from(before + value + after).toString(encoding);
        const start = Buffer.byteLength(before) * 8;
        const end = start + Buffer.byteLength(value) * 8;
        const own = encoded.slice(Math.ceil(start / bits), Math.floor(end / bits));

        expect(holdsStretch(redact(encoded, [value]), own)).toBe(false);
      }),
    );
  });

  it.each<[string, (character: string) => string]>([
    ["percent-encoded", percent],
    ["as escapes", (character) => percent(character).replace("%", "\\u00")],
    ["as HTML entities", (character) => `&#${character.charCodeAt(0)};`],
  ])("leaves none of its word when some characters are %s", (_case, encode) => {
    const choices = fc.array(fc.boolean(), { minLength: 5, maxLength: 20 });

    fc.assert(
      fc.property(keys, choices, (key, choice) => {
        const spell = (character: string, at: number) =>
          choice[at % choice.length] || at === 3 ? encode(character) : character;
        const spelled = key.split("").map(spell).join("");

        expect(redact(`The key ${spelled} is not valid.`, [key])).toBe(
          "The key [redacted] is not valid.",
        );
      }),
    );
  });

  it("leaves nothing of a value of 4 to 7 characters that is a word of its own", () => {
    const unit = fc.constantFrom(..."FGHJKMPQfghjkmpq0123456789");
    const short = fc.string({ unit, minLength: 4, maxLength: 7 });
    const delimiter = fc.constantFrom("/", " ", '"', "=", "&", "%2F", "%2f", "ä", "-", "_", "😀");

    fc.assert(
      fc.property(short, surroundings, delimiter, (value, other, mark) => {
        const redacted = redact(`${other}${mark}${value}/${value}${mark}${other}`, [value]);

        expect(redacted.toLowerCase()).not.toContain(value.toLowerCase());
      }),
    );
  });

  it.each([
    ["longer words that hold a short value", "webhooks: hooks, Hooks2.", ["hooks"]],
    ["what is too short to tell", "a bad id", ["a", "id", "bad", ""]],
    ["what is no credential", 'Webhook 17 is not in "b_1" (example.com/a, 100 % & 7).', []],
    ["the rest", "The key sk_live_K7pQ2mX9 is not valid.", ["sk_live_K7pQ2mX9"]],
    ["letters whose case changes their length", "İİİİ K7pQ2mX9vT4w İİİİ", ["k7PQ2MX9VT4W"]],
  ])("leaves alone: %s", (_case, text, hidden) => {
    expect(redact(text, hidden)).toBe(text.replace(/\bhooks\b|\S*K7pQ\S*/, "[redacted]"));
  });
});

describe("redaction of what looks like a credential", () => {
  it.each([
    ["Authorization: Bearer abc.def-123=", "Authorization: Bearer [redacted]"],
    ["authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted]"],
    ['{"authorization":"bearer \u200b\n abc"}', '{"authorization":"bearer [redacted]"}'],
    ["secret whsec_C2FVsBQI+b5sSYspob7oD/=", "secret [redacted]"],
    ["wh\u00adsec_abc", "[redacted]"],
    ["%22secret%22%3A%22whsec_a%2Bb%3D%22", "[redacted]"],
    ["see wss://example.com/a", "see wss://example.com/[redacted]"],
    ["see redis://:pass@example.com/a", "see [redacted]"],
    ["see https://user:pass@example.com/a/b?c=d#e now", "see https://example.com/[redacted] now"],
    ['"http://example.com:81/x"', '"http://example.com:81/[redacted]"'],
    ["https://", "[redacted]"],
    ["https://[broken", "[redacted]"],
    ["/api/base%5F1/webhooks", "/api/[redacted]/webhooks"],
  ])("hides it: %j", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

describe("the sensitive parts of a URL", () => {
  const names = "us%20er|us er|pass|us%20er:pass|us er:pass";
  const parts = "hooks/t%2Fk|hooks/t/k|hooks|t%2Fk|t/k|a=b%26c&d=tok|a=b&c&d=tok|b&c|tok|frag";

  it.each([
    ["https://us%20er:pass@example.com/hooks/t%2Fk?a=b%26c&d=tok#frag", `${names}|${parts}`],
    ["https://example.com/100%/x", "100%/x|100%|x"],
    ["not a URL", "not a URL"],
  ])("are those of %s, as written and decoded", (url, expected) => {
    expect(new Set(sensitivePartsOfUrl(url))).toEqual(new Set(expected.split("|")));
  });

  it.each([
    ["https://h.example/a1/b2/c3/d4/e5", "bad h.example/a1/b2/c3/d4/e5", "b2"],
    ["https://bob:p1@h.example/", "bob:p1@h.example", "p1"],
    ["https://example.com/?token=s3cr3t", "token s3cr3t is wrong", "s3cr3t"],
  ])("are hidden though they are short: %s", (url, text, part) => {
    expect(redact(text, sensitivePartsOfUrl(url))).not.toContain(part);
  });
});

describe("one line", () => {
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
  ])("of %j, cut at %i, is %j", (text, length, line) => {
    expect(oneLine(text, length)).toBe(line);
  });
});
