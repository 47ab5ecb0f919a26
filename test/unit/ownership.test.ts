import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secret, someArgs } from "../helpers/builders.js";
import { startServer } from "../helpers/http-server.js";
import { startProvider, type TestProvider } from "../helpers/provider.js";

// One rule protects a webhook: a deletion does not reach it while another resource that this run has
// seen still has it, or while the program names it in `adopt`.

interface Run extends TestProvider {
  readonly state: Readonly<Record<string, unknown>>;
}
/** What Pulumi does about a resource before it deletes webhook 17 of the resource "orders". */
type Step = (run: Run, urnOf: (name: string) => { urn?: string }) => Promise<unknown>;

const webhooks = [{ ...someArgs(), id: 17, tableIds: null, active: true }];
const elsewhere = someArgs({ url: "https://example.com/other" });
const urn = (name: string) => `urn:pulumi:test::webhooks::dbwebhooks:index:Webhook::${name}`;

/** Pulumi checks and compares a resource that the program declares and the state holds. */
const compares =
  (name: string, id = "17", news = someArgs()): Step =>
  async ({ check, diff, state }, urnOf) => {
    const { inputs } = await check(someArgs(), news, urnOf(name));
    return await diff(id, state, inputs, urnOf(name));
  };
/** Pulumi creates a resource, or its replacement. */
const creates =
  (name: string, news = someArgs()): Step =>
  async ({ check, create }, urnOf) => {
    const { inputs } = await check({}, news, urnOf(name));
    return await create(inputs);
  };
const checks =
  (name: string, olds: object, news = someArgs()): Step =>
  ({ check }, urnOf) =>
    check({ ...olds }, news, urnOf(name));
const imports =
  (name: string, isOnlyRead = false): Step =>
  ({ import: read }, urnOf) =>
    read("17", "base_abc123", { ...urnOf(name), isOnlyRead });

/** Runs these steps and then deletes webhook 17 of "orders". Returns what was deleted, and all lines. */
async function deletedAfter(steps: readonly Step[], hasUrns = true, id = "17") {
  // The same answer is right for a creation, a deletion and a list.
  await using server = await startServer({ body: { id: 18, secret, success: true, webhooks } });
  const run = startProvider(
    { baseUrl: server.url, listing: "true" },
    { environment: { DBWEBHOOKS_IMPORT_SECRET: secret } },
  );
  const urnOf = (name: string) => (hasUrns ? { urn: urn(name) } : {});
  const state = { ...someArgs(), baseUrl: server.url, secret };
  for (const step of steps) {
    await step({ ...run, state }, urnOf);
  }
  await run.delete(id, state, urnOf("orders"));
  const deletions = server.requests.filter(({ method }) => method === "DELETE");
  return { deleted: deletions.map(({ path }) => path.split("/").at(-1)), lines: run.lines };
}

describe("a deletion reaches the webhook", () => {
  it.each<[string, Step[], boolean, boolean]>([
    ["when this run compared nothing", [], true, true],
    ["unless another resource keeps it", [compares("stays")], false, false],
    ["of a resource that is replaced although it is unchanged", [compares("orders")], true, false],
    ["when its resource changes", [compares("orders", "17", elsewhere)], true, true],
    [
      "of a resource that is replaced although its change is ignored",
      [compares("orders"), creates("orders", elsewhere)],
      true,
      false,
    ],
    [
      "in a rotation by replacementTrigger",
      [checks("orders", someArgs()), creates("orders")],
      true,
      true,
    ],
    ["when others keep other webhooks", [compares("a", "1"), compares("b", "18")], true, true],
    [
      "after a plain refresh",
      [
        ({ read, state }) => read("17", state),
        ({ diff, state }, of) => diff("17", state, someArgs(), of("stays")),
      ],
      true,
      true,
    ],
    [
      "unless the program adopts it",
      [checks("new", {}, someArgs({ adopt: { id: 17, secret } }))],
      false,
      false,
    ],
    [
      "when the program adopts another",
      [checks("new", {}, someArgs({ adopt: { id: 16, secret } }))],
      true,
      true,
    ],
    [
      "when the program adopts one of another database",
      [checks("new", {}, someArgs({ adopt: { id: 17, secret }, databaseId: "base_2" }))],
      true,
      true,
    ],
    [
      "unless another resource imported it",
      [imports("stays"), checks("stays", someArgs())],
      false,
      false,
    ],
    ["when another resource only reads it", [imports("stays", true)], true, true],
  ])("%s", async (_case, steps, withUrns, withoutUrns) => {
    for (const [hasUrns, isDeleted] of [
      [true, withUrns],
      [false, withoutUrns],
    ] as const) {
      const { deleted, lines } = await deletedAfter(steps, hasUrns);

      expect([hasUrns, deleted]).toEqual([hasUrns, isDeleted ? ["17"] : []]);
      expect(lines.filter((line) => line.startsWith("warning: Kept webhook 17 "))).toHaveLength(
        isDeleted ? 0 : 1,
      );
    }
  });

  it("unless another resource keeps it, in whatever order Pulumi asks", async () => {
    const steps = [
      compares("stays"),
      compares("other", "16"),
      creates("new"),
      checks("orders", {}),
    ];

    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(steps, { minLength: steps.length }),
        fc.boolean(),
        async (order, hasUrns) => {
          expect((await deletedAfter(order, hasUrns)).deleted).toEqual([]);
        },
      ),
      { numRuns: 24 },
    );
  });

  it("of another resource than the one that is kept", async () => {
    const { deleted } = await deletedAfter([compares("stays")], true, "18");

    expect(deleted).toEqual(["18"]);
  });
});

describe("two resources with one webhook", () => {
  const shared = [expect.stringMatching(/^warning: Two resources .*::one and urn:.*::other\. /)];

  it.each<[string, Step[], unknown[]]>([
    ["in the state", [compares("one"), compares("one"), compares("other")], shared],
    [
      "imported",
      ["one", "other"].flatMap((name) => [imports(name), checks(name, someArgs())]),
      shared,
    ],
    ["one of which only reads it", [imports("one", true), compares("other")], []],
  ])("are named once: %s", async (_case, steps, expected) => {
    const { lines } = await deletedAfter(steps, true, "16");

    expect(lines).toEqual(expected);
  });
});

describe("an import that the program declares otherwise", () => {
  it.each<[string, Step[], RegExp]>([
    [
      "is said as such, because Pulumi refuses it",
      [imports("one"), compares("one", "17", elsewhere)],
      /^warning: The program does not declare webhook 17 /,
    ],
    [
      "is no import when another resource is replaced",
      [imports("one", true), compares("other", "17", elsewhere)],
      /^warning: Replacing webhook 17 /,
    ],
  ])("%s", async (_case, steps, line) => {
    const { lines } = await deletedAfter(steps, true, "16");

    expect(lines).toEqual([expect.stringMatching(line)]);
  });
});
