import { afterEach, describe, expect, it, vi } from "vitest";
import type { Send } from "../../../src/api/transport.ts";
import { withheldText } from "../../../src/common/redaction.ts";
import { EngineMonitor } from "../../../src/provider/command/engine-monitor.ts";
import { parseStateEntry } from "../../../src/provider/rules/state.ts";
import { WebhookProvider } from "../../../src/provider/webhook-provider.ts";
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
} from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { refusedAddress, type StubResponse } from "../../helpers/http-server.ts";
import { startProvider } from "../../helpers/provider.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";
import { endedWith, response, stubTransport } from "../../helpers/transport.ts";

const created: StubResponse = { statusCode: 201, body: { id: 17, secret } };
const createdUnusable: StubResponse = { body: { id: 17, secret: 1 } };
const deleted: StubResponse = { body: { success: true } };
const forbidden: StubResponse = { statusCode: 403, body: errorBody("FORBIDDEN") };
const gatewayError: StubResponse = {
  statusCode: 503,
  headers: { "retry-after": "1" },
  body: { message: "The backend timed out." },
};
const notFound: StubResponse = { statusCode: 404, body: errorBody("NOT_FOUND") };

afterEach(() => void vi.restoreAllMocks());

describe("A creation", () => {
  it("sends and stores the arguments as written, but no flags, and stores the base URL and the secret", async () => {
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

  it("says why requests wait, and what helps against a rate limit", async () => {
    const delays = [
      { kind: "retry", delayMs: 5_001, outcome: response(503) },
      { kind: "pause", delayMs: 5_001, outcome: response(429) },
    ] as const;
    const send: Send = async ({ method, url }, onDelay) => {
      for (const delay of delays) {
        onDelay({ ...delay, request: { method, url } });
      }
      return endedWith(response(403));
    };
    const { create, lines } = startProvider({}, { transport: stubTransport(send) });

    await errorOf(create(someArgs()));

    expect(lines).toEqual([
      expect.stringMatching(/^info: .*503; retrying(?!.*--parallel)/),
      expect.stringMatching(/^info: .*rate of requests.* 6 s.*--parallel/),
    ]);
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

  it("keeps the digits of an id that JavaScript has no exact number for", async () => {
    const body = `{"id":9007199254740993,"secret":"${secret}"}`;
    const { create } = await startWithService({ body });

    expect(await create(someArgs())).toMatchObject({ id: "9007199254740993" });
  });

  it("stores a secret with white space at its ends as it is", async () => {
    const { create } = await startWithService({ body: { id: 17, secret: " secret-1 " } });

    expect(await create(someArgs())).toMatchObject({ outs: { secret: wrapped(" secret-1 ") } });
  });

  it.each<[kind: string, response: string, StubResponse]>([
    ["notCreated", "400 with nested arrays", { statusCode: 400, body: nestedBody }],
    ["inDoubt", "20,000 nested arrays", { body: nestedBody }],
    ["inDoubt", "nested arrays beside an id", { body: `{"id":17,"secret":${nestedBody}}` }],
    ["inDoubt", "a path as id", { body: { id: "1/../2", secret } }],
    ["inDoubt", "an id of 65 digits", { body: `{"id":${"9".repeat(65)},"secret":"s"}` }],
    ["inDoubt", "503 of a gateway with Retry-After and a message", gatewayError],
  ])("ends as %s, without a retry, when the service returns %s", async (kind, _case, response) => {
    const { create, methods } = await startWithService([response, created], { retrySeconds: "60" });

    await expect(create(someArgs())).rejects.toMatchObject({ kind });
    expect(methods()).toEqual(["POST"]);
  });
});

describe("A creation whose response holds no secret that can be stored", () => {
  it.each<[string, unknown]>([
    ["is missing", undefined],
    ["is empty", ""],
    ["has a control character, which a terminal would obey", "secret-\u001b[2J"],
    ["is one of Pulumi's markers of unknown values", unknownMarkers.string],
    ["is not UTF-8", Buffer.from('{"id":17,"secret":"secret-\xe4"}', "latin1")],
  ])(
    "is in doubt, with the id, and nothing is deleted, when the secret %s",
    async (_, unusable) => {
      const body = unusable instanceof Buffer ? unusable : { id: 17, secret: unusable };
      const returned = { body };
      const { create, methods, lines } = await startWithService([returned, deleted]);

      const error = await errorOf(create(someArgs()));

      expect(error).toMatchObject({ kind: "inDoubt" });
      expect(error.message).toContain("webhook 17");
      expect(methods()).toEqual(["POST"]);
      expect(lines).toEqual([]);
    },
  );
});

describe("A creation whose response arrives when Pulumi is gone", () => {
  const plainSecret = "kB7wQz-another-secret-Xn4";
  const createdWithPlainSecret = { body: { id: 17, secret: plainSecret } };
  const refusedDeletion = { statusCode: 403, body: errorBody("NO", `It is ${plainSecret}.`) };

  /** Creates a webhook for an engine that no longer exists. */
  async function createForGoneEngine(...responses: readonly StubResponse[]) {
    const { exit, engine } = goneEngine();
    const settings = { retrySeconds: "60" };
    const provider = await startWithService(responses, settings, { engine });
    const error = await errorOf(provider.create(someArgs({ databaseId: "a/b" })));
    return { ...provider, exit, error };
  }

  function goneEngine() {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    return { exit, engine: new EngineMonitor(refusedAddress, () => undefined) };
  }

  it("is undone, because Pulumi can no longer store its secret, and the process ends", async () => {
    const { error, requests, exit } = await createForGoneEngine(created, deleted);

    expect(error).toMatchObject({ kind: "undone" });
    expect(error.message).toContain("webhook 17");
    expect(requests).toMatchObject([
      { method: "POST", path: "/eu/api/v1/bases/a%2Fb/webhooks" },
      { method: "DELETE", path: "/eu/api/v1/bases/a%2Fb/webhooks/17" },
    ]);
    expect(exit).toHaveBeenCalledOnce();
  });

  it.each([
    ["gets a 404, which a key without access gets too", notFound],
    ["is refused", refusedDeletion],
    ["gets 202 without a body, as from a firewall", { statusCode: 202, body: "" }],
  ])(
    "is left behind, and the log says so with the id, when the deletion %s",
    async (_, response) => {
      const { error, lines } = await createForGoneEngine(createdWithPlainSecret, response);

      // Pulumi would store the webhook if the error had an id.
      expect({ ...error }).toEqual({ name: "WebhookError", kind: "leftBehind" });
      expect(error.message).toContain("webhook 17");
      expect(error.message).not.toContain(plainSecret);
      expect(lines).toEqual([`warning: ${error.message}`]);
    },
  );

  it("is left behind when the deletion throws, and the secret in that error is not shown", async () => {
    const send = vi
      .fn<Send>()
      .mockResolvedValueOnce(endedWith(response(201, undefined, { id: 9, secret: plainSecret })))
      .mockRejectedValueOnce(new Error(`a bug with ${plainSecret}`));
    const transport = stubTransport(send);

    const error = await errorOf(
      startProvider({}, { ...goneEngine(), transport }).create(someArgs()),
    );

    expect(error).toMatchObject({ kind: "leftBehind" });
    expect(error.message).toContain(withheldText);
    expect(error.message).not.toContain(plainSecret);
  });

  it("is deleted after a pause whose line does not show the secret in the reason", async () => {
    const outcome = response(429, 5_000, errorBody("BUSY", `of ${plainSecret}`));
    const send: Send = async (request, onDelay) => {
      if (request.method === "POST") {
        return endedWith(response(201, undefined, { id: 9, secret: plainSecret }));
      }
      onDelay({ kind: "pause", delayMs: 5_000, request, outcome });
      return endedWith(response(204));
    };
    const provider = startProvider({}, { ...goneEngine(), transport: stubTransport(send) });

    expect(await errorOf(provider.create(someArgs()))).toMatchObject({ kind: "undone" });
    expect(provider.lines.join()).toContain(withheldText);
    expect(provider.lines.join()).not.toContain(plainSecret);
  });
});

// An error hook of the program makes Pulumi repeat a failed creation, up to 100 times.
describe("A creation that has failed before in this command", () => {
  const inDoubt: StubResponse = { statusCode: 500 };
  const sameInputs = someArgs();
  const otherInputs = someArgs({ tableId: "tbl_other" });

  it.each<[string, options: { urn?: string }, inputs: object]>([
    ["with its URN", { urn: "urn:a" }, otherInputs],
    ["without URNs, with its arguments", {}, { ...sameInputs }],
  ])("and is in doubt is not sent again, %s", async (_case, options, inputs) => {
    const { create, methods, lines } = await startWithService([inDoubt, created]);
    const first = await errorOf(create(sameInputs, options));

    const repetitions = [await errorOf(create({ ...inputs }, options))];
    repetitions.push(await errorOf(create({ ...inputs }, options)));

    expect(first).toMatchObject({ kind: "inDoubt" });
    expect(repetitions).toMatchObject([{ kind: "unchanged" }, { kind: "unchanged" }]);
    expect(methods()).toEqual(["POST"]);
    expect(lines).toEqual([`warning: ${first.message}`]);
  });

  it("and is in doubt is not sent again while the engine is asked whether it is alive", async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const { promise: probed, resolve: respond } = Promise.withResolvers<boolean>();
    const engine = new EngineMonitor(undefined, () => undefined);
    vi.spyOn(engine, "confirmCanStoreOrStop").mockImplementation(() => {
      asked();
      return probed;
    });
    const { create, methods } = await startWithService([inDoubt, created], {}, { engine });
    const first = errorOf(create(sameInputs));
    await isAsked;

    const second = await errorOf(create(sameInputs));
    respond(true);

    expect(second).toMatchObject({ kind: "unchanged" });
    expect(await first).toMatchObject({ kind: "inDoubt" });
    expect(methods()).toEqual(["POST"]);
  });

  it("and is in doubt twice, because two were in flight, shows both errors", async () => {
    const returned = (id: number): StubResponse => ({ body: { id, secret: 0 } });
    const { create, lines } = await startWithService([returned(41), returned(42)]);
    await Promise.all([errorOf(create(sameInputs)), errorOf(create(sameInputs))]);

    await errorOf(create(sameInputs));

    expect(lines.toSorted()).toEqual([
      expect.stringMatching(/^warning: .* webhook 41 /),
      expect.stringMatching(/^warning: .* webhook 42 /),
    ]);
  });

  it.each<[string, first: object, second: object, inputs: object]>([
    ["another URN", { urn: "urn:a" }, { urn: "urn:b" }, sameInputs],
    ["other arguments and no URN", {}, {}, otherInputs],
    ["other events and no URN", {}, {}, someArgs({ events: ["record.deleted"] })],
  ])("and is in doubt does not prevent one of %s", async (_case, first, second, inputs) => {
    const { create } = await startWithService([inDoubt, created]);
    await errorOf(create(sameInputs, first));

    expect(await create({ ...inputs }, second)).toMatchObject({ id: "17" });
  });

  it("and is certainly not carried out is sent again", async () => {
    const { create, methods } = await startWithService([forbidden, created]);
    await expect(create(someArgs())).rejects.toMatchObject({ kind: "notCreated" });

    expect(await create(someArgs())).toMatchObject({ id: "17" });
    expect(methods()).toEqual(["POST", "POST"]);
  });

  it("and has left a webhook behind, or met a fault, is not sent again", async () => {
    const send = vi
      .fn<Send>()
      .mockResolvedValueOnce(endedWith(response(201, undefined, { id: 9, secret })))
      .mockRejectedValue(new Error("a bug"));
    vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    const engine = new EngineMonitor(refusedAddress, () => undefined);
    const transport = stubTransport(send);
    const { create } = startProvider({}, { engine, transport });
    const [leftBehind, fault] = [someArgs(), someArgs({ tableId: "tbl_fault" })];
    await expect(create(leftBehind)).rejects.toMatchObject({ kind: "leftBehind" });
    await expect(create(fault)).rejects.toMatchObject({ kind: "fault" });
    const sent = send.mock.calls.length;

    const errors = [await errorOf(create(leftBehind)), await errorOf(create(fault))];

    expect(errors).toMatchObject([{ kind: "unchanged" }, { kind: "unchanged" }]);
    expect(send).toHaveBeenCalledTimes(sent);
  });
});

it("All operations of an account share one transport, and so its connections and its pause", async () => {
  const open = vi.fn(() => stubTransport(async () => endedWith(response(400))));
  const environment = { DBWEBHOOKS_BASE_URL: "https://a.example", DBWEBHOOKS_API_KEY: "key" };
  const source = { get: () => undefined, isExplicit: () => false, environment };
  const provider = new WebhookProvider(source, new EngineMonitor(undefined, () => {}), open);
  const options = { notify: () => undefined };
  const stored = parseStateEntry("17", someState({ baseUrl: "https://a.example" }));

  await errorOf(provider.create({ inputs: someArgs() }, options));
  await errorOf(provider.delete(stored, options));

  expect(open).toHaveBeenCalledOnce();
});

describe("A creation for which the service returns a webhook that the provider knows", () => {
  type Provider = Awaited<ReturnType<typeof startWithService>>;
  const remove = (provider: Provider) => provider.delete("17", provider.state);
  const failToCreate = ({ create }: Provider) => errorOf(create(someArgs()));

  it.each<[string, StubResponse[], (provider: Provider) => Promise<unknown>]>([
    ["has compared it", [], ({ diff, state }) => diff("17", state, someArgs())],
    ["has read it", [listOf(listed())], ({ read, state }) => read("17", state)],
    ["has created it", [created], ({ create }) => create(someArgs())],
    ["has imported it", [], (provider) => provider.import("17")],
    ["has deleted it", [deleted], remove],
    ["has found at its deletion that it is gone", [notFound, listOf()], remove],
    ["misses it in a list", [listOf()], ({ read, state }) => read("17", state)],
    ["could not delete it", [forbidden], (provider) => errorOf(remove(provider))],
    ["got it with an unusable secret", [createdUnusable], failToCreate],
    [
      "could not delete it after a 404",
      [notFound, listOf(listed())],
      (provider) => errorOf(remove(provider)),
    ],
  ])("is in doubt, and nothing is deleted, when the provider %s", async (_, responses, act) => {
    const environment = { DBWEBHOOKS_IMPORT: JSON.stringify({ 17: { ...someArgs(), secret } }) };
    const allResponses = [...responses, created];
    const provider = await startWithService(allResponses, { listing: "true" }, { environment });
    await act(provider);
    const sent = provider.requests.length;

    const error = await errorOf(provider.create(someArgs({ tableId: "tbl_other" })));

    expect(error).toMatchObject({ kind: "inDoubt" });
    expect(error.message).toContain("webhook 17");
    expect(provider.methods().slice(sent)).toEqual(["POST"]);
  });

  it("names the id alone when the secret is unusable too, because the id is what is wrong", async () => {
    const { create, diff, state } = await startWithService(createdUnusable);
    await diff("17", state, someArgs());

    const { message } = await errorOf(create(someArgs({ tableId: "tbl_other" })));

    expect(message).toContain("A repeated id");
  });

  it("is in doubt, and so is the next one, when the webhook is deleted while the creation is in flight", async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
    const transport = stubTransport(async (request) => {
      const isCreation = request.method === "POST";
      if (isCreation) {
        sent();
        await hold;
      }
      return endedWith(
        response(200, undefined, isCreation ? { id: 17, secret } : { success: true }),
      );
    });
    const provider = startProvider({}, { transport });
    const creation = errorOf(provider.create(someArgs()));
    await isSent;

    await provider.delete("17", someState());
    release();

    expect(await creation).toMatchObject({ kind: "inDoubt" });
    const next = provider.create(someArgs({ tableId: "tbl_other" }));
    expect(await errorOf(next)).toMatchObject({ kind: "inDoubt" });
  });

  it.each([
    ["another service", { baseUrl: "https://other.example.com" }],
    ["another database", { databaseId: "base_other" }],
  ])("succeeds when the known webhook belongs to %s", async (_, changes) => {
    // The default provider would refuse to compare a webhook of another base URL.
    const { diff, create, state } = await startWithService(created, { isExplicit: "true" });
    await diff("17", { ...state, ...changes }, someArgs());

    expect(await create(someArgs())).toMatchObject({ id: "17" });
  });

  it("succeeds when the known webhook has another id", async () => {
    const { diff, create, state } = await startWithService(created);
    await diff("18", state, someArgs());

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
