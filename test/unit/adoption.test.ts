import { describe, expect, it } from "vitest";
import {
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
    const body = { webhooks: [{ ...someArgs(), id: 17, tableIds: null, active: true }] };
    await using server = await startServer({ body });
    const { create, lines } = startProvider(listing(server.url));

    expect(await create(adopting())).toMatchObject({ id: "17" });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(lines.join()).not.toContain("dbwebhooks:listing");
  });

  it.each<[string, Answer, string]>([
    ["is not listed", { body: { webhooks: [] } }, "does not list it"],
    ["may be on another page", { body: { webhooks: [], nextPage: 2 } }, "only a part"],
    [
      "has another table",
      { body: { webhooks: [{ ...someArgs(), id: 17, tableIds: ["t"], active: true }] } },
      "another tableId",
    ],
    ["cannot be looked up", { statusCode: 403 }, "answered 403"],
  ])(
    "is refused with listing when the webhook %s, and can be tried again",
    async (_case, answer, why) => {
      await using server = await startServer(answer);
      const { create } = startProvider(listing(server.url));

      for (const _attempt of [1, 2]) {
        const error = await errorOf(create(adopting()));

        expect(kindOf(error)).toBe("notAdopted");
        expect(error.message).toContain(why);
      }
    },
  );

  it.each<[string, (run: TestProvider) => Promise<unknown>]>([
    ["has adopted", ({ create }) => create(adopting({ id: 17 }))],
    [
      "goes on managing",
      async ({ check, diff }) => {
        await check({}, someArgs());
        await diff("17", someState(), someArgs());
      },
    ],
  ])("is refused for a webhook that another resource %s", async (_case, before) => {
    const run = startProvider();
    await before(run);

    expect(await kindOfError(run.create(adopting()))).toBe("notAdopted");
  });

  it("is refused for a webhook that is being looked up for another resource", async () => {
    const body = { webhooks: [{ ...someArgs(), id: 17, tableIds: null, active: true }] };
    await using server = await startServer({ body });
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
  it("is said before anything happens", async () => {
    const { check, lines } = startProvider();

    await check({}, adopting());

    expect(lines).toEqual([
      "info: Adopting webhook 17 of database base_abc123: no webhook is created, and the service changes nothing.",
    ]);
  });

  it.each([
    ["the webhook is in the state", someArgs(), adopting()],
    ["its id is not known yet", {}, adopting({ id: unknownMarkers.string })],
    ["its database is not known yet", {}, { ...adopting(), databaseId: unknownMarkers.string }],
    ["there is none", {}, someArgs()],
  ])("is not said when %s", async (_case, olds, news) => {
    const { check, lines } = startProvider();

    await check(olds, news);

    expect(lines).toEqual([]);
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
    await run.check(someArgs(), someArgs());

    expect(await kindOfError(run.diff("17", someState(), someArgs()))).toBe("conflict");
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
    const { check, diff } = startProvider();
    const compare = async (news = someArgs(), urn?: string) => {
      await check(news, news, { urn });
      return await diff("17", someState(), news, { urn });
    };
    await compare(args[0], urns[0]);

    expect(await kindOfError(compare(args[1], urns[1]))).toBe("conflict");
  });

  it.each([undefined, first])("is right as often as Pulumi asks, with the URN %s", async (urn) => {
    const { check, diff, lines } = startProvider();

    for (const _time of [1, 2, 3]) {
      await check(adopting(), adopting(), { urn });
      expect(await diff("17", someState(), adopting(), { urn })).toEqual([]);
    }
    expect(lines).toEqual([]);
  });
});
