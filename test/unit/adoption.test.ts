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

const adopting = (changes: object = {}) => someArgs({ adopt: { id: "17", secret, ...changes } });
const listing = (baseUrl: string) => ({ baseUrl, listing: "true", retrySeconds: "0" });
const kindOfError = async (promise: Promise<unknown>) => kindOf(await errorOf(promise));

/** Pulumi checks and compares a resource that has webhook 17 in the state. */
const compares = async ({ check, diff }: TestProvider, news = someArgs(), urn?: string) => {
  await check(news, news, { urn });
  return await diff("17", someState(), news, { urn });
};

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

  it("looks the webhook up first with listing", async () => {
    await using server = await startServer(listOf(listed()));
    const { create, lines } = startProvider(listing(server.url));

    expect(await create(adopting())).toMatchObject({ id: "17" });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(lines.join()).not.toContain("dbwebhooks:listing");
  });

  it.each<[string, Answer, string]>([
    ["is not listed", listOf(), "does not list it"],
    ["may be on another page", { body: { webhooks: [], nextPage: 2 } }, "only a part"],
    ["has another table", listOf(listed({ tableIds: ["t"] })), "another tableId"],
    ["cannot be looked up", { statusCode: 403 }, "answered 403"],
  ])("is refused with listing when the webhook %s, each time", async (_case, answer, why) => {
    await using server = await startServer(answer);
    const { create } = startProvider(listing(server.url));

    for (const _attempt of [1, 2]) {
      const error = await errorOf(create(adopting()));

      expect(kindOf(error)).toBe("notAdopted");
      expect(error.message).toContain(why);
    }
  });

  it.each<[string, (run: TestProvider) => Promise<unknown>]>([
    ["has adopted", ({ create }) => create(adopting({ id: 17 }))],
    ["goes on managing", (run) => compares(run)],
  ])("is refused for a webhook that another resource %s", async (_case, before) => {
    const run = startProvider();
    await before(run);

    expect(await kindOfError(run.create(adopting()))).toBe("notAdopted");
  });

  it("is refused for a webhook that is being looked up for another resource", async () => {
    await using server = await startServer(listOf(listed()));
    const { create } = startProvider(listing(server.url));

    const results = await Promise.allSettled([create(adopting()), create(adopting())]);

    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  it("is refused for a webhook that this run has deleted", async () => {
    await using server = await startServer({ body: { success: true } });
    const run = startProvider({ baseUrl: server.url });
    await run.delete("17", someState({ baseUrl: server.url }));

    expect(await kindOfError(run.create(adopting()))).toBe("notAdopted");
  });

  it("comes back to the webhook of a resource that is deleted first, to be replaced", async () => {
    await using server = await startServer();
    const run = startProvider({ baseUrl: server.url });
    const state = someState({ baseUrl: server.url });
    await run.check(adopting(), adopting());
    await run.diff("17", state, adopting());
    await run.delete("17", state);

    expect(await run.create(adopting())).toMatchObject({ id: "17" });
    expect(server.requests).toEqual([]);
  });

  it("that failed keeps the resource that has the webhook", async () => {
    await using server = await startServer({ statusCode: 403 });
    const run = startProvider(listing(server.url));
    await run.check({}, adopting());
    await errorOf(run.create(adopting()));

    const deletion = run.delete("17", someState({ baseUrl: server.url }));

    expect(await kindOfError(deletion)).toBe("kept");
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
  });
});

describe("adopt in a preview", () => {
  it.each([
    ["is said before anything happens", {}, adopting(), 1],
    ["is not said when the webhook is in the state", someArgs(), adopting(), 0],
    ["is not said when its id is unknown", {}, adopting({ id: unknownMarkers.string }), 0],
    [
      "is not said of an unknown database",
      {},
      { ...adopting(), databaseId: unknownMarkers.string },
      0,
    ],
    ["is not said when there is none", {}, someArgs(), 0],
  ])("%s", async (_case, olds, news, count) => {
    const { check, lines } = startProvider();

    await check(olds, news);

    const line = expect.stringMatching(/^info: Adopting webhook 17 of database base_abc123: /);
    expect(lines).toEqual(Array(count).fill(line));
  });
});

describe("adopt in a comparison", () => {
  it("leaves the secret of the state in force, and says so", async () => {
    const { diff, lines } = startProvider();

    expect(await diff("17", someState(), adopting({ secret: "whsec_another" }))).toEqual([]);
    expect(lines).toEqual([
      expect.stringMatching(/^info: The argument adopt.secret of webhook 17 /),
    ]);
    expect(lines.join()).not.toContain("whsec_another");
  });

  it("refuses to replace the webhook that it names", async () => {
    const { diff } = startProvider();

    const error = await errorOf(diff("17", someState(), { ...adopting(), tableId: "tbl_1" }));

    expect(kindOf(error)).toBe("conflict");
    expect(error.message).toContain("tableId changes");
  });

  it("says nothing of it after a refresh, which does not run the program", async () => {
    const { read, diff, lines } = startProvider();
    await read("17", someState());

    const differences = await diff("17", someState({ url: "https://drifted.example" }), adopting());

    expect(differences).toMatchObject([{ property: "url" }]);
    expect(lines).toEqual([]);
  });

  it.each<[string, (run: TestProvider) => Promise<unknown>]>([
    ["has adopted", ({ create }) => create(adopting())],
    ["is to adopt", ({ check }) => check({}, adopting())],
  ])("finds a resource with the webhook that another one %s", async (_case, before) => {
    const run = startProvider();
    await before(run);

    expect(await kindOfError(compares(run))).toBe("conflict");
  });

  const first = "urn:first";
  const other = "urn:other";
  it.each([
    ["the one that names it first", [adopting(), someArgs()], [first, other]],
    ["the other one first", [someArgs(), adopting()], [first, other]],
    ["both naming it", [adopting(), adopting()], [first, other]],
    ["the one that names it first, without URNs", [adopting(), someArgs()], []],
    ["the other one first, without URNs", [someArgs(), adopting()], []],
  ])("finds two resources of the state with one webhook, %s", async (_case, args, urns) => {
    const run = startProvider();
    await compares(run, args[0], urns[0]);

    expect(await kindOfError(compares(run, args[1], urns[1]))).toBe("conflict");
  });

  it.each([undefined, first])("is right as often as Pulumi asks, with the URN %s", async (urn) => {
    const run = startProvider();

    for (const _time of [1, 2, 3]) {
      expect(await compares(run, adopting(), urn)).toEqual([]);
    }
    expect(run.lines).toEqual([]);
  });
});
