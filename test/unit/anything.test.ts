import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { environmentVariables } from "../../src/common/setting-names.ts";
import { isUnknown } from "../../src/core/values.ts";
import { check, create, diff, read, delete as remove, update } from "../../src/dynamic/provider.ts";
import { someArgs, someState, unknownMarkers } from "../helpers/builders.ts";
import { startServer } from "../helpers/http-server.ts";
import { outcomeOf } from "../helpers/outcome-of.ts";
import { captureLines, configure } from "../helpers/provider.ts";
import { restoreWorld } from "../helpers/transport.ts";

beforeEach(() => configure());
afterEach(restoreWorld);

const argumentNames = ["databaseId", "url", "events", "tableId", "allowUnknownEvents", "secret"];
const anyName = fc.oneof(
  fc.constantFrom(...argumentNames, "baseUrl", "__provider", "__proto__", "constructor"),
  fc.string({ unit: "binary", maxLength: 50 }),
);
const marker = fc.constantFrom(...Object.values(unknownMarkers));

/** Anything that can stand in an argument, with values that Pulumi does not know yet at any depth. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    marker,
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
        const { inputs, failures } = await check({}, news);

        for (const { reason } of failures ?? []) {
          expectPrintable(reason);
        }
        for (const [name, given] of Object.entries(news)) {
          if (name !== "__provider" && isUnknown(given)) {
            expect(Object.getOwnPropertyDescriptor(inputs, name)?.value).toEqual(given);
          }
        }
        expectNoPollution();
      }),
    );
  });

  it("create sends nothing unless they are all right and all known", async () => {
    await using server = await startServer({ statusCode: 400 });
    await configure({ baseUrl: server.url, retrySeconds: "0" });

    await fc.assert(
      fc.asyncProperty(args, async (inputs) => {
        const { failures } = await check({}, inputs);
        const isComplete = failures === undefined && !isUnknown({ ...inputs, __provider: "" });

        const failure = await create(inputs).then(
          () => new Error("created"),
          (error: Error) => error,
        );

        const requests = server.requests.splice(0);
        expectPrintable(failure.message);
        expect(requests).toHaveLength(isComplete ? 1 : 0);
        expect(outcomeOf(failure)).toBe(isComplete ? "not created" : "not sent");
      }),
    );
  });

  it("diff says whether anything changes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(args, fc.constant(someState())), args, async (olds, news) => {
        const { lines, result } = await captureLines(() => diff("17", olds, news));

        expect(result.changes).toBeTypeOf("boolean");
        expect(result.changes).toBe((result.replaces ?? []).length > 0);
        for (const line of lines) {
          expectPrintable(line.trimEnd());
        }
      }),
    );
  });

  it("read and update keep the state", async () => {
    const state = args.map((changes) => ({ ...changes, secret: "whsec_5tGq8LrN3c" }));

    await fc.assert(
      fc.asyncProperty(state, args, async (olds, news) => {
        const { props } = await read("17", olds);
        const { outs } = await update("17", olds, news);

        expect(Object.keys(props ?? {}).toSorted()).toEqual(Object.keys(olds).toSorted());
        expect(outs?.secret).toMatchObject({ value: "whsec_5tGq8LrN3c" });
        expectNoPollution();
      }),
    );
  });

  it("delete sends nothing without a usable address", async () => {
    await using server = await startServer({ statusCode: 400 });
    await configure({ baseUrl: server.url, retrySeconds: "0" });
    const { host } = new URL(server.url);
    // The server gets a request all the same when one of these is repaired, or sent to.
    const baseUrl = fc.constantFrom(
      host,
      `http:${host}`,
      `http:\\\\${host}`,
      ` ${server.url}`,
      `http://user:password@${host}`,
      `${server.url}?query`,
      `${server.url}#fragment`,
    );
    const state = fc
      .tuple(args, baseUrl)
      .map(([changes, unusable]) => ({ ...changes, baseUrl: unusable }));

    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), state, async (id, props) => {
        const failure = await remove(id, props).then(
          () => new Error("deleted"),
          (error: Error) => error,
        );

        expectPrintable(failure.message);
        expect(server.requests).toEqual([]);
        expect(outcomeOf(failure)).toBe("not sent");
      }),
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
        // The two that are required are given, so that now and then all is right.
        await configure({ ...config, listing: "false" });

        const { failures } = await check({}, someArgs());
        const { changes } = (await captureLines(() => diff("17", someState(), someArgs()))).result;

        for (const { reason } of failures ?? []) {
          expectPrintable(reason);
          expect(reason).toMatch(/^dbwebhooks:\w+: /);
        }
        expect(changes).toBeTypeOf("boolean");
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
  for (const name of [...argumentNames, "baseUrl"]) {
    expect(Object.hasOwn(Object.prototype, name)).toBe(false);
  }
}
