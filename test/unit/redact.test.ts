import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, redact, sensitivePartsOfUrl } from "../../src/common/redact.ts";

const windowLength = 8;

/** Whether a text holds a stretch of 8 characters of a value, in any case. */
function holdsStretch(text: string, value: string): boolean {
  const haystack = text.toLowerCase();
  return Array.from({ length: value.length - windowLength + 1 }, (_, at) =>
    value.slice(at, at + windowLength).toLowerCase(),
  ).some((stretch) => haystack.includes(stretch));
}

// Without letters that the replacement itself is made of.
const characters = 'ABCFGHIJKLMNOPQSUVWXYZabfghijklmnopqsuvwxyz0123456789-_.~+/=%&?"\\ äß😀';
const values = fc.string({ unit: fc.constantFrom(...characters), minLength: 8, maxLength: 60 });
const surroundings = fc.string({ unit: "binary", maxLength: 30 });

describe("redaction of a known value", () => {
  const spellings: [string, (value: string) => string][] = [
    ["as it is", (value) => value],
    ["in capitals", (value) => value.replace(/[a-z]/g, (letter) => letter.toUpperCase())],
    ["in small letters", (value) => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase())],
    ["cut at its end", (value) => value.slice(0, -1)],
    ["cut at its beginning", (value) => value.slice(1)],
    ["twice", (value) => value + value],
    ["in JSON", (value) => JSON.stringify(value)],
  ];

  it.each(spellings)("leaves no stretch of 8 characters of it: %s", (_case, spell) => {
    fc.assert(
      fc.property(values, surroundings, surroundings, (value, before, after) => {
        const redacted = redact(before + spell(value) + after, [value]);

        expect(holdsStretch(redacted, value)).toBe(false);
      }),
    );
  });

  const encodings: [string, (value: string) => string][] = [
    ["percent-encoded", encodeURIComponent],
    ["percent-encoded in small letters", (value) => encodeURIComponent(value).toLowerCase()],
    ["JSON", (value) => JSON.stringify(value).slice(1, -1)],
    ["base64", (value) => Buffer.from(value).toString("base64")],
    ["base64url", (value) => Buffer.from(value).toString("base64url")],
  ];

  it.each(encodings)("leaves no stretch of it in %s", (_case, encode) => {
    fc.assert(
      fc.property(values, surroundings, surroundings, (value, before, after) => {
        const text = encode(value);

        const redacted = redact(before + text + after, [value]);

        expect(holdsStretch(redacted, text.replace(/[^=]{2}=*$/, ""))).toBe(false);
      }),
    );
  });

  it("leaves none in base64 of a text that holds it", () => {
    fc.assert(
      fc.property(values, fc.string(), fc.string(), (value, before, after) => {
        const encoded = Buffer.from(before + value + after).toString("base64");
        const offset = Buffer.byteLength(before);
        const end = offset + Buffer.byteLength(value);
        const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor((end * 8) / 6));

        const redacted = redact(encoded, [value]);

        expect(own.length >= windowLength && holdsStretch(redacted, own)).toBe(false);
      }),
    );
  });

  it("leaves nothing of a value of 4 to 7 characters that is a word of its own", () => {
    const short = fc.string({
      unit: fc.constantFrom(..."FGHJKMPQfghjkmpq0123456789"),
      minLength: 4,
      maxLength: 7,
    });
    const delimiter = fc.constantFrom("/", " ", '"', "=", "&", "%2F", "%2f", "ä", "-", "_", "😀");

    fc.assert(
      fc.property(short, surroundings, delimiter, (value, other, mark) => {
        const redacted = redact(`${other}${mark}${value}/${value}${mark}${other}`, [value]);

        expect(redacted.toLowerCase()).not.toContain(value.toLowerCase());
      }),
    );
  });

  it("leaves longer words alone that hold a value of 4 to 7 characters", () => {
    const redacted = redact("No more webhooks: hooks, Hooks2.", ["hooks"]);

    expect(redacted).toBe("No more webhooks: [redacted], Hooks2.");
  });

  it("leaves values alone that are too short to tell", () => {
    const redacted = redact("a bad id", ["a", "id", "bad", ""]);

    expect(redacted).toBe("a bad id");
  });

  it("leaves the rest of the text alone", () => {
    const redacted = redact("The key sk_live_K7pQ2mX9 is not valid.", ["sk_live_K7pQ2mX9"]);

    expect(redacted).toBe("The key [redacted] is not valid.");
  });

  it("works on texts in which letters change their length with their case", () => {
    const redacted = redact("İİİİ K7pQ2mX9vT4w İİİİ", ["k7PQ2MX9VT4W"]);

    expect(redacted).toBe("İİİİ [redacted] İİİİ");
  });
});

describe("redaction of what looks like a credential", () => {
  it.each([
    ["Authorization: Bearer abc.def-123=", "Authorization: Bearer [redacted]"],
    ["authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted]"],
    ['{"authorization":"bearer   abc"}', '{"authorization":"bearer [redacted]"}'],
    ["secret whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/=", "secret [redacted]"],
    ["WHSEC_abc", "[redacted]"],
    ["%22secret%22%3A%22whsec_a%2Bb%3D%22", "%22secret%22%3A%22[redacted]"],
    ["see wss://example.com/a", "see wss://example.com/[redacted]"],
    ["see redis://:pass@example.com/a", "see [redacted]"],
    ["see https://user:pass@example.com/a/b?c=d#e now", "see https://example.com/[redacted] now"],
    ['"http://example.com:81/x"', '"http://example.com:81/[redacted]"'],
    ["https://", "[redacted]"],
    ["https://[broken", "[redacted]"],
  ])("hides it: %s", (text, expected) => {
    const redacted = redact(text);

    expect(redacted).toBe(expected);
  });

  it("leaves other texts alone", () => {
    const text = 'Webhook 17 was not found in "base_abc123" (example.com/path, code 7).';

    const redacted = redact(text);

    expect(redacted).toBe(text);
  });
});

describe("the sensitive parts of a URL", () => {
  it("are user info, path, query and fragment, as written and decoded", () => {
    const parts = sensitivePartsOfUrl(
      "https://us%20er:pass@example.com/hooks/t%2Fk?a=b%26c&d=tok#frag",
    );

    expect(new Set(parts)).toEqual(
      new Set([
        "us%20er",
        "us er",
        "pass",
        "us%20er:pass",
        "us er:pass",
        "hooks/t%2Fk",
        "hooks/t/k",
        "hooks",
        "t%2Fk",
        "t/k",
        "a=b%26c&d=tok",
        "a=b&c&d=tok",
        "b&c",
        "tok",
        "frag",
      ]),
    );
  });

  it("are what is no valid encoding, too", () => {
    const parts = sensitivePartsOfUrl("https://example.com/100%/x");

    expect(new Set(parts)).toEqual(new Set(["100%/x", "100%", "x"]));
  });

  it("are all of what is no URL", () => {
    const parts = sensitivePartsOfUrl("not a URL");

    expect(parts).toEqual(["not a URL"]);
  });

  it.each([
    ["https://h.example/a1/b2/c3/d4/e5", "bad h.example/a1/b2/c3/d4/e5", "b2"],
    ["https://h.example/q1/w2", "//h.example/q1/w2", "w2"],
    ["https://h.example/hooks/tok/9f3", "at h.example/hooks/tok/9f3", "9f3"],
    ["https://bob:p1@h.example/", "bob:p1@h.example", "p1"],
  ])("hide all of a path or a password of short parts: %s", (url, text, part) => {
    const redacted = redact(text, sensitivePartsOfUrl(url));

    expect(redacted).not.toContain(part);
  });

  it("hide a short token in a query where it stands alone", () => {
    const parts = sensitivePartsOfUrl("https://example.com/?token=s3cr3t");

    const redacted = redact("token s3cr3t is wrong", parts);

    expect(redacted).not.toContain("s3cr3t");
  });
});

describe("one line", () => {
  it("has no line breaks or control characters, is well-formed and no longer than allowed", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.integer({ min: 1, max: 50 }),
        (text, length) => {
          const line = oneLine(`${text}\ud800${text}\udc00`, length);

          expect(line.length).toBeLessThanOrEqual(length);
          expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
          expect(line.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  it("keeps what is short and plain as it is", () => {
    const line = oneLine("Grüße 😀", 8);

    expect(line).toBe("Grüße 😀");
  });

  it("shows where it was cut", () => {
    const line = oneLine("123456789", 5);

    expect(line).toBe("1234…");
  });

  it("turns breaks into spaces", () => {
    const line = oneLine("\na\r\n\tb\u2028c\u0085d\u001b[31m\n", 50);

    expect(line).toBe("a b c d [31m");
  });
});
