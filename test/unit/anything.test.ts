import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { environmentVariables } from "../../src/common/setting-names.js";
import { isUnknown } from "../../src/core/values.js";
import { secret, someArgs, someState, unknownMarkers } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { startRawServer, startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider } from "../helpers/provider.js";

const argumentNames = ["databaseId", "url", "events", "tableId", "allowUnknownEvents", "adopt"];
const anyName = fc.oneof(
  fc.constantFrom(...argumentNames, "secret", "baseUrl", "__proto__", "constructor"),
  fc.string({ unit: "binary", maxLength: 150 }),
);

/** Anything that can stand in an argument, with values that Pulumi does not know yet at any depth. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...Object.values(unknownMarkers)),
    fc.jsonValue(),
    fc.string({ unit: "binary" }),
    fc.constantFrom(undefined, "https://example.com/hooks", "record.created", "\ud800"),
    fc.array(tie("value")),
    fc.dictionary(anyName, tie("value")),
  ),
}));
const anyArgs = fc.dictionary(anyName, value) as fc.Arbitrary<Record<string, unknown>>;
const almostArgs = fc
  .tuple(fc.constantFrom(...argumentNames), value)
  .map(([name, instead]) => someArgs({ [name]: instead }));
const args = fc.oneof(anyArgs, almostArgs);

describe("Whatever the arguments are", () => {
  it("check ends with inputs or with failures, and keeps what is not known yet", async () => {
    await fc.assert(
      fc.asyncProperty(args, async (news) => {
        const { inputs, failures } = await startProvider().check({}, news);

        for (const line of failures) {
          expectPrintable(line);
          expect(line).toMatch(/^.*: .{10,}$/u);
          expect(line.length).toBeLessThanOrEqual(500);
        }
        for (const [name, given] of Object.entries(news)) {
          if (isUnknown(given)) {
            expect(Object.getOwnPropertyDescriptor(inputs, name)?.value).toEqual(given);
          }
        }
        expectNoPollution();
      }),
    );
  });

  it("create sends nothing unless they are all right and all known", async () => {
    await using server = await startServer({ statusCode: 400 });
    const { check, create } = startProvider({ baseUrl: server.url, retrySeconds: "0" });

    await fc.assert(
      fc.asyncProperty(args, async ({ adopt: _, ...inputs }) => {
        const { failures } = await check({}, inputs);
        const isComplete = failures.length === 0 && !isUnknown(inputs);

        const failure = await errorOf(create(inputs));

        expectPrintable(failure.message);
        expect(server.requests.splice(0)).toHaveLength(isComplete ? 1 : 0);
        expect(kindOf(failure)).toBe("notCreated");
      }),
    );
  });

  it("diff and read end, and the state is kept", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(args, fc.constant(someState())), args, async (state, news) => {
        const { check, diff, read, lines } = startProvider();
        const olds = { ...state, secret };
        await check(olds, news);

        // A conflict is the answer to a webhook that its own adopt names.
        await diff("17", olds, news).catch((error) => expect(kindOf(error)).toBe("conflict"));
        const { properties = {} } = (await read("17", olds)) ?? {};

        expect(properties).toEqual({ ...olds, secret: expect.objectContaining({ value: secret }) });
        for (const line of lines) {
          expectPrintable(line);
        }
        expectNoPollution();
      }),
    );
  });

  it("delete sends nothing without a usable address", async () => {
    await using server = await startServer({ statusCode: 400 });
    const run = startProvider({ baseUrl: server.url, retrySeconds: "0" });
    const { host } = new URL(server.url);
    // The server gets a request anyway when one of these is repaired, or sent to.
    const wrong = [host, `http:${host}`, `http:\\\\${host}`, ` ${server.url}`, `${server.url}?a`];
    const baseUrl = fc.constantFrom(...wrong, `http://user:password@${host}`, `${server.url}#a`);
    const segment = fc.constantFrom("", ".", "..", "\ud800");
    const good = { id: "17", databaseId: "base_abc123", baseUrl: server.url };
    const states = fc
      .oneof(
        fc.record({ id: fc.string({ unit: "binary" }), baseUrl }),
        fc.record({ id: segment }),
        fc.record({ databaseId: fc.oneof(segment, fc.constantFrom(undefined, 7)) }),
      )
      .map((unusable) => ({ ...good, ...unusable }));

    await fc.assert(
      fc.asyncProperty(args, states, async (changes, { id, ...unusable }) => {
        const failure = await errorOf(run.delete(id, { ...changes, ...unusable }));

        expectPrintable(failure.message);
        expect([kindOf(failure), server.requests]).toEqual(["kept", []]);
      }),
    );
  });
});

describe("Whatever the service answers", () => {
  const field = fc.oneof(
    fc.constantFrom('"whsec_5tGq8LrN3c"', "17", "0", "1e999", "-1", "true", "null", '"NOT_FOUND"'),
    fc.constantFrom('"\\ud800"', '"\\u0000\\r\\n\\u2028"', `"${"long ".repeat(3_000)}"`),
    fc.json({ stringUnit: "binary" }),
  );
  const shape = fc.constantFrom<(a: string, b: string) => string>(
    (id, secret) => `{"id":${id},"secret":${secret}}`,
    (id, secret) => `{"__proto__":{"id":${id},"secret":${secret}},"id":${id}}`,
    (code, message) => `{"error":{"code":${code},"message":${message}}}`,
    (success) => `{"success":${success}}`,
    (text) => text,
  );
  const body = fc.tuple(shape, field, field).map(([make, one, other]) => make(one, other));
  const header = fc.oneof(
    fc.constantFrom("retry-after: 9e9", "location: //\\", "content-length: 3", "link: <"),
    fc.constantFrom("transfer-encoding: chunked", "content-encoding: gzip"),
    fc.string({ unit: "binary-ascii" }),
  );
  const status = fc.oneof(fc.constantFrom(200, 404, 503), fc.integer({ min: 100, max: 999 }));
  const answerOf = (code: number, text: string, ...headers: readonly string[]) =>
    [`HTTP/1.1 ${code} Reason`, ...headers, "", text].join("\r\n");
  const answers = fc.oneof(
    fc.tuple(status, body).map((parts) => answerOf(...parts)),
    fc.tuple(status, body, header, header).map((parts) => answerOf(...parts)),
    fc.string({ unit: "binary" }),
  );
  // Nearly 1 MiB that takes long, or is too deep, for a careless reader.
  const huge = [
    "[".repeat(900_000),
    '{"a":'.repeat(200_000),
    `{"id":${"9".repeat(1_000_000)},"secret":"s"}`,
    `{"error":{"code":"X","message":"${"https://".repeat(120_000)}"}}`,
  ];
  const texts = [...huge, '{"id":17,"secret":"whsec_1"}'];
  const examples = [200, 400].flatMap((code) => texts.map((text) => [answerOf(code, text)]));

  it("a creation and a deletion end well or with a message", async () => {
    let answer = "";
    await using server = await startRawServer((socket) => socket.end(answer));
    const state = someState({ baseUrl: server.url });

    await fc.assert(
      fc.asyncProperty(answers, async (given) => {
        answer = given;
        const run = startProvider({ baseUrl: server.url, retrySeconds: "0" });

        const created = await run.create(someArgs()).catch((error: Error) => error);
        const deleted = await run.delete("18", state).catch((error: Error) => error);

        if (deleted !== undefined) {
          expectPrintable(deleted.message);
          expect(kindOf(deleted)).toBe("kept");
        }
        if (created instanceof Error) {
          expectPrintable(created.message);
          expect(["notCreated", "inDoubt", "undone", "partial"]).toContain(kindOf(created));
        } else {
          const { id, secret: value } = JSON.parse(given.split("\r\n\r\n")[1] ?? "");
          expect(created).toMatchObject({ id: String(id), properties: { secret: { value } } });
        }
        expectNoPollution();
      }),
      { examples: examples as [string][] },
    );
  });
});

describe("Whatever the configuration is", () => {
  it("check says what is wrong with it, and nothing else fails for it", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.constantFrom("http://[::1", "https://a b", "\ud800", "1e3", "0x10", "-0", "true", " 1 "),
      fc.string({ minLength: 5_000, maxLength: 6_000 }),
    );
    const names = fc.constantFrom(...Object.keys(environmentVariables), "baseurl", "__proto__");

    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, text), async (config) => {
        const { check, diff } = startProvider({ ...config, listing: "false" });

        const { failures } = await check({}, someArgs());

        for (const line of failures) {
          expectPrintable(line);
          expect(line).toMatch(/^dbwebhooks:\w+: /);
        }
        expect(await diff("17", someState(), someArgs())).toBeInstanceOf(Array);
        expectNoPollution();
      }),
    );
  });
});

function expectPrintable(text: string): void {
  expect(text.length).toBeGreaterThan(10);
  expect(Buffer.byteLength(text)).toBeLessThan(2_048);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
}

function expectNoPollution(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(argumentNames.filter((name) => Object.hasOwn(Object.prototype, name))).toEqual([]);
}
