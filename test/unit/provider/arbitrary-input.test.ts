import fc from "fast-check";
import { expect, it } from "vitest";
import { settingNames } from "../../../src/common/settings-table.ts";
import { webhookArguments } from "../../../src/provider/rules/arguments.ts";
import { hasMarker } from "../../../src/provider/rules/values.ts";
import { secret, someArgs, someState, unknownMarkers, wrapped } from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { expectNoPrototypePollution, expectPrintable } from "../../helpers/expectations.ts";
import { startServer } from "../../helpers/http-server.ts";
import { startProvider } from "../../helpers/provider.ts";

const argumentNames = Object.keys(webhookArguments);
const anyName = fc.oneof(
  fc.constantFrom(...argumentNames, "secret", "baseUrl", "__proto__", "constructor"),
  fc.string({ unit: "binary", maxLength: 150 }),
);

/** Any value of an argument, with values that Pulumi does not know yet at any depth. */
const { anyValue } = fc.letrec((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...Object.values(unknownMarkers)),
    fc.jsonValue(),
    fc.string({ unit: "binary" }),
    fc.constantFrom(undefined, "https://example.com/hooks", "record.created", "\ud800"),
    fc.string({ minLength: 1_000, maxLength: 3_000 }),
    fc.array(tie("anyValue")),
    fc.dictionary(anyName, tie("anyValue")),
  ),
}));
const validExceptForOne = fc
  .tuple(fc.constantFrom(...argumentNames), anyValue)
  .map(([name, value]) => someArgs({ [name]: value }));
const anyArgs = fc.oneof(fc.dictionary(anyName, anyValue), validExceptForOne);

it("A check keeps every unknown value, and a creation sends only valid arguments", async () => {
  // The service refuses every creation.
  await using server = await startServer({ statusCode: 400 });
  const { check, create } = startProvider({ baseUrl: server.url });

  await fc.assert(
    fc.asyncProperty(anyArgs, async (args) => {
      const { inputs, problems } = await check(args);
      const isValid = problems.length === 0 && !hasMarker(args);

      // As Pulumi does, which creates with the inputs that a check has returned.
      const error = await errorOf(create({ ...inputs }));

      for (const line of [...problems, error.message]) {
        expectPrintable(line);
        // The name of the argument or of the operation, and then the problem.
        expect(line).toMatch(/^.*: .{10,}$/u);
      }
      const unknowns = Object.entries(args).filter(([, value]) => hasMarker(value));
      expect(Object.entries(inputs)).toEqual(expect.arrayContaining(unknowns));
      expect(server.requests.splice(0)).toHaveLength(isValid ? 1 : 0);
      expect(error).toMatchObject({ kind: "notCreated" });
      expectNoPrototypePollution();
    }),
  );
});

it("Without listing, whatever the input, a diff shows differences or fails, and a read keeps the state", async () => {
  const oddUrls = ["http://[::1", "https://a b", "https://a.b?c#d"];
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    // No "true", because a read sends a request if listing is on.
    fc.constantFrom(...oddUrls, "\ud800", "1e3", "-0", "false"),
    fc.string({ minLength: 5_000, maxLength: 6_000 }),
  );
  const anyConfig = fc.dictionary(fc.constantFrom(...settingNames), anyText);
  const anyState = fc.oneof(anyArgs, fc.constant(someState()));

  await fc.assert(
    fc.asyncProperty(anyConfig, anyState, anyArgs, async (config, state, news) => {
      const { check, diff, read, lines } = startProvider(config);
      const olds = { ...state, secret };

      const { problems } = await check(news);
      const result = await diff("17", olds, news).catch((error) => error.kind);
      const refreshed = await read("17", olds).catch((error) => error.kind);

      expect([
        { changes: false },
        { changes: true, replaces: expect.any(Array) },
        "unchanged",
      ]).toContainEqual(result);
      const stored = { id: "17", props: { ...olds, secret: wrapped(secret) } };
      expect([stored, "unchanged"]).toContainEqual(refreshed);
      [...problems, ...lines].forEach(expectPrintable);
      expectNoPrototypePollution();
    }),
  );
});
