import { describe, expect, it } from "vitest";
import type { Properties } from "../../src/provider/values.ts";
import { listed, listOf, secret, someArgs, unknownMarkers, wrapped } from "../helpers/builders.ts";
import { errorOf, kindOf } from "../helpers/errors.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { startWithService } from "../helpers/provider-with-service.ts";

type Run = Awaited<ReturnType<typeof startRun>>;
type Step = (run: Run) => Promise<unknown>;

const otherArgs = someArgs({ url: "https://example.com/other" });
const adopting = (changes: object = {}) => someArgs({ adopt: { id: "17", secret, ...changes } });
const adoptingElsewhere = { ...adopting(), databaseId: "base_2" };

// Pulumi passes the URN of a resource to the plugin, but not to the dynamic provider.
const urnCases = [
  { urns: "with URNs", hasUrns: true },
  { urns: "without URNs", hasUrns: false },
];

const compareAfterRead: Step = ({ second, read, state }) =>
  read("17", state).then(() => second.compare());

/** Starts a provider of a service that has webhook 17, and two resources that can have it. */
async function startRun({ hasUrns = true } = {}) {
  // The response to every request: a creation reads the id and the secret, a deletion `success`, a list the rest.
  const body = { id: 99, secret, success: true, webhooks: [listed()] };
  const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
  const run = await startWithService({ body }, { listing: "true" }, { environment });
  /** The calls that Pulumi makes for one resource. */
  const resource = (name: string) => {
    const options = hasUrns ? { urn: `urn:pulumi:::${name}` } : {};
    const check = (olds: Properties, news: Properties) => run.check(olds, news, options);
    return {
      check,
      compare: async (args = someArgs(), id = "17") => {
        await check(someArgs(), args);
        return run.diff(id, run.state, args, options);
      },
      /** Compares as in a command that does not run the program, and so checks no arguments. */
      compareWithoutCheck: () => run.diff("17", run.state, someArgs(), options),
      create: async (args = someArgs()) => {
        await check({}, args);
        return run.create(args, options);
      },
      import: async (args = someArgs()) => {
        await run.import("17", "base_abc123", options);
        return check(someArgs(), args);
      },
      get: () => run.import("17", "base_abc123", { ...options, isExternal: true }),
      delete: () => run.delete("17", run.state, options),
    };
  };
  const isDeleted = () => run.methods().includes("DELETE");
  return { ...run, isDeleted, first: resource("first"), second: resource("second") };
}

// A deletion is not sent if a resource of the same run of Pulumi still has the webhook, or if the program adopts it.
describe.each(urnCases)("A deletion $urns", ({ hasUrns }) => {
  it.each<[string, Step]>([
    ["its resource changes", ({ first }) => first.compare(otherArgs)],
    ["its replacement was created without a comparison", ({ first }) => first.create()],
    ["another resource has another webhook", ({ second }) => second.compare(someArgs(), "1")],
    ["a command that runs no program compared it", ({ second }) => second.compareWithoutCheck()],
    ["another resource only reads it", ({ second }) => second.get()],
    ["the program adopts another webhook", ({ second }) => second.check({}, adopting({ id: 16 }))],
    ["adopt names another database", ({ second }) => second.check({}, adoptingElsewhere)],
  ])("reaches the webhook when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await run.first.delete();

    expect(run.isDeleted()).toBe(true);
  });

  it.each<[string, Step]>([
    ["another resource has it", ({ second }) => second.compare()],
    // Pulumi then deletes an old entry of this resource, which a failed update left in the state.
    ["its own resource has it", ({ first }) => first.compare()],
    ["another resource has it in up --refresh", compareAfterRead],
    ["another resource imported it", ({ second }) => second.import()],
    ["the program adopts it", ({ second }) => second.check({}, adopting())],
  ])("keeps the webhook and warns when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await run.first.delete();

    expect(run.isDeleted()).toBe(false);
    expect(run.lines.at(-1)).toMatch(/^warning: .*webhook 17 /);
  });
});

it("A deletion with a URN reaches the webhook of a resource that changes in its second comparison", async () => {
  const { first, isDeleted } = await startRun();
  await first.compare();
  await first.compare(otherArgs);

  await first.delete();

  expect(isDeleted()).toBe(true);
});

describe.each(urnCases)("An adoption, $urns,", ({ hasUrns }) => {
  it.each<[string, Step]>([
    ["another resource has adopted the webhook", ({ second }) => second.create(adopting())],
    ["another resource has the webhook", ({ second }) => second.compare()],
    ["this run has deleted the webhook", ({ second }) => second.delete()],
  ])("is refused when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await expect(run.first.create(adopting())).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("fails the comparison of a resource that has the webhook, even before the adopting one is created", async () => {
    const { first, second } = await startRun({ hasUrns });
    await first.check({}, adopting());

    await expect(second.compare()).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("is refused in a comparison when another resource was found to have the webhook", async () => {
    const { first, second } = await startRun({ hasUrns });
    await second.compare();

    await expect(first.compare(adopting())).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("passes the check of a new resource when the one that adopted the webhook now adopts another webhook", async () => {
    const { first, second } = await startRun({ hasUrns });
    await first.check(adopting(), adopting({ id: "16" }));

    expect(await second.check({}, adopting())).toMatchObject({ failures: [] });
  });

  it("is refused in a comparison that would replace its resource, and no replacement is announced", async () => {
    const { first, lines } = await startRun({ hasUrns });

    const comparison = first.compare({ ...adopting(), tableId: "tbl_1" });

    await expect(comparison).rejects.toMatchObject({ kind: "unchanged" });
    expect(lines).toEqual([]);
  });

  it("succeeds when the update that adds adopt deletes the resource first", async () => {
    // Pulumi does so in `up --replace` with the option deleteBeforeReplace, and makes no comparison, which would fail.
    const { first, isDeleted } = await startRun({ hasUrns });
    await first.check(someArgs(), adopting());
    await first.delete();

    const { id } = await first.create(adopting());

    expect(id).toBe("17");
    expect(isDeleted()).toBe(false);
  });
});

describe("An adoption", () => {
  it.each([
    { event: "was compared", call: "compare" },
    { event: "was created", call: "create" },
  ] as const)("is refused when another resource with the same adopt $event", async ({ call }) => {
    const { first, second } = await startRun();
    await first[call](adopting());

    await expect(second.compare(adopting())).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("is announced in the check of a new resource once its arguments are valid, and its id and database known", async () => {
    const { first, lines } = await startRun();

    await first.check({}, { ...adopting(), url: "no URL" });
    await first.check({}, adopting({ id: unknownMarkers.string }));
    await first.check({}, { ...adopting(), databaseId: unknownMarkers.string });
    await first.check({}, adopting());

    expect(lines).toEqual([expect.stringMatching(/^info: .*webhook 17 /)]);
  });

  it("does not change the stored secret, and says so when the program has another one", async () => {
    const { first, lines } = await startRun();

    const differences = await first.compare(adopting({ secret: "whsec_another" }));

    expect(differences).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^info: .*webhook 17 /)]);
  });

  it("without listing sends nothing, says so, and stores the secret but not the argument adopt", async () => {
    const { create, lines, baseUrl, requests } = await startWithService({});

    const { id, properties } = await create(adopting());

    expect(id).toBe("17");
    expect(properties).toStrictEqual({ ...someArgs(), baseUrl, secret: wrapped(secret) });
    expect(requests).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^info: .*webhook 17 .*not looked up/)]);
  });

  it("looks the webhook up with listing, and meanwhile another adoption of it is refused", async () => {
    const run = await startWithService(listOf(listed()), { listing: "true" });

    const adoptions = [run.create(adopting()), run.create(adopting())];

    expect(await Promise.allSettled(adoptions)).toMatchObject([
      { status: "fulfilled", value: { id: "17" } },
      { status: "rejected", reason: { kind: "unchanged" } },
    ]);
    expect(run.methods()).toEqual(["GET"]);
    expect(run.lines).toEqual([expect.not.stringContaining("not looked up")]);
  });

  it.each<[string, StubResponse]>([
    ["the list does not hold the webhook", listOf()],
    ["the list is incomplete", { body: { webhooks: [], nextPage: 2 } }],
    ["the webhook has another table", listOf(listed({ tableIds: ["tbl_1"] }))],
    ["the service refuses the list", { statusCode: 403 }],
  ])("is refused at each attempt, and no deletion is sent, when %s", async (_case, response) => {
    const run = await startWithService(response, { listing: "true" });
    await run.check({}, adopting());

    const first = await errorOf(run.create(adopting()));
    const second = await errorOf(run.create(adopting()));
    const deletion = await errorOf(run.delete("17", run.state));

    expect([first, second].map(kindOf)).toEqual(["unchanged", "unchanged"]);
    expect(kindOf(deletion)).toBe("notDeleted");
    expect(run.methods()).toEqual(["GET", "GET"]);
  });

  it("is refused in the replacement of a resource that adopts the same webhook, but not in its update or for another webhook", async () => {
    const { first } = await startRun();
    // Before a replacement Pulumi checks with the old arguments first, and then without them.
    const update = await first.check(adopting(), adopting());

    const sameWebhook = await first.check({}, adopting());
    const sameNumber = await first.check({}, adoptingElsewhere);
    const otherNumber = await first.check({}, adopting({ id: "16" }));

    expect(sameWebhook.failures).toEqual([expect.stringMatching(/^adopt: /)]);
    expect([update, sameNumber, otherNumber].flatMap(({ failures }) => failures)).toEqual([]);
  });
});

describe("Two resources with one webhook", () => {
  it.each([
    { event: "compared", call: "compare" },
    { event: "imported", call: "import" },
  ] as const)("get one warning that names both when they are $event", async ({ call }) => {
    const { first, second, lines } = await startRun();

    await first[call]();
    await second[call]();

    expect(lines).toEqual([expect.stringMatching(/^warning: .*:first, .*:second\./)]);
  });

  it.each([
    { reason: "no URN tells them apart", hasUrns: false, call: "compare" },
    { reason: "one of them only reads it", hasUrns: true, call: "get" },
  ] as const)("get no warning when $reason", async ({ hasUrns, call }) => {
    const { first, second, lines } = await startRun({ hasUrns });

    await first[call]();
    await second.compare();

    expect(lines).toEqual([]);
  });
});

describe("A webhook that differs from the program", () => {
  it("gets no announcement of a new secret in an import, which replaces nothing", async () => {
    const { second, lines } = await startRun();

    await second.import(otherArgs);
    await second.compare(otherArgs);

    // Only the warning that the import differs from the program.
    expect(lines).toEqual([expect.stringMatching(/^warning: /)]);
    expect(lines[0]).not.toContain("secret");
  });

  it("gets an announcement of a new secret even if another resource only reads it", async () => {
    const { first, second, lines } = await startRun();
    await first.get();

    await second.compare(otherArgs);

    expect(lines).toEqual([expect.stringMatching(/^warning: .*secret/)]);
  });
});
