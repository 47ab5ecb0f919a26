import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createForState } from "../../src/core/create.ts";
import { Engine } from "../../src/core/engine.ts";
import { PartialCreationError, type WebhookError } from "../../src/core/errors.ts";
import { Ledger } from "../../src/core/ledger.ts";
import { create as createInShell } from "../../src/dynamic/provider.ts";
import {
  errorBody,
  providerText,
  secret,
  secretEnvelope,
  someArgs,
  someOperation,
  someSettings,
  unknownMarkers,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { type Answer, refusedUrl, startRawServer, startServer } from "../helpers/http-server.ts";
import { configure, someProvider } from "../helpers/provider.ts";
import { response, restoreWorld } from "../helpers/transport.ts";

const created = { statusCode: 201, body: { id: 17, secret } };
const deleted = { body: { success: true } };
const webhook = { databaseId: "base_abc123", url: "https://a.example", events: ["record.created"] };

afterEach(restoreWorld);

/** Creates a webhook with these settings. */
function create(settings: Record<string, string>, changes = {}, engine?: Engine) {
  const { provider, notify } = someProvider(settings, engine);
  return provider.create(someArgs(changes), notify);
}

/** The kind of the error of a creation that gets these answers, and what the service saw. */
async function failureOf(answers: readonly Answer[], changes = {}, settings = {}) {
  await using server = await startServer(...answers);
  const error = await errorOf(create({ baseUrl: server.url, ...settings }, changes));
  return { kind: (error as WebhookError).kind, error, methods: methodsOf(server) };
}

const methodsOf = ({ requests }: { readonly requests: readonly { readonly method: string }[] }) =>
  requests.map(({ method }) => method);

describe("the request that creates a webhook", () => {
  // Base URL, arguments, path and body.
  it.each([
    ["", {}, "/api/v1/bases/base_abc123/webhooks", {}],
    ["/eu/tables//", {}, "/eu/tables/api/v1/bases/base_abc123/webhooks", {}],
    ["", { tableId: "tbl_ä/1" }, "/api/v1/bases/base_abc123/webhooks", { tableId: "tbl_ä/1" }],
    ["", { allowInsecureUrl: false }, "/api/v1/bases/base_abc123/webhooks", {}],
    [
      "",
      { url: "HTTPS://Example.com:443/a/../ä?b=%7E#c" },
      "/api/v1/bases/base_abc123/webhooks",
      { url: "HTTPS://Example.com:443/a/../ä?b=%7E#c" },
    ],
    ["", { databaseId: "a/b ä?#%" }, "/api/v1/bases/a%2Fb%20%C3%A4%3F%23%25/webhooks", {}],
    ["", { databaseId: "%2e%2e" }, "/api/v1/bases/%252e%252e/webhooks", {}],
  ])("goes to the database and carries what the service knows: %j %j", async (...row) => {
    const [prefix, changes, path, body] = row;
    await using server = await startServer(created);

    await create({ baseUrl: `${server.url}${prefix}` }, changes);

    const { url, events } = someArgs();
    expect(server.requests).toMatchObject([{ method: "POST", path }]);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({ url, events, ...body });
  });

  it.each([
    ["a missing url", { url: undefined }, {}],
    ["an unknown event", { events: ["record.created", unknownMarkers.string] }, {}],
    ["no key", {}, { apiKey: undefined }],
  ])("is not sent with %s", async (_case, changes, settings) => {
    expect(await failureOf([created], changes, settings)).toMatchObject({
      kind: "notCreated",
      methods: [],
    });
  });

  it("waits for no other without a limit", async () => {
    const sockets: Socket[] = [];
    const answer = `HTTP/1.1 201 Created\r\ncontent-length: 28\r\n\r\n{"id":17,"secret":"whsec_1"}`;
    // No answer before all requests are there.
    await using server = await startRawServer((socket) => {
      if (sockets.push(socket) === 40) {
        for (const one of sockets) {
          one.write(answer);
        }
      }
    });
    const { provider, notify } = someProvider({ baseUrl: server.url });

    const creations = Array.from({ length: 40 }, () => provider.create(someArgs(), notify));

    expect(await Promise.all(creations)).toHaveLength(40);
  });
});

describe("a created webhook", () => {
  it.each([
    [200, 17, "17"],
    [201, 0, "0"],
    [202, "0", "0"],
    [207, "12345678901234567890", "12345678901234567890"],
    [299, 9007199254740991, "9007199254740991"],
  ])("comes with status %d, and its id %j is %j", async (statusCode, id, expected) => {
    await using server = await startServer({ statusCode, body: { id, secret } });

    expect(await create({ baseUrl: server.url })).toMatchObject({ id: expected });
  });

  it("has a state of what the service has, base URL and marked secret", async () => {
    const body = { id: 1, secret, active: true, url: "https://else.example", baseUrl: null };
    await using server = await startServer({ body });
    const changes = { tableId: "tbl_orders", allowUnknownEvents: true };

    const { properties } = await create({ baseUrl: `${server.url}/` }, changes);

    expect(properties).toStrictEqual({
      ...someArgs({ tableId: "tbl_orders" }),
      baseUrl: server.url,
      secret: secretEnvelope,
    });
  });

  it("may need several attempts", async () => {
    const headers = { "retry-after": "0" };
    await using server = await startServer(
      { statusCode: 429, headers },
      { statusCode: 503, headers, body: errorBody("BUSY") },
      created,
    );

    expect(await create({ baseUrl: server.url })).toMatchObject({ id: "17" });
    expect(server.requests).toHaveLength(3);
  });
});

describe("a creation that fails", () => {
  const proxied = { statusCode: 503, headers: { "retry-after": "0" } };
  const body = errorBody("NOT_FOUND");

  it.each<[string, Answer, string]>([
    ...[307, 400, 401, 403, 422, 404].map((statusCode): [string, Answer, string] => [
      `${statusCode}`,
      { statusCode, body },
      "notCreated",
    ]),
    ["429 for too long", { statusCode: 429, headers: { "retry-after": "999" } }, "notCreated"],
    ["503 of a proxy", proxied, "inDoubt"],
    ["500", { statusCode: 500 }, "inDoubt"],
    ["303", { statusCode: 303 }, "inDoubt"],
    ["more than 1 MiB", { body: " ".repeat(1024 * 1024 + 1) }, "inDoubt"],
    ...[
      "",
      "null",
      '{"secret":"s"}',
      '{"id":1.5,"secret":"s"}',
      '{"id":-1,"secret":"s"}',
      '{"id":"","secret":"s"}',
      '{"id":"1/../2","secret":"s"}',
      '{"id":12345678901234567890,"secret":"s"}',
      '{"id":true,"secret":"s"}',
    ].map((text): [string, Answer, string] => [`200 ${text}`, { body: text }, "inDoubt"]),
  ])("is sent once: %s", async (_case, answer, kind) => {
    expect(await failureOf([answer, created])).toMatchObject({ kind, methods: ["POST"] });
  });
});

describe("an answer without a usable secret", () => {
  it.each([
    {},
    { secret: "" },
    { secret: null },
    { secret: ["whsec_1"] },
    // Pulumi would store another text in its place.
    { secret: "whsec_\ud800abc" },
  ])("has the webhook deleted again: %j", async (body) => {
    await using server = await startServer({ body: { id: 17, ...body } }, deleted);

    const error = await errorOf(create({ baseUrl: server.url }, { databaseId: "a/b" }));

    expect(error).toMatchObject({ kind: "undone" });
    expect(error).not.toHaveProperty("id");
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/v1/bases/a%2Fb/webhooks",
      "DELETE /api/v1/bases/a%2Fb/webhooks/17",
    ]);
  });

  it("is a partial creation when the deletion fails too", async () => {
    await using server = await startServer({ body: { id: 0 } }, { statusCode: 403 });
    await configure({ baseUrl: server.url });
    const inputs = someArgs({ __provider: providerText });

    const error = (await errorOf(createInShell(inputs))) as PartialCreationError;

    expect(error).toMatchObject({ kind: "partial", id: "0", reasons: [error.message] });
    expect(error.properties).toStrictEqual({ ...inputs, baseUrl: server.url });
  });

  it("is one, too, when the deletion throws", async () => {
    const { engine } = someProvider();
    const sendRequest = async ({ kind }: { kind: string }) => {
      if (kind === "create") {
        return { outcome: response(201, undefined, { id: 9 }), earlier: [], elapsedMs: 0 };
      }
      throw new TypeError("not a result");
    };
    const account = { settings: someSettings(), transport: { sendRequest } };
    const context = { account, ledger: new Ledger(), engine, operation: someOperation() };

    const error = await errorOf(createForState(context, webhook, webhook));

    expect(error).toBeInstanceOf(PartialCreationError);
    expect(error).toMatchObject({ id: "9", properties: webhook });
  });
});

describe("when Pulumi stops", () => {
  it("what was sent completes and is stored, what was not is not, after a cancellation", async () => {
    const sockets: Socket[] = [];
    await using server = await startRawServer((socket) => sockets.push(socket));
    const { provider, notify, engine } = someProvider({
      baseUrl: server.url,
      maxConcurrentRequests: "1",
    });
    const sent = provider.create(someArgs(), notify);
    const waiting = errorOf(provider.create(someArgs(), notify));
    await expect.poll(() => sockets).toHaveLength(1);

    engine.cancel();

    expect(await waiting).toMatchObject({ kind: "notCreated" });
    expect(await errorOf(provider.create(someArgs(), notify))).toMatchObject({
      kind: "notCreated",
    });
    sockets[0]?.end(
      `HTTP/1.1 201 Created\r\ncontent-length: 28\r\n\r\n{"id":17,"secret":"whsec_1"}`,
    );
    expect(await sent).toMatchObject({ id: "17", properties: { secret: { value: "whsec_1" } } });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["undone", { id: 17, secret }, deleted],
    ["leftBehind", { id: 17, secret }, { statusCode: 403 }],
    ["leftBehind", { id: 17 }, { statusCode: 403 }],
  ])("and is gone, nothing is stored: %s, %j", async (kind, body, answer) => {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    await using server = await startServer({ body }, answer);
    const gone = new Engine(new URL(await refusedUrl()).host, () => undefined);
    const { provider, notify, lines } = someProvider({ baseUrl: server.url }, gone);

    const error = await errorOf(provider.create(someArgs(), notify));

    expect(error).toMatchObject({ kind });
    expect(error).not.toBeInstanceOf(PartialCreationError);
    // The error itself no longer reaches the engine.
    expect(lines).toEqual([{ line: error.message, severity: "warning" }]);
    expect(methodsOf(server)).toEqual(["POST", "DELETE"]);
    expect(exit).toHaveBeenCalledOnce();
  });
});
