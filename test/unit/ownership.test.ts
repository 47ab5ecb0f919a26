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
import type { Answer } from "../helpers/http-server.js";
import { startWithService } from "../helpers/provider-with-service.js";

type Run = Awaited<ReturnType<typeof startRun>>;
type Step = (run: Run) => Promise<unknown>;

const otherUrl = "https://example.com/other";
const adopting = (changes: object = {}) => someArgs({ adopt: { id: "17", secret, ...changes } });

/** Starts a provider of a service that has webhook 17, and two resources that can have it. */
async function startRun({ hasUrns = true } = {}) {
  // The same body is right for a creation, a deletion and a list.
  const body = { id: 99, secret, success: true, webhooks: [listed()] };
  const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
  const run = await startWithService({ body }, { listing: "true" }, undefined, environment);
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
        return run.create(args);
      },
      /** As Pulumi does for the option `replacementTrigger`. */
      replace: async () => {
        await check(someArgs(), someArgs());
        await check({}, someArgs());
        return run.create(someArgs(), options);
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
    ["its replacement was created without a comparison", ({ first }) => first.replace()],
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
    expect(run.lines.at(-1)).toMatch(/^warning: Did not delete webhook 17 /);
  });
});

describe("A resource that was found unchanged and is replaced all the same", () => {
  it.each([
    ["deletes its webhook where it has a URN", true],
    ["keeps its webhook where no URN tells it from another resource", false],
  ])("%s", async (_fact, hasUrns) => {
    const run = await startRun({ hasUrns });
    await run.first.compare();

    await run.first.delete();

    expect(run.isDeleted()).toBe(hasUrns);
  });
});

const nothing: Step = async () => undefined;
const firstManages: Step = ({ first }) => first.compare();
const secondManages: Step = ({ second }) => second.compare();
const firstNames: Step = ({ first }) => first.compare(adopting());
const firstAdopts: Step = ({ first }) => first.create(adopting());
const secondAdopts: Step = ({ second }) => second.create(adopting({ id: 17 }));
const firstIsReplaced: Step = ({ first }) => first.compare({ ...adopting(), tableId: "tbl_1" });
const firstIsToAdopt: Step = ({ first }) => first.check({}, adopting());
const firstIsDeleted: Step = ({ first }) => first.delete();

describe.each([
  ["with URNs", true],
  ["without URNs", false],
])("An adoption, %s", (_case, hasUrns) => {
  it.each<[string, Step, Step]>([
    ["when another resource adopted the webhook", firstAdopts, secondAdopts],
    ["when another resource manages the webhook", firstManages, secondAdopts],
    ["when this run deleted the webhook", firstIsDeleted, secondAdopts],
    ["when its webhook is to be replaced", nothing, firstIsReplaced],
    ["that is done, when another resource manages the webhook", firstAdopts, secondManages],
    ["to come, when another resource manages the webhook", firstIsToAdopt, secondManages],
    ["when a second resource has the webhook without adopt", firstNames, secondManages],
    ["when a first resource has the webhook without adopt", secondManages, firstNames],
  ])("is refused %s", async (_conflict, prepare, conflict) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await expect(conflict(run)).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("stays in the program without a line", async () => {
    const run = await startRun({ hasUrns });

    await run.first.compare(adopting());
    await run.first.compare(adopting());

    expect(run.lines).toEqual([]);
  });

  it("is possible again after the deletion that is part of its own replacement", async () => {
    const run = await startRun({ hasUrns });
    await run.first.compare(adopting());
    await run.first.delete();

    const { id } = await run.first.create(adopting());

    expect(id).toBe("17");
    expect(run.isDeleted()).toBe(false);
  });
});

describe("An adoption", () => {
  it("is refused when two resources that URNs tell apart name the webhook", async () => {
    const { first, second } = await startRun();
    await first.compare(adopting());

    await expect(second.compare(adopting())).rejects.toMatchObject({ kind: "unchanged" });
  });

  it("is announced when Pulumi is about to create the resource", async () => {
    const run = await startRun();

    await run.first.check({}, adopting());

    expect(run.lines).toEqual([expect.stringMatching(/^info: Adopting webhook 17 /)]);
  });

  it.each([
    ["id", adopting({ id: unknownMarkers.string })],
    ["database", { ...adopting(), databaseId: unknownMarkers.string }],
  ])("is not announced while its %s is unknown", async (_part, args) => {
    const run = await startRun();

    await run.first.check({}, args);

    expect(run.lines).toEqual([]);
  });

  it("does not change the stored secret, and says so when the program has another one", async () => {
    const run = await startRun();

    const differences = await run.first.compare(adopting({ secret: "whsec_another" }));

    expect(differences).toEqual([]);
    expect(run.lines).toEqual([expect.stringMatching(/^info: /)]);
  });

  it("does not make a refresh fail when the webhook has drifted", async () => {
    const { read, diff, state } = await startRun();
    await read("17", state);

    const differences = await diff("17", { ...state, url: otherUrl }, adopting());

    expect(differences).toMatchObject([{ property: "url" }]);
  });

  it("sends nothing, and stores the secret but not the argument", async () => {
    const { create, lines, baseUrl, requests } = await startWithService({});

    const created = await create(adopting());

    expect(created).toStrictEqual({
      id: "17",
      properties: { ...someArgs(), baseUrl, secret: secretEnvelope },
    });
    expect(requests).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^info: .*the setting listing is off/)]);
  });

  it("looks the webhook up with listing", async () => {
    const run = await startWithService(listOf(listed()), { listing: "true" });

    await run.create(adopting());

    expect(run.methods()).toEqual(["GET"]);
    expect(run.lines.join()).not.toContain("dbwebhooks:listing");
  });

  it("is refused while another resource looks up the same webhook", async () => {
    const { create } = await startWithService(listOf(listed()), { listing: "true" });

    const results = await Promise.allSettled([create(adopting()), create(adopting())]);

    expect(results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { kind: "unchanged" } },
    ]);
  });

  it.each<[string, Answer]>([
    ["the list does not hold the webhook", listOf()],
    ["the list is incomplete", { body: { webhooks: [], nextPage: 2 } }],
    ["the webhook has another table", listOf(listed({ tableIds: ["tbl_1"] }))],
    ["the service refuses the list", { statusCode: 403 }],
  ])("is refused each time and keeps the webhook when %s", async (_case, answer) => {
    const run = await startWithService(answer, { listing: "true" });
    await run.check({}, adopting());

    const attempts = [
      await errorOf(run.create(adopting())),
      await errorOf(run.create(adopting())),
      await errorOf(run.delete("17", run.state)),
    ];

    expect(attempts).toMatchObject([
      { kind: "unchanged" },
      { kind: "unchanged" },
      { kind: "notDeleted" },
    ]);
    expect(run.methods()).toEqual(["GET", "GET"]);
  });
});

describe("Two resources with one webhook", () => {
  it.each<[string, Step, Step]>([
    ["both manage it", firstManages, secondManages],
    ["both are imported", ({ first }) => first.import(), ({ second }) => second.import()],
  ])("get one warning that names both when %s", async (_case, seeFirst, seeSecond) => {
    const run = await startRun();

    await seeFirst(run);
    await seeSecond(run);

    expect(run.lines).toEqual([expect.stringMatching(/^warning: .*:first, .*:second\./)]);
  });

  it("get no warning where no URN tells them apart", async () => {
    const run = await startRun({ hasUrns: false });

    await firstManages(run);
    await secondManages(run);

    expect(run.lines).toEqual([]);
  });

  it("get no warning when one of them only reads it", async () => {
    const run = await startRun();

    await run.first.get();
    await secondManages(run);

    expect(run.lines).toEqual([]);
  });
});

describe("An imported webhook that the program declares otherwise", () => {
  it("is not said to be replaced, because Pulumi does not replace what it imports", async () => {
    const { second, lines } = await startRun();
    await second.import(someArgs({ url: otherUrl }));

    await second.compare(someArgs({ url: otherUrl }));

    expect(lines).toEqual([expect.stringMatching(/^warning: The program and the service differ/)]);
  });

  it("is said to be replaced when another resource only reads it", async () => {
    const { first, second, lines } = await startRun();
    await first.get();

    await second.compare(someArgs({ url: otherUrl }));

    expect(lines).toEqual([expect.stringMatching(/^warning: Replacing webhook 17 /)]);
  });
});

describe("A resource that is replaced while adopt names its own webhook", () => {
  it("fails its check, because the process of a replaced provider would delete the webhook", async () => {
    const run = await startRun();
    const urn = "urn:pulumi:::first";
    await run.check(adopting(), adopting(), { urn });

    const { failures } = await run.check({}, adopting(), { urn });

    expect(failures).toEqual([expect.stringMatching(/^adopt: .*webhook 17 .*Remove adopt/)]);
  });

  it("is no reason to refuse a webhook with the same number in another database", async () => {
    const run = await startRun();
    const urn = "urn:pulumi:::first";
    await run.check(adopting(), adopting(), { urn });

    const { failures } = await run.check({}, { ...adopting(), databaseId: "base_2" }, { urn });

    expect(failures).toEqual([]);
  });
});
