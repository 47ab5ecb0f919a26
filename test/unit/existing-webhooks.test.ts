import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Transport } from "../../src/api/transport.ts";
import type { Properties } from "../../src/provider/values.ts";
import {
  listed,
  listOf,
  secret,
  someArgs,
  someState,
  unknownMarkers,
  wrapped,
} from "../helpers/builders.ts";
import { errorOf, kindOf } from "../helpers/errors.ts";
import type { StubResponse } from "../helpers/http-server.ts";
import { startProvider } from "../helpers/provider.ts";
import { startWithService } from "../helpers/provider-with-service.ts";
import { response } from "../helpers/transport.ts";

type Run = Awaited<ReturnType<typeof startRun>>;
type Step = (run: Run) => Promise<unknown>;

const otherArgs = someArgs({ url: "https://example.com/other" });
const adopting = (changes: object = {}) => someArgs({ adopt: { id: "17", secret, ...changes } });
const adoptingElsewhere = { ...adopting(), databaseId: "base_2" };
const wrong = { ...adopting(), url: "no URL" };

// Pulumi passes the URN of a resource to the plugin, but not to the dynamic provider.
const urnCases = [
  { urns: "with URNs", hasUrns: true },
  { urns: "without URNs", hasUrns: false },
];

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
      delete: () => run.delete("17", run.state, options),
    };
  };
  const isDeleted = () => run.methods().includes("DELETE");
  return { ...run, isDeleted, first: resource("first"), second: resource("second") };
}

// Only definite events keep a deletion from being sent. Pulumi compares what it deletes a moment later.
describe.each(urnCases)("A deletion $urns", ({ hasUrns }) => {
  it.each<[string, Step]>([
    ["its resource changes", ({ first }) => first.compare(otherArgs)],
    ["its resource was compared and is unchanged", ({ first }) => first.compare()],
    ["another resource was compared with it and is unchanged", ({ second }) => second.compare()],
    ["a refresh has read it", ({ read, state }) => read("17", state)],
    ["its replacement was created", ({ first }) => first.create()],
    ["a command that runs no program compared it", ({ second }) => second.compareWithoutCheck()],
    ["the program adopts another webhook", ({ second }) => second.check({}, adopting({ id: 16 }))],
    ["adopt names another database", ({ second }) => second.check({}, adoptingElsewhere)],
    ["adopt left the program", ({ first }) => first.check(adopting(), someArgs())],
  ])("reaches the webhook when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await run.first.delete();

    expect(run.isDeleted()).toBe(true);
  });

  it.each<[string, Step]>([
    ["this run has imported it", ({ second }) => second.import()],
    ["this run has adopted it", ({ create }) => create(adopting())],
    ["the program adopts it", ({ second }) => second.check({}, adopting())],
    [
      "the program adopts it, and another argument is wrong",
      ({ second }) => second.check({}, wrong),
    ],
  ])("is not sent and counts as done, with a warning, when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await run.first.delete();

    expect(run.isDeleted()).toBe(false);
    expect(run.lines.at(-1)).toMatch(/^warning: .*webhook 17 /);
  });
});

describe.each(urnCases)("An adoption, $urns,", ({ hasUrns }) => {
  it.each<[string, Step]>([
    ["another resource has adopted the webhook", ({ second }) => second.create(adopting())],
    ["this run has imported the webhook", ({ second }) => second.import()],
    ["this run has deleted the webhook", ({ second }) => second.delete()],
  ])("is refused when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    await expect(run.first.create(adopting())).rejects.toMatchObject({ kind: "unchanged" });
  });

  it.each<[string, Step]>([
    ["another resource was compared with it", ({ second }) => second.compare()],
    [
      "the last update of its resource did not name it",
      ({ first }) => first.check(someArgs(), adopting()),
    ],
  ])("succeeds when %s", async (_case, prepare) => {
    const run = await startRun({ hasUrns });
    await prepare(run);

    expect(await run.first.create(adopting())).toMatchObject({ id: "17" });
  });

  it.each<[string, olds: Properties, olds: Properties]>([
    ["both are new", {}, {}],
    ["the second adopted it before", {}, adopting()],
    ["the first adopted it before", adopting(), {}],
    ["both adopted it before", adopting(), adopting()],
    ["the second had another webhook", {}, someArgs()],
    ["the second adopted another one before", {}, adopting({ id: "16" })],
  ])(
    "is refused in the check that names the webhook second: %s",
    async (_case, olds, otherOlds) => {
      const { first, second } = await startRun({ hasUrns });

      const { failures } = await first.check(olds, adopting());
      const other = await second.check(otherOlds, adopting());

      expect(failures).toEqual([]);
      expect(other.failures).toEqual([expect.stringMatching(/^adopt: names webhook 17 /)]);
    },
  );

  it("is refused in the second check also if other arguments of the first were wrong", async () => {
    const { first, second } = await startRun({ hasUrns });
    await first.check({}, wrong);

    const { failures } = await second.check({}, adopting());

    expect(failures).toEqual([expect.stringMatching(/^adopt: /)]);
  });

  it.each<[string, olds: Properties]>([
    ["adopted another webhook", adopting({ id: "16" })],
    ["adopted the same number of another database", adoptingElsewhere],
    ["had a webhook that was created", someArgs()],
  ])(
    "passes the check before the replacement of a resource that %s, but no third one",
    async (_case, olds) => {
      const { first, second } = await startRun({ hasUrns });
      await first.check(olds, adopting());

      const replacement = await first.check({}, adopting());
      const third = await second.check({}, adopting());

      expect(replacement.failures).toEqual([]);
      expect(third.failures).toEqual([expect.stringMatching(/^adopt: /)]);
    },
  );

  it("is refused in the replacement of a resource that adopts the same webhook, but not for another webhook", async () => {
    const { first } = await startRun({ hasUrns });
    // Before a replacement Pulumi checks with the old arguments first, and then without them.
    await first.check(adopting(), adopting());

    const sameWebhook = await first.check({}, adopting());
    const sameNumber = await first.check({}, adoptingElsewhere);
    const otherNumber = await first.check({}, adopting({ id: "16" }));

    expect(sameWebhook.failures).toEqual([expect.stringMatching(/^adopt: /)]);
    expect([sameNumber, otherNumber].flatMap(({ failures }) => failures)).toEqual([]);
  });

  it.each<[string, changes: Properties]>([
    ["adopt.id", { adopt: { id: unknownMarkers.number, secret } }],
    ["adopt", { adopt: unknownMarkers.object }],
  ])("keeps the webhook that may be meant while %s is not known yet", async (_case, changes) => {
    const run = await startRun({ hasUrns });

    await run.first.compare({ ...someArgs(), ...changes });
    const deletion = await errorOf(run.first.delete());

    expect(kindOf(deletion)).toBe("notDeleted");
    expect(run.isDeleted()).toBe(false);
    expect(run.lines).toEqual([
      expect.stringMatching(/^warning: .*takes over the webhook that adopt names/),
    ]);
  });

  it("is refused in a comparison that would replace its resource, and no replacement is announced", async () => {
    const { first, lines } = await startRun({ hasUrns });

    // A value that is not known yet does not hide the difference.
    const url = unknownMarkers.string;
    const comparison = first.compare({ ...adopting(), url, tableId: "tbl_1" });

    await expect(comparison).rejects.toMatchObject({
      kind: "unchanged",
      message: expect.stringContaining("differ from the state: tableId."),
    });
    expect(lines).toEqual([]);
  });

  it.each<[string, changes: Properties]>([
    ["url", { url: unknownMarkers.string }],
    ["events", { events: ["record.created", unknownMarkers.string] }],
    ["databaseId", { databaseId: unknownMarkers.string }],
  ])(
    "lets nothing be replaced while %s is not known yet, and refuses to delete the webhook",
    async (property, changes) => {
      const run = await startRun({ hasUrns });

      const comparison = await run.first.compare({ ...adopting(), ...changes });
      const deletion = await errorOf(run.first.delete());

      expect(comparison).toEqual({ changes: false });
      expect(kindOf(deletion)).toBe("notDeleted");
      expect(run.isDeleted()).toBe(false);
      expect(run.lines).toEqual([
        expect.stringMatching(`^warning: .*webhook 17 .*: ${property}\\.`),
      ]);
      expect(run.lines[0]).not.toMatch(/takes over|deletes/);
    },
  );

  it("succeeds when the update that adds adopt deletes the resource first", async () => {
    // Pulumi does so in `up --replace` with the option deleteBeforeReplace, and makes no comparison, which would fail.
    const { first, isDeleted } = await startRun({ hasUrns });
    await first.check(someArgs(), adopting());
    await first.delete();

    const { id } = await first.create(adopting());

    expect(id).toBe("17");
    expect(isDeleted()).toBe(false);
  });

  it("of a webhook with the same number in another database is no adoption of the one that is replaced", async () => {
    const { first } = await startRun({ hasUrns });

    expect(await first.compare(adoptingElsewhere)).toMatchObject({ replaces: ["databaseId"] });
  });

  it("that is refused because another resource has adopted the webhook takes nothing from that one", async () => {
    const run = await startRun({ hasUrns });
    await run.second.create(adopting());
    await errorOf(run.first.create(adopting()));

    await run.first.delete();

    expect(run.isDeleted()).toBe(false);
    expect(run.lines.at(-1)).toMatch(/^warning: .*webhook 17 /);
  });

  it("of another webhook announces which one is deleted and which one is taken over", async () => {
    const { first, lines } = await startRun({ hasUrns });

    await first.compare(adopting({ id: "18" }));

    expect(lines).toEqual([
      expect.stringMatching(/^warning: .*webhook 17 .*takes over webhook 18 .*deletes webhook 17 /),
    ]);
  });
});

describe("An adoption", () => {
  it("passes the check before a replacement of the same resource only, where URNs tell resources apart", async () => {
    const { first, second } = await startRun();
    await first.check(someArgs(), adopting());

    const { failures } = await second.check({}, adopting());

    expect(failures).toEqual([expect.stringMatching(/^adopt: /)]);
  });

  it("is refused while the deletion of its webhook is in flight", async () => {
    const held = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    vi.spyOn(Transport.prototype, "sendRequest").mockImplementation(async () => {
      sent.resolve();
      await held.promise;
      return {
        outcome: response(200, undefined, { success: true }),
        earlierOutcomes: [],
        elapsedMs: 0,
      };
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const provider = startProvider();
    const deletion = provider.delete("17", someState());
    await sent.promise;

    const adoption = errorOf(provider.create(adopting()));
    held.resolve();
    await deletion;

    expect(kindOf(await adoption)).toBe("unchanged");
  });

  it("is announced in the check of a new resource once its arguments are valid, and its id and database known", async () => {
    const { first, lines } = await startRun();
    const invalid = await startRun();

    await invalid.first.check({}, wrong);
    await first.check({}, adopting({ id: unknownMarkers.string }));
    await first.check({}, { ...adopting(), databaseId: unknownMarkers.string });
    const linesBefore = [...invalid.lines, ...lines];
    await first.check({}, adopting());

    expect(linesBefore).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^info: .*webhook 17 /)]);
  });

  it("does not change the stored secret, and warns when the program has another one", async () => {
    const { first, lines } = await startRun();

    const comparison = await first.compare(adopting({ secret: "whsec_another" }));

    expect(comparison).toEqual({ changes: false });
    expect(lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it("without listing sends nothing, says so, and stores the secret but not the argument adopt", async () => {
    const { create, lines, baseUrl, requests } = await startWithService({});

    const { id, outs } = await create(adopting());

    expect(id).toBe("17");
    expect(outs).toStrictEqual({ ...someArgs(), baseUrl, secret: wrapped(secret) });
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
  ])("is refused, and a deletion of its webhook is an error, when %s", async (_case, response) => {
    const run = await startWithService(response, { listing: "true" });
    await run.check({}, adopting());

    const adoption = await errorOf(run.create(adopting()));
    const deletion = await errorOf(run.delete("17", run.state));

    expect([adoption, deletion].map(kindOf)).toEqual(["unchanged", "notDeleted"]);
    expect(run.methods()).toEqual(["GET"]);
  });
});

it("An adoption that fails says that the webhook is left behind if its old resource leaves the state during the lookup", async () => {
  const run = await startWithService({ statusCode: 401 }, { listing: "true" });
  await run.check(someArgs(), adopting());

  const adoption = errorOf(run.create(adopting()));
  await run.delete("17", run.state);

  expect(kindOf(await adoption)).toBe("leftBehind");
});

it.each<[statusCode: number, isAdopted: boolean]>([
  [401, true],
  [500, false],
])(
  "An adoption after a deletion that got %s, which may have deleted the webhook or not, succeeds: %s",
  async (statusCode, isAdopted) => {
    const run = await startWithService({ statusCode });
    await errorOf(run.delete("17", run.state));

    const adoption = run.create(adopting());

    expect(
      await adoption.then(
        () => true,
        () => false,
      ),
    ).toBe(isAdopted);
  },
);

it("An import fails if the deletion of its webhook is sent during the lookup", async () => {
  const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
  const body = { success: true, webhooks: [listed()] };
  const run = await startWithService({ body }, { listing: "true" }, { environment });

  const importing = errorOf(run.import("17", "base_abc123"));
  await run.delete("17", run.state);

  expect(kindOf(await importing)).toBe("unchanged");
  expect(run.methods().toSorted()).toEqual(["DELETE", "GET"]);
});

it("An adoption and an import use no list that was requested before them", async () => {
  const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
  const later = listOf(listed(), listed({ id: 18 }));
  const run = await startWithService([listOf(), later], { listing: "true" }, { environment });
  await run.read("99", run.state);

  const adopted = await run.create(adopting());
  const imported = await run.import("18", "base_abc123");

  expect([adopted.id, imported.id]).toEqual(["17", "18"]);
});

it("An adoption that fails after the old resource has left the state says that the webhook is left behind", async () => {
  const run = await startWithService({ statusCode: 401 }, { listing: "true" });
  // Pulumi does so in `up --replace` with the option deleteBeforeReplace, when the update adds adopt.
  await run.check(someArgs(), adopting());
  await run.delete("17", run.state);

  const error = await errorOf(run.create(adopting()));

  expect(kindOf(error)).toBe("leftBehind");
  expect(error.message).toContain("webhook 17");
  expect(run.methods()).toEqual(["GET"]);
});

it("A webhook that differs from the program gets no announcement of a new secret in an import, which replaces nothing", async () => {
  const { second, lines } = await startRun();

  await second.import(otherArgs);
  await second.compare(otherArgs);

  // Only the warning that the import differs from the program.
  expect(lines).toEqual([expect.stringMatching(/^warning: /)]);
  expect(lines[0]).not.toContain("secret");
});
