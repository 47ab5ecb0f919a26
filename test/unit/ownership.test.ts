import { describe, expect, it } from "vitest";
import {
  listed,
  listOf,
  secret,
  secretEnvelope,
  someArgs,
  unknownMarkers,
} from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import type { StubResponse } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startWithService } from "../helpers/provider-with-service.js";

type Run = Awaited<ReturnType<typeof startRun>>;
type Step = (run: Run) => Promise<unknown>;

const otherUrl = "https://example.com/other";
const adopting = (changes: object = {}) => someArgs({ adopt: { id: "17", secret, ...changes } });
const adoptingWithTable = { ...adopting(), tableId: "tbl_1" };

/** Starts a provider of a service that has webhook 17, and two resources that can have it. */
async function startRun({ hasUrns = true } = {}) {
  // The same body is right for a creation, a deletion and a list.
  const body = { id: 99, secret, success: true, webhooks: [listed()] };
  const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
  const run = await startWithService({ body }, { listing: "true" }, { environment });
  /** What Pulumi asks about one resource. */
  const resource = (name: string) => {
    const options = hasUrns ? { urn: `urn:pulumi:::${name}` } : {};
    const check = (olds: object, news: object) => run.check({ ...olds }, { ...news }, options);
    return {
      check,
      compare: async (args = someArgs(), id = "17") => {
        await check(someArgs(), args);
        return run.diff(id, run.state, args, options);
      },
      compareWithoutProgram: () => run.diff("17", run.state, someArgs(), options),
      refresh: async () => {
        await run.read("17", run.state);
        return run.diff("17", run.state, someArgs(), options);
      },
      create: async (args = someArgs()) => {
        await check({}, args);
        return run.create(args, options);
      },
      adopt: async () => {
        await check({}, adopting());
        return run.create(adopting(), options);
      },
      import: async (args = someArgs()) => {
        await run.import("17", "base_abc123", options);
        return check(someArgs(), args);
      },
      get: () => run.import("17", "base_abc123", { ...options, isExternal: true }),
      delete: () => run.delete("17", run.state, options),
    };
  };
  const isDeleted = () =>
    run.requests.some(({ method, path }) => method === "DELETE" && path.endsWith("/17"));
  return { ...run, isDeleted, first: resource("first"), second: resource("second") };
}

describe.each([
  ["the plugin, which passes URNs", true],
  ["the dynamic adapter, which passes none", false],
])("A deletion by %s", (_adapter, hasUrns) => {
  it.each<[string, Step]>([
    ["no resource was compared", async () => undefined],
    ["its resource changes", ({ first }) => first.compare(someArgs({ url: otherUrl }))],
    ["its replacement was created without a comparison", ({ first }) => first.create()],
    ["another resource has another webhook", ({ second }) => second.compare(someArgs(), "1")],
    ["a comparison was made without the program", ({ second }) => second.compareWithoutProgram()],
    ["a refresh compared it", ({ second }) => second.refresh()],
    ["another resource only reads it", ({ second }) => second.get()],
    ["the program adopts another webhook", ({ second }) => second.check({}, adopting({ id: 16 }))],
    [
      "the program adopts its number in another database",
      ({ second }) => second.check({}, { ...adopting(), databaseId: "base_2" }),
    ],
  ])("reaches the webhook when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await run.first.delete();

    expect(run.isDeleted()).toBe(true);
  });

  it.each<[string, Step]>([
    ["another resource has it", ({ second }) => second.compare()],
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

describe("A resource that was found unchanged and is replaced all the same", () => {
  it.each([
    ["deletes its webhook where it has a URN", true],
    ["keeps its webhook where no URN tells it from another resource", false],
  ])("%s", async (_fact, hasUrns) => {
    const { first, isDeleted } = await startRun({ hasUrns });
    await first.compare();

    await first.delete();

    expect(isDeleted()).toBe(hasUrns);
  });
});

describe.each([
  ["with URNs", true],
  ["without URNs", false],
])("An adoption, %s", (_case, hasUrns) => {
  it.each<[string, Step, Step]>([
    ["another resource adopted it", ({ second }) => second.adopt(), ({ first }) => first.adopt()],
    ["another resource has it", ({ second }) => second.compare(), ({ first }) => first.adopt()],
    ["this run has deleted it", ({ second }) => second.delete(), ({ first }) => first.adopt()],
    ["it will be replaced", async () => {}, ({ first }) => first.compare(adoptingWithTable)],
    [
      "it is done and another has it",
      ({ first }) => first.adopt(),
      ({ second }) => second.compare(),
    ],
    [
      "another has it",
      ({ first }) => first.check({}, adopting()),
      ({ second }) => second.compare(),
    ],
    [
      "a second resource is found to have it without adopt",
      ({ first }) => first.compare(adopting()),
      ({ second }) => second.compare(),
    ],
    [
      "a first resource is found to have it without adopt",
      ({ second }) => second.compare(),
      ({ first }) => first.compare(adopting()),
    ],
  ])("of a webhook is refused when %s", async (_case, prepare, conflict) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await expect(conflict(run)).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("stays in the program without a line", async () => {
    const { first, lines } = await startRun({ hasUrns });

    await first.compare(adopting());
    await first.compare(adopting());

    expect(lines).toEqual([]);
  });

  it("is possible again after the deletion that is part of its own replacement", async () => {
    const { first, isDeleted } = await startRun({ hasUrns });
    await first.compare(adopting());
    await first.delete();

    const { id } = await first.create(adopting());

    expect(id).toBe("17");
    expect(isDeleted()).toBe(false);
  });
});

describe("An adoption", () => {
  it("is refused when two resources that URNs tell apart name the webhook", async () => {
    const { first, second } = await startRun();
    await first.compare(adopting());

    await expect(second.compare(adopting())).rejects.toMatchObject({ kind: "unchanged" });
  });

  it.each([
    ["announced before Pulumi creates the resource", adopting(), ["info"]],
    ["not announced with an unknown id", adopting({ id: unknownMarkers.string }), []],
    [
      "not announced in an unknown database",
      { ...adopting(), databaseId: unknownMarkers.string },
      [],
    ],
  ])("is %s", async (_fact, args, severities) => {
    const { first, lines } = await startRun();

    await first.check({}, args);

    expect(lines.map((line) => line.split(":")[0])).toEqual(severities);
  });

  it("does not change the stored secret, and says so when the program has another one", async () => {
    const { first, lines } = await startRun();

    const differences = await first.compare(adopting({ secret: "whsec_another" }));

    expect(differences).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^info: .*webhook 17 /)]);
  });

  it("does not make a refresh fail when the webhook has drifted", async () => {
    const { read, diff, state } = await startRun();
    await read("17", state);

    const differences = await diff("17", { ...state, url: otherUrl }, adopting());

    expect(differences).toMatchObject([{ property: "url" }]);
  });

  it("sends nothing, and stores the secret but not the argument", async () => {
    const { create, lines, baseUrl, requests } = await startWithService({});

    const { id, properties } = await create(adopting());

    expect(id).toBe("17");
    expect(properties).toStrictEqual({ ...someArgs(), baseUrl, secret: secretEnvelope });
    expect(requests).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^info: .*webhook 17 /)]);
  });

  it("looks the webhook up with listing", async () => {
    const run = await startWithService(listOf(listed()), { listing: "true" });

    await run.create(adopting());

    expect(run.methods()).toEqual(["GET"]);
  });

  it("is refused while another resource looks up the same webhook", async () => {
    const { create } = await startWithService(listOf(listed()), { listing: "true" });

    const [first, second] = await Promise.allSettled([create(adopting()), create(adopting())]);

    expect(first).toMatchObject({ status: "fulfilled" });
    expect(second).toMatchObject({ status: "rejected", reason: { kind: "unchanged" } });
  });

  it.each<[string, StubResponse]>([
    ["the list does not hold the webhook", listOf()],
    ["the list is incomplete", { body: { webhooks: [], nextPage: 2 } }],
    ["the webhook has another table", listOf(listed({ tableIds: ["tbl_1"] }))],
    ["the service refuses the list", { statusCode: 403 }],
  ])("is refused each time and keeps the webhook when %s", async (_case, answer) => {
    const run = await startWithService(answer, { listing: "true" });
    await run.check({}, adopting());

    const first = await errorOf(run.create(adopting()));
    const second = await errorOf(run.create(adopting()));
    const deletion = await errorOf(run.delete("17", run.state));

    expect([first, second].map(kindOf)).toEqual(["unchanged", "unchanged"]);
    expect(kindOf(deletion)).toBe("notDeleted");
    expect(run.methods()).toEqual(["GET", "GET"]);
  });

  it.each([
    ["its own webhook is refused", "base_abc123", [expect.stringMatching(/^adopt: /)]],
    ["the same number in another database is accepted", "base_2", []],
  ])("of %s when Pulumi is about to replace the resource", async (_, databaseId, failures) => {
    const { first } = await startRun();
    await first.check(adopting(), adopting());

    const checked = await first.check({}, { ...adopting(), databaseId });

    expect(checked.failures).toEqual(failures);
  });
});

describe("Two resources with one webhook", () => {
  it.each<[string, Step, Step]>([
    ["manage it", ({ first }) => first.compare(), ({ second }) => second.compare()],
    ["are imported", ({ first }) => first.import(), ({ second }) => second.import()],
  ])("get one warning that names both when they %s", async (_case, seeFirst, seeSecond) => {
    const run = await startRun();

    await seeFirst(run);
    await seeSecond(run);

    expect(run.lines).toEqual([expect.stringMatching(/^warning: .*:first, .*:second\./)]);
  });

  it.each<[string, boolean, Step]>([
    ["no URN tells them apart", false, ({ first }) => first.compare()],
    ["one of them only reads it", true, ({ first }) => first.get()],
  ])("get no warning when %s", async (_case, hasUrns, seeFirst) => {
    const run = await startRun({ hasUrns });

    await seeFirst(run);
    await run.second.compare();

    expect(run.lines).toEqual([]);
  });
});

describe("An imported webhook that the program declares otherwise", () => {
  const otherwise = someArgs({ url: otherUrl });

  it("gets no announcement of a new secret, because Pulumi does not replace what it imports", async () => {
    const { second, lines } = await startRun();
    await second.import(otherwise);

    await second.compare(otherwise);

    expect(lines).toEqual([expect.stringMatching(/^warning: (?!.*secret)/)]);
  });

  it("gets an announcement of a new secret when another resource only reads it", async () => {
    const { first, second, lines } = await startRun();
    await first.get();

    await second.compare(otherwise);

    expect(lines).toEqual([expect.stringMatching(/^warning: .*secret/)]);
  });
});
