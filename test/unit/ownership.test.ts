import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listed, secret, someArgs } from "../helpers/builders.js";
import { startServer } from "../helpers/http-server.js";
import { startProvider, type TestProvider } from "../helpers/provider.js";

// One rule protects a webhook: a deletion does not reach it while another resource that this run has
// seen still has it, or while the program names it in `adopt`.

interface Run extends TestProvider {
  readonly state: Readonly<Record<string, unknown>>;
}
/** What Pulumi does about a resource before it deletes webhook 17 of the resource "orders". */
type Step = (run: Run, urnOf: (name: string) => { urn?: string }) => Promise<unknown>;

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
const adopts = (id: number, databaseId = "base_abc123") =>
  checks("adopter", {}, someArgs({ databaseId, adopt: { id, secret } }));
const imports =
  (name: string, isOnlyRead = false): Step =>
  ({ import: read }, urnOf) =>
    read("17", "base_abc123", { ...urnOf(name), isOnlyRead });
const refreshes: Step = ({ read, state }) => read("17", state);
/** Pulumi compares what no program declares. */
const comparesState: Step = ({ diff, state }, urnOf) =>
  diff("17", state, someArgs(), urnOf("stays"));

/** Runs these steps and then deletes webhook 17 of "orders". Returns what was deleted, and all lines. */
async function deletedAfter(steps: readonly Step[], hasUrns = true, id = "17") {
  // The same answer is right for a creation, a deletion and a list.
  await using server = await startServer({
    body: { id: 18, secret, success: true, webhooks: [listed()] },
  });
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

describe("a deletion", () => {
  const rotation = [checks("orders", someArgs()), creates("orders")];
  const ignored = [compares("orders"), creates("orders", elsewhere)];
  const otherWebhooks = [compares("a", "1"), compares("b", "18")];
  const imported = [imports("stays"), checks("stays", someArgs())];
  it.each<[string, "always" | "with URNs" | "never", Step[]]>([
    ["when this run compared nothing", "always", []],
    ["when another resource keeps it", "never", [compares("stays")]],
    ["when its own resource was unchanged", "with URNs", [compares("orders")]],
    ["when the change of its own resource was ignored", "with URNs", ignored],
    ["when its own resource changes", "always", [compares("orders", "17", elsewhere)]],
    ["in a rotation by replacementTrigger", "always", rotation],
    ["when others keep other webhooks", "always", otherWebhooks],
    ["after a plain refresh", "always", [refreshes, comparesState]],
    ["when no program has run", "always", [comparesState]],
    ["when the program adopts it", "never", [adopts(17)]],
    ["when the program adopts another", "always", [adopts(16), adopts(17, "base_2")]],
    ["when another resource imported it", "never", imported],
    ["when another resource only reads it", "always", [imports("stays", true)]],
  ])("%s reaches the webhook %s; else it says so", async (_case, reaches, steps) => {
    for (const hasUrns of [true, false]) {
      const { deleted, lines } = await deletedAfter(steps, hasUrns);

      const isDeleted = reaches === "always" || (reaches === "with URNs" && hasUrns);
      const kept = lines.filter((line) => line.startsWith("warning: Kept webhook 17 "));
      expect([hasUrns, deleted, kept.length]).toEqual(
        isDeleted ? [hasUrns, ["17"], 0] : [hasUrns, [], 1],
      );
    }
  });

  it("never reaches what another resource keeps, in whatever order Pulumi asks", async () => {
    const steps = [compares("stays"), compares("a", "16"), creates("new"), checks("orders", {})];
    const anyOrder = fc.shuffledSubarray(steps, { minLength: steps.length });

    await fc.assert(
      fc.asyncProperty(anyOrder, fc.boolean(), async (order, hasUrns) => {
        expect((await deletedAfter(order, hasUrns)).deleted).toEqual([]);
      }),
      { numRuns: 24 },
    );
  });
});

describe("two resources with one webhook", () => {
  const shared = /^warning: Two resources .*::one and urn:.*::other\. /;
  const otherwise = /^warning: The program does not declare webhook 17 /;
  const replaced = /^warning: Replacing webhook 17 /;
  const importing = (name: string) => [imports(name), checks(name, someArgs())];
  const differs = (name: string) => compares(name, "17", elsewhere);
  it.each<[string, Step[], RegExp[]]>([
    ["are named once", [compares("one"), compares("one"), compares("other")], [shared]],
    ["are named when both are imported", [...importing("one"), ...importing("other")], [shared]],
    ["are not named when one only reads it", [imports("one", true), compares("other")], []],
    [
      "are two when one reads what the other replaces",
      [imports("one", true), differs("other")],
      [replaced],
    ],
    [
      "are one when an import differs, which Pulumi refuses",
      [imports("one"), differs("one")],
      [otherwise],
    ],
  ])("%s", async (_case, steps, expected) => {
    const { lines } = await deletedAfter(steps, true, "16");

    expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)));
  });
});
