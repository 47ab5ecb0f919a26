import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  listed,
  listOf,
  secret,
  secretEnvelope,
  someArgs,
  someState,
  unknownMarkers,
} from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { type Answer, startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider, type TestProvider } from "../helpers/provider.js";

// One rule protects a webhook: a deletion does not reach it while another resource that this run has
// seen still has it, or while the program names it in `adopt`.

interface Run extends TestProvider {
  readonly state: Readonly<Record<string, unknown>>;
  readonly urnOf: (name: string) => { urn?: string };
}
/** What Pulumi does about webhook 17. */
type Step = (run: Run) => Promise<unknown>;

const elsewhere = someArgs({ url: "https://example.com/other" });
const adopting = (changes: object = {}) => someArgs({ adopt: { id: "17", secret, ...changes } });

const checks =
  (name: string, olds: object, news = someArgs()): Step =>
  ({ check, urnOf }) =>
    check({ ...olds }, news, urnOf(name));
/** Pulumi checks and compares a resource that the program declares and the state holds. */
const compares =
  (name: string, news = someArgs(), id = "17"): Step =>
  async (run) => {
    await checks(name, someArgs(), news)(run);
    return run.diff(id, run.state, news, run.urnOf(name));
  };
/** Pulumi creates a resource, or its replacement. */
const creates =
  (name: string, news = someArgs()): Step =>
  async (run) => {
    await checks(name, {}, news)(run);
    return run.create(news);
  };
const adopts = (id: number, databaseId = "base_abc123") =>
  checks("adopter", {}, someArgs({ databaseId, adopt: { id, secret } }));
const imports =
  (name: string, isOnlyRead = false): Step =>
  ({ import: read, urnOf }) =>
    read("17", "base_abc123", { ...urnOf(name), isOnlyRead });
const refreshes: Step = ({ read, state }) => read("17", state);
/** Pulumi compares what no program declares. */
const comparesState: Step = ({ diff, state, urnOf }) =>
  diff("17", state, someArgs(), urnOf("stays"));
const deletes: Step = ({ delete: remove, state, urnOf }) => remove("17", state, urnOf("one"));

/** Runs these steps, of which the last one may fail. Says how that ends, and the warnings before it. */
async function play(steps: readonly Step[], hasUrns: boolean): Promise<string> {
  // The same answer is right for a creation, a deletion and a list.
  await using server = await startServer({
    body: { id: 18, secret, success: true, webhooks: [listed()] },
  });
  const settings = { baseUrl: server.url, listing: "true" };
  const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
  const urnOf = (name: string) => (hasUrns ? { urn: `urn:pulumi:::${name}` } : {});
  const state = someState({ baseUrl: server.url });
  const run = { ...startProvider(settings, undefined, environment), state, urnOf };
  for (const step of steps.slice(0, -1)) {
    await step(run);
  }
  const error = await steps
    .at(-1)?.(run)
    .then(() => undefined, kindOf);
  const warning =
    /^warning: (Kept webhook 17|Two resources(?= .*:one and .*:two\.)|Replacing|The program)/;
  const warnings = run.lines.map((line) => warning.exec(line)?.[1]);
  const isDeleted = server.requests.some(
    ({ method, path }) => method === "DELETE" && path.endsWith("/17"),
  );
  return [...warnings, isDeleted && "deleted", error].filter(Boolean).join(", ");
}

describe("who has a webhook", () => {
  const kept = "Kept webhook 17";
  const [one, two, changesTwo] = [compares("one"), compares("two"), compares("two", elsewhere)];
  const rotation = [checks("one", someArgs()), creates("one"), deletes];
  const others = [compares("two", someArgs(), "1"), compares("three", someArgs(), "18"), deletes];
  const named = compares("one", adopting());
  const takes = (name: string, changes = {}) => creates(name, adopting(changes));
  const imported = (name: string) => [imports(name), checks(name, someArgs())];
  it.each<[string, Step[], withUrns: string, without?: string]>([
    ["deleted in a run that compared nothing", [deletes], "deleted"],
    ["kept by another resource", [two, deletes], kept],
    ["unchanged, and replaced in spite of it", [one, deletes], "deleted", kept],
    ["its change is ignored", [one, creates("one", elsewhere), deletes], "deleted", kept],
    ["changed", [compares("one", elsewhere), deletes], "Replacing, deleted"],
    ["in a rotation by replacementTrigger", rotation, "deleted"],
    ["others keep other webhooks", others, "deleted"],
    ["after a plain refresh", [refreshes, comparesState, deletes], "deleted"],
    ["no program has run", [comparesState, deletes], "deleted"],
    ["the program adopts it", [adopts(17), deletes], kept],
    ["the program adopts another", [adopts(16), adopts(17, "base_2"), deletes], "deleted"],
    ["another resource imported it", [...imported("two"), deletes], kept],
    ["another resource only reads it", [imports("two", true), deletes], "deleted"],
    ["both adopt it", [takes("one"), takes("two", { id: 17 })], "notAdopted"],
    ["one adopts what the other manages", [one, takes("two")], "notAdopted"],
    ["one adopts what was deleted", [deletes, takes("two")], "deleted, notAdopted"],
    ["one manages what the other adopted", [takes("one"), two], "conflict"],
    ["one manages what the other is to adopt", [adopts(17), two], "conflict"],
    ["both have it, the first by adoption", [named, two], "conflict"],
    ["both have it, the second by adoption", [two, named], "conflict"],
    ["both have it by adoption", [named, compares("two", adopting())], "conflict", ""],
    ["adopted and to be replaced", [compares("one", { ...adopting(), tableId: "t" })], "conflict"],
    ["adopted, again and again", [named, named, named], ""],
    ["adopted, and deleted first to be replaced", [named, deletes, takes("one")], kept],
    ["both manage it, said once", [one, one, two], "Two resources", ""],
    ["both imported it", [...imported("one"), ...imported("two")], "Two resources", ""],
    ["one only reads it", [imports("one", true), two], ""],
    ["one reads what the other replaces", [imports("one", true), changesTwo], "Replacing"],
    ["imported, and declared otherwise", [imports("two"), changesTwo], "The program", "Replacing"],
  ])("is known: %s", async (_case, steps, withUrns, without = withUrns) => {
    expect([await play(steps, true), await play(steps, false)]).toEqual([withUrns, without]);
  });

  it("is known in whatever order Pulumi asks", async () => {
    const other = compares("three", someArgs(), "16");
    const steps = [two, other, creates("new"), checks("one", {})];
    const anyOrder = fc.shuffledSubarray(steps, { minLength: steps.length });

    await fc.assert(
      fc.asyncProperty(anyOrder, fc.boolean(), async (order, hasUrns) => {
        expect(await play([...order, deletes], hasUrns)).toBe(kept);
      }),
      { numRuns: 24 },
    );
  });
});

describe("an adoption", () => {
  it("sends nothing, and stores the secret but not the argument", async () => {
    await using server = await startServer();
    const { create, lines } = startProvider({ baseUrl: server.url });

    expect(await create(adopting())).toStrictEqual({
      id: "17",
      properties: { ...someArgs(), baseUrl: server.url, secret: secretEnvelope },
    });
    expect(server.requests).toEqual([]);
    expect(lines).toEqual([
      expect.stringMatching(/^info: .*webhook 17 .*dbwebhooks:listing is off/),
    ]);
  });

  it("looks the webhook up first with listing, and is one at a time", async () => {
    await using server = await startServer(listOf(listed()));
    const { create, lines } = startProvider({ baseUrl: server.url, listing: "true" });

    const results = await Promise.allSettled([create(adopting()), create(adopting())]);

    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(lines.join()).not.toContain("dbwebhooks:listing");
  });

  it.each<[string, Answer, string]>([
    ["is not listed", listOf(), "does not list it"],
    ["may be on another page", { body: { webhooks: [], nextPage: 2 } }, "only a part"],
    ["has another table", listOf(listed({ tableIds: ["t"] })), "another tableId"],
    ["cannot be looked up", { statusCode: 403 }, "answered 403"],
  ])("is refused each time when the webhook %s, and keeps it", async (_case, answer, why) => {
    await using server = await startServer(answer);
    const settings = { baseUrl: server.url, listing: "true", retrySeconds: "0" };
    const { check, create, delete: remove } = startProvider(settings);
    await check({}, adopting());

    for (const _attempt of [1, 2]) {
      const error = await errorOf(create(adopting()));

      expect(kindOf(error)).toBe("notAdopted");
      expect(error.message).toContain(why);
    }
    expect(kindOf(await errorOf(remove("17", someState({ baseUrl: server.url }))))).toBe("kept");
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
  });

  it.each<[string, object, Record<string, unknown>, number]>([
    ["is said before anything happens", {}, adopting(), 1],
    ["is not said when the webhook is in the state", someArgs(), adopting(), 0],
    ["is not said when its id is unknown", {}, adopting({ id: unknownMarkers.string }), 0],
    [
      "is not said of no known database",
      {},
      { ...adopting(), databaseId: unknownMarkers.string },
      0,
    ],
    ["is not said when there is none", {}, someArgs(), 0],
  ])("%s", async (_case, olds, news, count) => {
    const { check, lines } = startProvider();

    await check({ ...olds }, news);

    const line = expect.stringMatching(/^info: Adopting webhook 17 of database base_abc123: /);
    expect(lines).toEqual(Array(count).fill(line));
  });

  it("leaves the secret of the state in force, and says so", async () => {
    const { diff, lines } = startProvider();

    expect(await diff("17", someState(), adopting({ secret: "whsec_another" }))).toEqual([]);
    expect(lines).toEqual([
      expect.stringMatching(/^info: The argument adopt.secret of webhook 17 (?!.*whsec_another)/),
    ]);
  });

  it("is compared without a line after a refresh, which does not run the program", async () => {
    const { read, diff, lines } = startProvider();
    await read("17", someState());

    const differences = await diff("17", someState({ url: "https://drifted.example" }), adopting());

    expect(differences).toMatchObject([{ property: "url" }]);
    expect(lines).toEqual([]);
  });
});
