import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine } from "../../../src/common/plain-text.ts";
import { redact, sensitiveValues, withheldText } from "../../../src/common/redaction.ts";

const key = "sk_live_K7pQ2mX9vT4w";

const lettersAndDigits = fc.constantFrom(..."ABCKQXZabckqxz0123456789");
const secrets = fc.string({ unit: lettersAndDigits, minLength: 8, maxLength: 40 });
const separators = fc.string({ unit: "binary" }).map((text) => text.replace(/[\p{L}\p{N}]/gu, ""));

describe("A text that repeats a sensitive value is redacted", () => {
  it("whatever stands between its letters and digits", () => {
    const gapLists = fc.array(separators, { minLength: 1, maxLength: 10 });

    fc.assert(
      fc.property(secrets, gapLists, fc.string({ unit: "binary" }), (secret, gaps, before) => {
        const spelled = secret.replace(/./g, (one, at) => one + gaps[at % gaps.length]);

        expect(redact(`${before} ${spelled}.`, [secret])).toBe(withheldText);
      }),
    );
  });

  it.each<{ how: string; spell: (one: string) => string }>([
    { how: "in capitals", spell: (one) => one.toUpperCase() },
    { how: "percent-encoded", spell: (one) => `%${one.charCodeAt(0).toString(16)}` },
  ])("when all its letters and digits, or every second one, are written $how", ({ spell }) => {
    const all = key.replace(/[a-z\d]/gi, spell);
    const everySecond = key.replace(/([a-z\d])([a-z\d])/gi, (_, one, two) => one + spell(two));

    expect(redact(`The key ${all} is not valid.`, [key])).toBe(withheldText);
    expect(redact(`The key ${all} is 100% not valid.`, [key])).toBe(withheldText);
    expect(redact(`The key ${everySecond} is not valid.`, [key])).toBe(withheldText);
  });

  it("when it holds 8 consecutive letters and digits of the value, in any case", () => {
    for (const part of ["sklivek7", "VEK7PQ2M", "2mX9vT4w"]) {
      expect(redact(`ends in ${part}.`, [key])).toBe(withheldText);
    }
  });
});

it.each([
  "Authorization: Bearer abc.def-123=",
  "authorization: basic dXNlcjpwYXNzdXNl",
  '{"authorization":"bearer \n abc1"}',
  "secret whsec_C2FVsBQI+b5sSYspob7oD/=",
  `<td>${"5F0c".repeat(10)}</td>`,
  `the_secret_${"0a".repeat(32)}_1`,
  "authorization=Bearer%20abc.def-123",
  "see https%3A%2F%2Fexample.com%2Fhook",
  '{"url":"https:\\/\\/example.com\\/hook"}',
])("A text that may hold an unknown credential is redacted: %j", (text) => {
  expect(redact(text, [])).toBe(withheldText);
});

it.each([
  ["The table has no such field. See https://docs.test/errors/field", "https://…"],
  ["see https://docs.test?c=d, or 'http://b.test/'", "https://… or 'http://…"],
  ["see https://docs.test now", "https://… now"],
  ["see redis://:pass@example.com", "redis://…"],
  ["see https://svc:Pa55w0rd#zz@db", "https://…"],
  ["see https://svc:Pa55/w0rd@db/x, now", "https://… now"],
  ["see https://docs.test/?token='Pa55'", "https://…"],
])("A URL in a text is cut to its scheme: %j", (text, expected) => {
  expect(redact(text, [])).toBe(text.replace(/\w+:\/\/.*/, expected));
});

it("A URL is cut before the text is, so that no part of one is left", () => {
  const text = `https://docs.test/${"a".repeat(3_990)} https://user:Pa55w0rd@db`;

  expect(redact(text, [])).toBe("https://… https://…");
});

it("No text shows 8 letters or digits in a row of a sensitive value or of a URL's credential", () => {
  const fragments = [
    "https://",
    "http:\\/\\/",
    "%3A//",
    "@",
    "/",
    "?t=",
    "#",
    "'",
    '"',
    "\\",
    " ",
    ".",
  ];
  const unknown = "Zq8wXr3vLm5n";
  const pieces = fc.constantFrom(...fragments, "docs.test", "not found", key, key.slice(3, 12));
  // User info, a path, a query or a fragment, with a credential that nothing else knows of.
  const urls = fc
    .tuple(
      fc.constantFrom("", "a/", "b?c=", "#", "'", "d:"),
      fc.constantFrom("", "/", "#e@f", "@g"),
    )
    .map(([before, after]) => `https://docs.test/${before}${unknown}${after}`);
  const texts = fc.array(fc.oneof({ weight: 4, arbitrary: pieces }, urls), { maxLength: 12 });

  fc.assert(
    fc.property(texts, (parts) => {
      const shown = redact(parts.join(""), [key])
        .replace(/[^\p{L}\p{N}]/gu, "")
        .toLowerCase();

      for (const value of [key, unknown].map((one) => one.replace(/\W|_/g, "").toLowerCase())) {
        for (let at = 0; at + 8 <= value.length; at += 1) {
          expect(shown).not.toContain(value.slice(at, at + 8));
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  { reason: "it shares only 7 letters with a value", text: "sk_live_K is new", value: key },
  { reason: "it holds a value of only 7 letters", text: "a bad 1d3nt1f", value: "1d3nt1f" },
  { reason: "it speaks of credentials", text: "You need a Bearer token (whsec_).", value: key },
  { reason: "it has the id of a trace", text: `Trace ${"4bf9".repeat(8)}`, value: key },
  { reason: "it names a host", text: "example.com/a is not reachable", value: key },
  { reason: "it holds operators", text: "3 < 4 && a <= b; 100 % & 7; 5\\", value: key },
])("A text without a secret is shown as it is, although $reason", ({ text, value }) => {
  expect(redact(text, [value])).toBe(text);
});

it("A text without a secret is shown as it is, although the receiver's URL has the same common words", () => {
  const text = "Notifications: no more webhooks; incoming events need a callback service.";
  const url = "https://example.com/API/Webhooks/incoming/notifications/callback?events=1";

  expect(redact(text, sensitiveValues({ properties: { url } }))).toBe(text);
});

it.each([
  [
    "The URL https://example.com/hooks/new did not answer the request",
    "https://example.com/hooks/new",
    "The URL https://… did not answer the request",
  ],
  ["Host example.com is not on the allow list", "https://example.com/hooks/Orders?t=1a2b3c4d"],
  ["Your plan allows 5 webhooks in production", "https://example.com/webhooks/production"],
  ["Your plan allows 5 webhooks in production", "https://bob:pw@example.com/production/1a2b3c4d"],
  ["Your plan allows 5 webhooks in production", "https://example.com/notifications/production"],
  ["production has no more subscriptions", "https://example.com/production/1a2b3c4d"],
  ["example.com is blocked", "https://my-shop-prod-hook.example.com/hooks/T0K3N7"],
  ["The twelveletter is locked", "https://example.com/twelveletter"],
  ["url must not be on localhost", "http://localhost:8080/"],
  ["Your plan allows no more webhooks", "https://example.com/T0K3N/webhooks"],
  ["production has no more webhooks", "https://example.com/production/orders/T0K3N"],
])("A text that names the plain words of a URL is shown: %j, of %s", (text, url, shown = text) => {
  expect(redact(text, sensitiveValues({ properties: { url } }))).toBe(shown);
});

it.each([
  ["hooks/T0K3N7 is wrong", "https://example.com:8443/hooks/T0K3N7"],
  ["hooks/T0K3N7 is wrong", "https://web2.example.com/hooks/T0K3N7"],
  ["events/T0K3N7 is wrong", "https://example.com/v2/events/T0K3N7"],
  ["hzofcpccvgwr is wrong", "https://example.com/hooks/hzofcpccvgwr:m0q2n0v9r"],
  ["correct-horse is wrong", "https://example.com/correct-horse-battery-staple"],
  ["orders/hzofcpccvgwr is wrong", "https://my-shop-prod-hook.example.com/orders/hzofcpccvgwr"],
  ["Host a-b-c-d.tunnels.test", "https://a-b-c-d.tunnels.test/hooks"],
  ["Host quiet-otter1.tunnels.test", "https://quiet-otter1.tunnels.test/hooks"],
])(
  "A text that names a part of a URL that may be a credential is withheld: %j, of %s",
  (text, url) => {
    expect(redact(text, sensitiveValues({ properties: { url } }))).toBe(withheldText);
  },
);

it.each([
  ["The hooks of quiet-orange-otters are full", "https://example.com/hooks/quiet-orange-otters"],
  ["Your plan allows no more webhooks", "https://example.com:8443/webhooks/T0K3N7/webhooks"],
])("A text that names plain words near one is shown: %j, of %s", (text, url) => {
  expect(redact(text, sensitiveValues({ properties: { url } }))).toBe(text);
});

// The forms of the ids in the URLs of public services that receive webhooks.
it("A text that repeats a random id in a URL is redacted", () => {
  const hex = "0123456789abcdef";
  const lower = "abcdefghijklmnopqrstuvwxyz";
  const any = `${lower}${lower.toUpperCase()}0123456789`;
  const idOf = (unit: string, length: number) =>
    fc.string({ unit: fc.constantFrom(...unit), minLength: length, maxLength: length });
  const urls = fc.oneof(
    idOf(`${lower}0123456789`, 24).map((id) => [id, `https://hooks.example.com/in/${id}`]),
    idOf(hex, 32).map((id) => [id, `https://example.com/webhooks/${id}`]),
    idOf(any, 20).map((id) => [id, `https://example.com/orders/${id}/new`]),
    idOf(lower, 13).map((id) => [id, `https://${id}.example.net/`]),
    idOf(any, 9).map((id) => [id, `https://example.com/hook?key=${id}`]),
    // With fewer than 8 letters, they are found together with the place.
    fc
      .tuple(idOf(any, 4), fc.constantFrom("acme.com", "acme.com.", "acme.com:", "acme.com.:"))
      .map(([id, host]) => [`hooks/${id}9`, `https://${host}/hooks/${id}9`]),
    idOf(lower, 2).map((id) => [`a-b-c-${id}.acme.com`, `https://a-b-c-${id}.acme.com./hooks`]),
    fc.tuple(idOf(any, 4), idOf(any, 4)).map(([a, b]) => [`${a}/${b}9`, `https://a.io/${a}/${b}9`]),
  );

  fc.assert(
    fc.property(urls, ([id = "", url]) => {
      const sensitive = sensitiveValues({ properties: { url } });

      expect(redact(`${id} is wrong`, sensitive)).toBe(withheldText);
    }),
    { numRuns: 1_000 },
  );
});

it("Redaction looks at the first 4,000 characters alone: of a longer text no more is shown", () => {
  expect(redact(`${"a ".repeat(1_990)}${key}`, [key])).toBe(withheldText);
  expect(redact(`${"a ".repeat(2_000)}${key}`, [key])).not.toContain(key);
  expect(oneLine(redact("\n".repeat(4_000) + key, [key]), 200)).toBe("");
});

it("Redaction compares the first 4,000 characters of a value, so that a secret of 760 kB blocks nothing", () => {
  const value = Array.from({ length: 150_000 }, (_, at) => at.toString(36).padStart(5, "0")).join(
    "",
  );
  const end = value.slice(-8);

  expect(redact(`ends in ${value.slice(3_992, 4_000)}`, [value])).toBe(withheldText);
  expect(redact(`ends in ${end}`, [value])).toBe(`ends in ${end}`);
});

it("Redaction compares many different values, and withholds every text when there are too many", () => {
  const valuesOf = (count: number) =>
    Array.from({ length: count }, (_, at) => `value-number-${at}`);
  const few = [...valuesOf(50), ...valuesOf(50), ...valuesOf(50)];

  expect(redact("A harmless text.", few)).toBe("A harmless text.");
  expect(redact("number-49 is wrong", few)).toBe(withheldText);
  expect(redact("A harmless text.", valuesOf(1_000))).toBe(withheldText);
});

it.each([
  { url: "https://example.com/a1/b2/c3/d4/e5", text: "bad path a1/b2/c3/d4/e5" },
  { url: "https://bob:p1w2x3@example.com/", text: "bob:p1w2x3 is wrong" },
  { url: "https://bob:p%C3%A4ssword@example.com/", text: "the password is pässword" },
  { url: "https://bob:pw@example.com/", text: "bob:pw@example.com is wrong" },
  // A short credential is found together with the word in front of it.
  { url: "https://example.com/orders/T0K3N", text: "not found: orders/T0K3N" },
  { url: "https://example.com/orders?abcdef", text: "not found: orders?abcdef" },
  { url: "https://example.com/hooks/key=secretword", text: "the key is secretword" },
  { url: "https://example.com/a/mYsecretWord", text: "not found: mYsecretWord" },
  { url: "https://example.com/hooks#sesameopen", text: "not found: sesameopen" },
  { url: "https://example.com/hooks;sesameopen", text: "not found: sesameopen" },
  { url: "https://s.io/x/y/k9x", text: "not found: s.io/x/y/k9x" },
  { url: "https://example.com/abcdefg/k1", text: "not found: abcdefg/k" },
  { url: "https://example.com/webhooks/T0K3N", text: "no route /webhooks/T0K3N" },
  { url: "https://example.com/services/T0K3N7x", text: "no route /services/T0K3N7x" },
  { url: "https://example.com/hooks/k9x7", text: "not found: hooks/k9x7" },
  // A word that ends or begins with a common one.
  { url: "https://example.com/webservice/T0kenA7", text: "no route webservice/T0kenA7" },
  { url: "https://joe:pw9@webhookrelay.com/x1", text: "cannot resolve joe:pw9@webhookrelay.com" },
  { url: "https://example.com/?token=s3cr3t77", text: "s3cr3t77 is wrong" },
  { url: "https://example.com/?a=b1&c=d2&e=f3", text: "bad query a=b1&c=d2&e=f3" },
  { url: "https://example.com/#fragment-7", text: "not found: fragment 7" },
  { url: "https://example.com/a/t7%2Fk%C3%A4nguru/b", text: "not found: t7/känguru" },
  { url: "https://example.com/webhooks-T0K3N-99x", text: "not found: webhooks T0K3N-99x" },
  { url: "https://eo1a7b9c.m.example.net/", text: "could not resolve host eo1a7b9c.m.example.net" },
  { url: "https://eo1.m.example.net/", text: "could not resolve host eo1.m.example.net" },
  { url: "not a URL at all", text: "it is not-a-url-at-all" },
])("A text that repeats a sensitive part of a URL is redacted: $text, of $url", ({ url, text }) => {
  expect(redact(text, sensitiveValues({ properties: { url } }))).toBe(withheldText);
});

it.each<[body: string, secrets: readonly string[]]>([
  ['{"secret":"abc-1"}', ["abc-1"]],
  ['{"a":[{"secret" : "abc-1"},{"signingSecret":"def-2"}]}', ["abc-1", "def-2"]],
  [JSON.stringify({ echo: JSON.stringify({ secret: "abc-1" }) }), ['abc-1\\"}']],
  [JSON.stringify({ secret: "abc'def" }), ["abc'def"]],
  [JSON.stringify({ secret: 'abc"def' }), ['abc\\"def']],
  ["Bad request: {'secret': 'abc-1'}", ["abc-1"]],
  ["POST /hooks?secret=abc-1&x=2 failed", ["abc-1"]],
  ["POST /hooks?client_secret%3Dabc-1 failed", ["abc-1"]],
  ['{"secrets":["abc-1"],"secret_key":"def-2"}', ["abc-1", "def-2"]],
  ['{"secretAccessKey":"abc-1"}', ["abc-1"]],
  ["Webhook { id: 7, secret: 'abc-1' }", ["abc-1"]],
  ["Webhook(id=7, secret='abc-1')", ["abc-1"]],
  ['#<Webhook id: 7, secret: "abc-1">', ["abc-1"]],
  ['{:id=>7, :secret=>"abc-1", "signing_secret" => "def-2"}', ["abc-1", "def-2"]],
  // Rails escapes > in JSON.
  [String.raw`{:id=\u003e7, :secret=\u003e\"abc-1\"}`, [String.raw`abc-1\"}`]],
  ['Webhook{Id:7, Secret:"abc-1"}', ["abc-1"]],
  ["secret = 'abc-1'", ["abc-1"]],
  ["Webhook(secret=b'abc-1')", ["abc-1"]],
  ['Webhook { secret: Some("abc-1") }', ["abc-1"]],
  ['{"message":"Webhook { secret: \\"abc-1\\" }"}', ['abc-1\\" }']],
  ["Invalid secret: verification failed", []],
  ["Invalid secret => verification failed", []],
  ['{"secret":17,"secrets":[]}', []],
  // Writers of JSON escape quotes and "=" in .NET, Gson and others.
  [String.raw`{"message":"{\u0022secret\u0022:\u0022abc-1\u0022}"}`, ["abc-1"]],
  [String.raw`{"message":"secret\u003dabc-1"}`, ["abc-1"]],
  [String.raw`{"message":"secret: \u0027abc-1\u0027"}`, ["abc-1"]],
  [String.raw`{"echo":"{\"message\":\"{\\u0022secret\\U0022:\\u0022abc-1\\u0022}\"}"}`, ["abc-1"]],
  [String.raw`{"s\u0065cret":"abc-1"}`, ["abc-1"]],
  // An escaped quote within a secret: the body is searched as it is, too.
  [String.raw`{"secret":"abc\u0022def-1"}`, [String.raw`abc\u0022def-1`, "abc"]],
])("The secrets in the body %s are %j", (body, secrets) => {
  expect(new Set(sensitiveValues({ body }))).toEqual(new Set(secrets));
});

it("A body of 1 MiB is searched in linear time, whatever it holds", () => {
  // In a time that grows with the square of the length, this would take hours.
  for (const unit of ["\\", "\\u", "secret", "secret=", 'secret\\"', "://", "secret\\u0022"]) {
    const body = unit.repeat((1024 * 1024) / unit.length);

    expect(sensitiveValues({ body }).join("")).not.toContain("whsec_");
    expect(redact(body, [])).not.toContain("whsec_");
  }
});

it("The key, the secret and the variable of an import are sensitive, and nothing that is no text", () => {
  const properties = { secret: "whsec_1", url: 7, databaseId: "base_1" };

  expect(sensitiveValues({ apiKeys: ["key"], properties, description: "described" })).toEqual([
    "key",
    "whsec_1",
    "described",
  ]);
  expect(sensitiveValues({ properties: { secret: null } })).toEqual([]);
});
