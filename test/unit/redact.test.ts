import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { oneLine, redact, sensitivePartsOfUrl } from "../../src/common/redact.ts";

const key = "sk_live_K7pQ2mX9vT4w";
const note = redact(key, [key]);

const lettersAndDigits = fc.constantFrom(..."ABCKQXZabckqxz0123456789");
const secrets = fc.string({ unit: lettersAndDigits, minLength: 8, maxLength: 40 });
const noLetters = fc.string({ unit: "binary" }).map((text) => text.replace(/[\p{L}\p{N}]/gu, ""));

const fullWidth = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0);
const hex = (letter: string) => letter.charCodeAt(0).toString(16);

describe("A text that repeats a sensitive value is withheld", () => {
  it("whatever stands between the letters", () => {
    const markup = fc.constantFrom(
      ...["</b><b>", "<br/>", "<!-- x -->", "＜i＞", "\\uDB40", "\\x00", "\\n", "%00", "%u200B"],
      ...["&shy;", "&#173;", "&#xAD;", "\u001b[31m", "\u009b1m", "\u001b]0;x\u0007"],
    );
    const gaps = fc.array(fc.oneof(noLetters, markup), { minLength: 1, maxLength: 10 });

    fc.assert(
      fc.property(secrets, gaps, fc.string({ unit: "binary" }), (secret, gap, before) => {
        const spelled = secret.replace(/./g, (letter, at) => letter + gap[at % gap.length]);

        expect(redact(`${before} ${spelled}.`, [secret])).toBe(note);
      }),
    );
  });

  it.each<{ how: string; spell: (letter: string) => string }>([
    { how: "in capitals", spell: (letter) => letter.toUpperCase() },
    { how: "in full width", spell: fullWidth },
    { how: "with accents", spell: (letter) => `${letter}\u0301`.normalize() },
    { how: "as JSON escapes", spell: (letter) => `\\u00${hex(letter)}` },
    { how: "as \\x escapes", spell: (letter) => `\\x${hex(letter)}` },
    { how: "percent-encoded", spell: (letter) => `%${hex(letter)}` },
    { how: "as HTML entities", spell: (letter) => `&#${letter.charCodeAt(0)};` },
    { how: "between symbols that decompose into letters", spell: (letter) => `${letter}\u3200` },
    { how: "between letters like punctuation", spell: (letter) => `${letter}\u02d0\ua78f` },
    { how: "in full width between such letters", spell: (letter) => `${fullWidth(letter)}\u02d0` },
    { how: "between signs that decompose into digits", spell: (letter) => `${letter}\u00b2` },
    { how: "between lone surrogates", spell: (letter) => `${letter}\udb40\u200b\udc41` },
  ])("when every letter, or every second one, is written $how", ({ spell }) => {
    const all = key.replace(/[a-z\d]/gi, spell);
    const second = key.replace(/([a-z\d])([a-z\d])/gi, (_, one, two) => one + spell(two));

    expect(redact(`The key ${all} is not valid.`, [key])).toBe(note);
    expect(redact(`The key ${second} is not valid.`, [key])).toBe(note);
  });

  it("when it holds 8 letters of the value", () => {
    for (const stretch of ["sklivek7", "VEK7PQ2M", "2mX9vT4w"]) {
      expect(redact(`ends in ${stretch}.`, [key])).toBe(note);
    }
  });

  it.each(["base64", "base64url", "hex"] as const)("when it does so in %s", (encoding) => {
    for (const before of ["", ".", ".."]) {
      const encoded = Buffer.from(`${before}${key}?`).toString(encoding);

      expect(redact(encoded, [key])).toBe(note);
    }
  });

  it.each(["/", " ", '"', "=", "-", "_", "😀", "\u200b "])(
    "when a value of 4 to 7 letters stands there as a word after %j",
    (delimiter) => {
      expect(redact(`a${delimiter}t0k3${delimiter}b`, ["T0K3"])).toBe(note);
      expect(redact(`a${delimiter}t0k3n77${delimiter}b`, ["T0K3N77"])).toBe(note);
    },
  );
});

describe("A text that may hold a credential of an unknown value is withheld", () => {
  it.each([
    "Authorization: Bearer abc.def-123=",
    "authorization: basic dXNlcjpwYXNzd29yZA",
    '{"authorization":"bearer \u200b\n abc1"}',
    "secret whsec_C2FVsBQI+b5sSYspob7oD/=",
    "wh\u00adsec_abc",
    "see redis://:pass@example.com",
    "see https://example.com?c=d",
    "/api/base%5F1/webhooks",
  ])("%j", (text) => {
    expect(redact(text)).toBe(note);
  });
});

describe("A text without a secret is shown as it is", () => {
  it.each([
    { reason: "a longer word holds a short value", text: "hookshot, Fishhook2.", value: "hook" },
    { reason: "it shares fewer than 8 letters with a value", text: "sk_live is new", value: key },
    { reason: "a value has fewer than 4 letters", text: "a bad id", value: "bad" },
    { reason: "it speaks of credentials", text: "You need a Bearer token (whsec_).", value: key },
    { reason: "it names hosts", text: "example.com/a or https://example.com", value: key },
    { reason: "it compares", text: "3 < 4 && a <= b; 100 % & 7; 5\\", value: key },
  ])("although $reason", ({ text, value }) => {
    expect(redact(text, [value])).toBe(text);
  });

  it("although the path of the receiver holds the same common words", () => {
    const text = "Notifications: no more webhooks; incoming events need a callback service.";
    const url = "https://example.com/api/webhooks/incoming/notifications/callback?events=1";

    expect(redact(text, sensitivePartsOfUrl(url))).toBe(text);
  });
});

describe("The work of redaction", () => {
  const length = 400_000;

  it.each(["a.", "ab-", "bearer ", "bearer:-", "://", "//a", "&a", "<", "\\ ", "=\u0301"])(
    "grows linearly with a text of many %j",
    (unit) => {
      const has = vi.spyOn(Set.prototype, "has");
      onTestFinished(() => has.mockRestore());

      redact(unit.repeat(length / unit.length), [key]);

      // A pattern that backtracks would let the test time out.
      expect(has.mock.calls.length).toBeLessThanOrEqual(8 * length);
    },
  );
});

describe("The sensitive parts of a URL withhold what repeats them", () => {
  it.each([
    { url: "https://h.example/a1/b2/c3/d4/e5", text: "bad h.example/a1/b2/c3/d4/e5" },
    { url: "https://h.example/a/b/cdef", text: "bad path a, b, cdef" },
    { url: "https://bob:p1@h.example/", text: "bob:p1@h.example" },
    { url: "https://us%20er:pass@example.com/", text: "the password is pass" },
    { url: "https://example.com/?token=s3cr3t", text: "token s3cr3t is wrong" },
    { url: "https://example.com/#fragment-7", text: "not found: fragment 7" },
    { url: "https://example.com/t%2Fken%C3%A4xyz", text: "not found: t/kenäxyz" },
    { url: "https://example.com/webhooks-T0K3N-99", text: "not found: webhooks T0K3N-99" },
    { url: "not a URL", text: "it is not-a-url" },
  ])("$url", ({ url, text }) => {
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
    { text: "123456789", length: 5, line: "1234…" },
    { text: "\na\r\n\tb\u2028c\u0085d\u001b[31m\n", length: 50, line: "a b c d [31m" },
    { text: "a\udb40\u200b\udc41b", length: 50, line: "a\ufffd\ufffdb" },
  ])("of $text, cut at $length, is $line", ({ text, length, line }) => {
    expect(oneLine(text, length)).toBe(line);
  });
});
