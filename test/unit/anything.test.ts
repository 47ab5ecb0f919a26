import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { environmentVariables } from "../../src/common/setting-names.js";
import { isUnknown } from "../../src/provider/values.js";
import { secret, someArgs, someState, unknownMarkers } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider } from "../helpers/provider.js";

const argumentNames = ["databaseId", "url", "events", "tableId", "allowUnknownEvents", "adopt"];
const anyName = fc.oneof(
  fc.constantFrom(...argumentNames, "secret", "baseUrl", "__proto__", "constructor"),
  fc.string({ unit: "binary", maxLength: 150 }),
);

/** Any value of an argument, with values that Pulumi does not know yet at any depth. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...Object.values(unknownMarkers)),
    fc.jsonValue(),
    fc.string({ unit: "binary" }),
    fc.constantFrom(undefined, "https://example.com/hooks", "record.created", "\ud800"),
    fc.string({ minLength: 1_000, maxLength: 3_000 }),
    fc.array(tie("value")),
    fc.dictionary(anyName, tie("value")),
  ),
}));
const args: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.dictionary(anyName, value),
  // Valid but for one argument.
  fc
    .tuple(fc.constantFrom(...argumentNames), value)
    .map(([name, one]) => someArgs({ [name]: one })),
);

describe("Whatever the arguments are", () => {
  it("check keeps unknown values, and create sends valid arguments only", async () => {
    await using server = await startServer({ statusCode: 400 });
    const { check, create } = startProvider({ baseUrl: server.url, retrySeconds: "0" });

    await fc.assert(
      fc.asyncProperty(args, async (news) => {
        const { inputs, failures } = await check({}, news);
        const { adopt, ...others } = news;
        const isValid = (await check({}, others)).failures.length === 0 && !isUnknown(others);

        const failure = await errorOf(create(others));

        for (const line of [...failures, failure.message]) {
          expectPrintable(line);
          expect(line).toMatch(/^.*: .{10,}$/u);
        }
        const unknowns = Object.entries(news).filter(([, given]) => isUnknown(given));
        expect(Object.entries(inputs)).toEqual(expect.arrayContaining(unknowns));
        expect(server.requests.splice(0)).toHaveLength(isValid ? 1 : 0);
        expect(kindOf(failure)).toBe("notCreated");
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it("diff and read end, and read keeps the state", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(args, fc.constant(someState())), args, async (state, news) => {
        const { check, diff, read, lines } = startProvider();
        const olds = { ...state, secret };
        await check(olds, news);

        // A webhook whose own adopt names it and that differs is a conflict.
        await diff("17", olds, news).catch((error) => expect(kindOf(error)).toBe("unchanged"));
        const { properties = {} } = (await read("17", olds)) ?? {};

        expect(properties).toEqual({ ...olds, secret: expect.objectContaining({ value: secret }) });
        for (const line of lines) {
          expectPrintable(line);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it("delete sends nothing without a usable address", async () => {
    await using server = await startServer({ statusCode: 400 });
    const run = startProvider({ baseUrl: server.url, retrySeconds: "0" });
    const { host } = new URL(server.url);
    // The server gets a request anyway when one of these is repaired, or sent to.
    const wrong = [host, `http:${host}`, `http:\\\\${host}`, ` ${server.url}`, `${server.url}?a`];
    const segment = fc.constantFrom("", ".", "..", "\ud800");
    const unusable = fc.oneof(
      fc.record({ baseUrl: fc.constantFrom(...wrong, `http://user:p@${host}`, `${server.url}#a`) }),
      fc.record({ id: segment }),
      fc.record({ databaseId: fc.oneof(segment, fc.constantFrom(undefined, 7)) }),
    );

    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), args, unusable, async (any, ...changes) => {
        const good = { id: any, databaseId: "base_abc123", baseUrl: server.url };
        const { id, ...state } = Object.assign({}, ...changes.toSpliced(1, 0, good));

        const failure = await errorOf(run.delete(id, state));

        expectPrintable(failure.message);
        expect([kindOf(failure), server.requests]).toEqual(["notDeleted", []]);
      }),
    );
  });
});

describe("Whatever the configuration is", () => {
  it("check reports its problems, and diff refuses nothing but another base URL", async () => {
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
        const comparison = await diff("17", someState(), someArgs()).then(() => "compared", kindOf);
        expect(["compared", "unchanged"]).toContain(comparison);
        expect(Object.keys(Object.prototype)).toEqual([]);
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
