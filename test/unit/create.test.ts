import { afterEach, describe, expect, it, vi } from "vitest";
import { type Call, Transport } from "../../src/api/transport.ts";
import { replacingArguments } from "../../src/provider/rules/arguments.ts";
import { EngineMonitor } from "../../src/provider/run/engine.ts";
import {
  errorBody,
  listed,
  listOf,
  nestedBody,
  secret,
  someArgs,
  someState,
  unknownMarkers,
  wrapped,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/errors.ts";
import { refusedAddress, type StubResponse } from "../helpers/http-server.ts";
import { startProvider, type Texts } from "../helpers/provider.ts";
import { startWithService } from "../helpers/provider-with-service.ts";
import { response } from "../helpers/transport.ts";

const created: StubResponse = { statusCode: 201, body: { id: 17, secret } };
const createdWithoutSecret: StubResponse = { body: { id: 17 } };
const createdUnusable: StubResponse = { body: { id: 17, secret: 1 } };
const deleted: StubResponse = { body: { success: true } };
const forbidden: StubResponse = { statusCode: 403, body: errorBody("FORBIDDEN") };
const notFound: StubResponse = { statusCode: 404, body: errorBody("NOT_FOUND") };

afterEach(() => void vi.restoreAllMocks());

describe("A creation", () => {
  it("sends and stores the arguments as they were written, except for flags, and also stores the base URL and the secret", async () => {
    const body = { id: 17, secret, active: true, url: "https://else.example", baseUrl: null };
    const { create, requests, baseUrl } = await startWithService({ body });
    const url = "HTTPS://Example.com:443/a/../ä?b=%7E#c";
    const args = someArgs({ databaseId: "a/b ä?#%2e", url, tableId: "tbl_ä/1" });

    const { outs } = await create({ ...args, allowInsecureUrl: false });

    expect(outs).toStrictEqual({ ...args, baseUrl, secret: wrapped(secret) });
    const path = "/eu/api/v1/bases/a%2Fb%20%C3%A4%3F%23%252e/webhooks";
    const sentBody = JSON.stringify({ url, events: args.events, tableId: "tbl_ä/1" });
    expect(requests).toMatchObject([{ method: "POST", path, body: sentBody }]);
  });

  it("sends every argument whose change replaces the webhook", async () => {
    const { create, requests } = await startWithService(created);

    await create(someArgs({ tableId: "tbl_orders" }));

    const sent = Object.keys(JSON.parse(requests[0]?.body ?? ""));
    expect(["databaseId", ...sent].toSorted()).toEqual(replacingArguments.toSorted());
  });

  it("sends no tableId when the program declares none", async () => {
    const { create, requests } = await startWithService(created);
    const { url, events } = someArgs();

    await create(someArgs({ tableId: null }));

    expect(requests).toMatchObject([{ body: JSON.stringify({ url, events }) }]);
  });

  it.each([
    { statusCode: 200, id: 0 },
    { statusCode: 299, id: "12345678901234567890" },
  ])("succeeds when the service returns $statusCode and the id $id", async ({ statusCode, id }) => {
    const { create } = await startWithService({ statusCode, body: { id, secret } });

    expect(await create(someArgs())).toMatchObject({ id: String(id) });
  });

  it.each<[kind: string, response: string, StubResponse]>([
    ["notCreated", "the status 300, whatever the body holds", { ...created, statusCode: 300 }],
    ["inDoubt", "null", { body: "null" }],
    ["inDoubt", "20,000 nested arrays", { body: nestedBody }],
    ["inDoubt", "nested arrays beside an id", { body: `{"id":17,"secret":${nestedBody}}` }],
    ["inDoubt", "a path as id", { body: { id: "1/../2", secret } }],
    ["inDoubt", "an id that is too large to be exact", { body: `{"id":${2 ** 53},"secret":"s"}` }],
  ])("ends as %s, without a retry, when the service returns %s", async (kind, _case, response) => {
    const { create, methods } = await startWithService([response, created], { retrySeconds: "60" });

    await expect(create(someArgs())).rejects.toMatchObject({ kind });
    expect(methods()).toEqual(["POST"]);
  });
});

describe("A creation whose response reveals no secret", () => {
  it.each([
    ["is missing", { id: 17 }],
    ["is empty", { id: 17, secret: "" }],
    ["is null", { id: 17, secret: null }],
  ])("is in doubt, and nothing is deleted, when the secret %s", async (_, body) => {
    const { create, methods } = await startWithService([{ body }, deleted]);

    const error = await errorOf(create(someArgs()));

    expect(error).toMatchObject({ kind: "inDoubt" });
    expect(error.message).toContain("webhook 17");
    expect(methods()).toEqual(["POST"]);
  });
});

describe("A creation whose response holds a secret that cannot be stored", () => {
  it.each([
    ["is a list", ["whsec_1"]],
    ["is a number", 42],
    ["has a lone surrogate, which Pulumi cannot store", "whsec_\ud800"],
    ["has a control character, which a terminal would obey", "whsec_\u001b[2J"],
    ["is one of Pulumi's markers of unknown values", unknownMarkers.string],
  ])("is undone when the secret %s", async (_case, unusableSecret) => {
    const createdUnusable = { body: { id: 17, secret: unusableSecret } };
    const { create, requests, lines } = await startWithService([createdUnusable, deleted]);

    const error = await errorOf(create(someArgs({ databaseId: "a/b" })));

    expect(error).toMatchObject({ kind: "undone" });
    expect(error.message).toContain("webhook 17");
    expect(requests).toMatchObject([
      { method: "POST", path: "/eu/api/v1/bases/a%2Fb/webhooks" },
      { method: "DELETE", path: "/eu/api/v1/bases/a%2Fb/webhooks/17" },
    ]);
    expect(lines).toEqual([]);
  });

  it.each([
    ["gets a 404, which a key without access gets too", [notFound]],
    ["gets a 404 after an attempt that may have deleted it", [{ statusCode: 502 }, notFound]],
    ["is refused", [forbidden]],
  ])("is left behind, with the id, when the deletion %s", async (_case, responses) => {
    const settings = { retrySeconds: "60" };
    const { create } = await startWithService([createdUnusable, ...responses], settings);

    const error = await errorOf(create(someArgs()));

    // Pulumi would store the webhook if the error had an id.
    expect({ ...error }).toEqual({ name: "WebhookError", kind: "leftBehind" });
    expect(error.message).toContain("webhook 17");
    const mayBeDeleted = responses.length > 1;
    expect(error.message.includes("may have deleted it")).toBe(mayBeDeleted);
  });

  it("is left behind when the deletion throws", async () => {
    const outcome = response(201, undefined, { id: 9, secret: 1 });
    vi.spyOn(Transport.prototype, "sendRequest")
      .mockResolvedValueOnce({ outcome, earlierOutcomes: [], elapsedMs: 0 })
      .mockRejectedValueOnce(new Error("a bug"));

    const creation = startProvider().create(someArgs());

    await expect(creation).rejects.toMatchObject({ kind: "leftBehind" });
  });
});

describe("A creation whose response arrives when Pulumi is gone", () => {
  // Every text with the prefix whsec_ is withheld, so this secret has another form.
  const plainSecret = "kB7wQz-another-secret-Xn4";
  const createdWithPlainSecret = { body: { id: 17, secret: plainSecret } };
  const refusedDeletion = { statusCode: 403, body: errorBody("NO", `It is ${plainSecret}.`) };

  /** Creates a webhook for an engine that no longer exists. */
  async function createForGoneEngine(...responses: readonly StubResponse[]) {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    const engine = new EngineMonitor(refusedAddress, () => undefined);
    const provider = await startWithService(responses, {}, { engine });
    return { ...provider, exit, error: await errorOf(provider.create(someArgs())) };
  }

  it("is undone, because Pulumi can no longer store its secret, and the process ends", async () => {
    const { error, methods, exit } = await createForGoneEngine(created, deleted);

    expect(error).toMatchObject({ kind: "undone" });
    expect(methods()).toEqual(["POST", "DELETE"]);
    expect(exit).toHaveBeenCalledOnce();
  });

  it("is left behind when it cannot be undone, and the log says so without the secret", async () => {
    const { error, lines } = await createForGoneEngine(createdWithPlainSecret, refusedDeletion);

    // Pulumi would store the webhook if the error had an id.
    expect({ ...error }).toEqual({ name: "WebhookError", kind: "leftBehind" });
    expect(lines).toEqual([`warning: ${error.message}`]);
    expect(error.message).not.toContain(plainSecret);
  });
});

describe("A creation for which the service returns a webhook that the provider knows", () => {
  type Provider = Awaited<ReturnType<typeof startWithService>>;
  const remove = (provider: Provider) => provider.delete("17", provider.state);
  const failToCreate = ({ create }: Provider) => errorOf(create(someArgs()));

  it.each<[string, StubResponse[], (provider: Provider) => Promise<unknown>]>([
    ["has compared it", [], ({ diff, state }) => diff("17", state, someArgs())],
    ["has read it", [listOf(listed())], ({ read, state }) => read("17", state)],
    ["has created it", [created], ({ create }) => create(someArgs())],
    ["has imported it", [listOf(listed())], (provider) => provider.import("17", "base_abc123")],
    ["could not delete it", [forbidden], (provider) => errorOf(remove(provider))],
    ["could not undo its creation", [createdUnusable, forbidden], failToCreate],
    ["got it without a secret", [createdWithoutSecret], failToCreate],
  ])("is in doubt, and nothing is deleted, when the provider %s", async (_, responses, act) => {
    const environment = { DBWEBHOOKS_IMPORT_SECRET: secret };
    // An undo would delete the webhook, because its secret cannot be stored.
    const answers = [...responses, createdUnusable];
    const provider = await startWithService(answers, { listing: "true" }, { environment });
    await act(provider);
    const sent = provider.requests.length;

    const error = await errorOf(provider.create(someArgs()));

    expect(error).toMatchObject({ kind: "inDoubt" });
    expect(error.message).toContain("webhook 17");
    expect(provider.methods().slice(sent)).toEqual(["POST"]);
  });

  it.each<[string, StubResponse[], (provider: Provider) => Promise<unknown>, settings?: Texts]>([
    ["has deleted it", [deleted], remove],
    ["has found at its deletion that it is gone", [notFound, listOf()], remove],
    ["has undone its creation", [createdUnusable, deleted], failToCreate],
    [
      "misses it in a list",
      [listOf()],
      ({ read, state }) => read("17", state),
      { listing: "true" },
    ],
  ])(
    "succeeds once when the provider %s: services reuse ids",
    async (_, responses, act, settings) => {
      const provider = await startWithService([...responses, created], settings);
      await act(provider);

      expect(await provider.create(someArgs())).toMatchObject({ id: "17" });
      await expect(provider.create(someArgs())).rejects.toMatchObject({ kind: "inDoubt" });
    },
  );

  it("is in doubt when the webhook is deleted while the creation is in flight", async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
    const sendRequest = async ({ kind }: Call) => {
      const isCreation = kind === "create";
      if (isCreation) {
        sent();
        await hold;
      }
      const body = isCreation ? { id: 17, secret } : { success: true };
      return { outcome: response(200, undefined, body), earlierOutcomes: [], elapsedMs: 0 };
    };
    vi.spyOn(Transport.prototype, "sendRequest").mockImplementation(sendRequest);
    const provider = startProvider();
    const creation = errorOf(provider.create(someArgs()));
    await isSent;

    await provider.delete("17", someState());
    release();

    expect(await creation).toMatchObject({ kind: "inDoubt" });
  });

  it("succeeds when the known webhook belongs to another service", async () => {
    // The default provider would refuse to compare a webhook of another base URL.
    const { diff, create, state } = await startWithService(created, { isExplicit: "true" });
    await diff("17", { ...state, baseUrl: "https://other.example.com" }, someArgs());

    expect(await create(someArgs())).toMatchObject({ id: "17" });
  });
});

describe("Two providers in one process", () => {
  it("send requests to their own services with their own keys", async () => {
    const one = await startWithService(created, { apiKey: "key-one" });
    const two = await startWithService(created, { apiKey: "key-two" });

    await Promise.all([one.create(someArgs()), two.create(someArgs())]);

    expect(one.requests).toMatchObject([{ headers: { authorization: "Bearer key-one" } }]);
    expect(two.requests).toMatchObject([{ headers: { authorization: "Bearer key-two" } }]);
  });

  it("do not share which webhooks they know", async () => {
    const { baseUrl, diff, state } = await startWithService(created);
    await diff("17", state, someArgs());

    expect(await startProvider({ baseUrl }).create(someArgs())).toMatchObject({ id: "17" });
  });
});
