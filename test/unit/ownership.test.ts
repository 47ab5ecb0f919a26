import { describe, expect, it } from "vitest";
import {
  listed,
  listOf,
  secret,
  secretEnvelope,
  someArgs,
  unknownMarkers,
} from "../helpers/builders.js";
import type { Answer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startWithService } from "../helpers/provider-with-service.js";

// One rule protects a webhook: a deletion does not reach it while another resource that this run has
// seen still has it, or while the program names it in `adopt`.

type Run = Awaited<ReturnType<typeof startWithService>> & {
  readonly urnOf: (name: string) => { urn?: string };
};
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
  (name: string, isExternal = false): Step =>
  ({ import: read, urnOf }) =>
    read("17", "base_abc123", { ...urnOf(name), isExternal });
const refreshes: Step = ({ read, state }) => read("17", state);
/** Pulumi compares what no program declares. */
const comparesState: Step = ({ diff, state, urnOf }) =>
  diff("17", state, someArgs(), urnOf("stays"));
const deletes: Step = ({ delete: remove, state, urnOf }) => remove("17", state, urnOf("one"));

/** Pulumi compares the webhook that `adopt` names, and finds that it drifted. */
const comparesDrift: Step = ({ diff, state }) =>
  diff("17", { ...state, url: "https://drifted.example" }, adopting());

/** Runs these steps, of which the last one may fail. Says how that ends, and the lines before it. */
async function play(steps: readonly Step[], hasUrns: boolean): Promise<string> {
  // The same answer is right for a creation, a deletion and a list.
  const body = { id: 99, secret, success: true, webhooks: [listed()] };
  const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
  const urnOf = (name: string) => (hasUrns ? { urn: `urn:pulumi:::${name}` } : {});
  const provider = await startWithService({ body }, { listing: "true" }, undefined, environment);
  const run = { ...provider, urnOf };
  for (const step of steps.slice(0, -1)) {
    await step(run);
  }
  const [last] = steps.slice(-1);
  const error = await last?.(run).then(() => undefined, kindOf);
  const lines = run.lines.map((line) => shownLines.exec(line)?.[0].replace(/^\w+: /, ""));
  const isDeleted = run.requests.some(
    ({ method, path }) => method === "DELETE" && path.endsWith("/17"),
  );
  return [...lines, isDeleted && "deleted", error].filter(Boolean).join(", ");
}

const shownLines =
  /^(warning: (Kept webhook 17|Two resources(?= .*:one and .*:two\.)|Replacing|The program)|info: (Adopting|The argument))/;

describe("who has a webhook", () => {
  const kept = "Kept webhook 17";
  const [one, two, changesTwo] = [compares("one"), compares("two"), compares("two", elsewhere)];
  const otherBase = adopts(17, "base_2");
  const rotation = [checks("one", someArgs()), creates("one"), deletes];
  const three = compares("three", someArgs(), "18");
  const others = [compares("two", someArgs(), "1"), three, deletes];
  const named = compares("one", adopting());
  const takes = (name: string, changes = {}) => creates(name, adopting(changes));
  const otherSecret = adopting({ secret: "whsec_another" });
  const unknownId = adopting({ id: unknownMarkers.string });
  const unknownDatabase = { ...adopting(), databaseId: unknownMarkers.string };
  const imported = (name: string) => [imports(name), checks(name, someArgs())];
  it.each<[string, Step[], withUrns: string, without?: string]>([
    ["deleted in a run that compared nothing", [deletes], "deleted"],
    ["kept by another resource", [two, deletes], kept],
    ["kept among others", [two, three, creates("new"), checks("one", {}), deletes], kept],
    ["kept among others, last", [checks("one", {}), creates("new"), three, two, deletes], kept],
    ["unchanged, and replaced in spite of it", [one, deletes], "deleted", kept],
    ["its change is ignored", [one, creates("one", elsewhere), deletes], "deleted", kept],
    ["changed", [compares("one", elsewhere), deletes], "Replacing, deleted"],
    ["in a rotation by replacementTrigger", rotation, "deleted"],
    ["others keep other webhooks", others, "deleted"],
    ["after a plain refresh", [refreshes, comparesState, deletes], "deleted"],
    ["no program has run", [comparesState, deletes], "deleted"],
    ["the program adopts it", [adopts(17), deletes], `Adopting, ${kept}`],
    ["the program adopts another", [adopts(16), otherBase, deletes], "Adopting, Adopting, deleted"],
    ["another resource imported it", [...imported("two"), deletes], kept],
    ["another resource only reads it", [imports("two", true), deletes], "deleted"],
    ["both adopt it", [takes("one"), takes("two", { id: 17 })], "Adopting, Adopting, unchanged"],
    ["one adopts what the other manages", [one, takes("two")], "Adopting, unchanged"],
    ["one adopts what was deleted", [deletes, takes("two")], "Adopting, deleted, unchanged"],
    ["one manages what the other adopted", [takes("one"), two], "Adopting, unchanged"],
    ["one manages what the other is to adopt", [adopts(17), two], "Adopting, unchanged"],
    ["both have it, the first by adoption", [named, two], "unchanged"],
    ["both have it, the second by adoption", [two, named], "unchanged"],
    ["both have it by adoption", [named, compares("two", adopting())], "unchanged", ""],
    ["adopted and to be replaced", [compares("one", { ...adopting(), tableId: "t" })], "unchanged"],
    ["adopted, and refreshed alone", [refreshes, comparesDrift], ""],
    ["adopted with another secret", [compares("one", otherSecret)], "The argument"],
    ["to be adopted, by an unknown id", [checks("one", {}, unknownId)], ""],
    ["to be adopted, in an unknown database", [checks("one", {}, unknownDatabase)], ""],
    ["adopted, again and again", [named, named, named], ""],
    ["adopted, and deleted before", [named, deletes, takes("one")], `${kept}, Adopting`],
    ["both manage it, said once", [one, one, two], "Two resources", ""],
    ["both imported it", [...imported("one"), ...imported("two")], "Two resources", ""],
    ["one only reads it", [imports("one", true), two], ""],
    ["one reads what the other replaces", [imports("one", true), changesTwo], "Replacing"],
    ["imported, and declared otherwise", [imports("two"), changesTwo], "The program", "Replacing"],
  ])("is known: %s", async (_case, steps, withUrns, without = withUrns) => {
    expect([await play(steps, true), await play(steps, false)]).toEqual([withUrns, without]);
  });
});

describe("an adoption", () => {
  it("sends nothing, and stores the secret but not the argument", async () => {
    const { create, lines, baseUrl, requests } = await startWithService({});

    expect(await create(adopting())).toStrictEqual({
      id: "17",
      properties: { ...someArgs(), baseUrl, secret: secretEnvelope },
    });
    expect(requests).toEqual([]);
    expect(lines).toEqual([
      expect.stringMatching(/^info: .*webhook 17 .*dbwebhooks:listing is off/),
    ]);
  });

  it("looks the webhook up first with listing, and is one at a time", async () => {
    const run = await startWithService(listOf(listed()), { listing: "true" });

    const results = await Promise.allSettled([run.create(adopting()), run.create(adopting())]);

    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(run.methods()).toEqual(["GET"]);
    expect(run.lines.join()).not.toContain("dbwebhooks:listing");
  });

  it.each<[string, Answer, string]>([
    ["is not listed", listOf(), "does not list it. .*remove adopt to create a new one"],
    [
      "may be on another page",
      { body: { webhooks: [], nextPage: 2 } },
      "only a part.*set dbwebhooks:listing to false",
    ],
    [
      "has another table",
      listOf(listed({ tableIds: ["t"] })),
      "another tableId. Declare it as it is there",
    ],
    ["cannot be looked up", { statusCode: 403 }, "returned 403"],
  ])("is refused each time when the webhook %s, and keeps it", async (_case, answer, why) => {
    const run = await startWithService(answer, { listing: "true" });
    await run.check({}, adopting());

    const refused = { kind: "unchanged", message: expect.stringMatching(why) };
    await expect(run.create(adopting())).rejects.toMatchObject(refused);
    await expect(run.create(adopting())).rejects.toMatchObject(refused);
    await expect(run.delete("17", run.state)).rejects.toMatchObject({ kind: "notDeleted" });
    expect(run.methods()).toEqual(["GET", "GET"]);
  });
});

describe("A resource that is replaced while adopt names its own webhook", () => {
  it("fails its check, because the process of a replaced provider would delete the webhook", async () => {
    const run = await startWithService({});
    const urn = "urn:pulumi:::orders";
    await run.check(adopting(), adopting(), { urn });

    const { failures } = await run.check({}, adopting(), { urn });

    expect(failures).toEqual([expect.stringMatching(/^adopt: .*webhook 17 .*Remove adopt/)]);
  });
});
