import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { create } from "../../src/dynamic/provider.ts";
import { createWebhook } from "../../src/service/client.ts";
import type { PartialCreationError } from "../../src/service/errors.ts";
import type { HttpOutcome } from "../../src/service/http.ts";
import type { AccountSettings } from "../../src/service/settings.ts";
import {
  apiKey,
  errorBody,
  providerText,
  secret,
  secretEnvelope,
  someArgs,
  someSettings,
  unknownMarkers,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, startRawServer, startServer } from "../helpers/http-server.ts";
import { outcomeOf } from "../helpers/outcome-of.ts";
import { configure } from "../helpers/provider.ts";
import {
  type FakeTransport,
  fakeTransport,
  response,
  restoreWorld,
  settled,
  unanswered,
  unreadable,
  unsent,
} from "../helpers/transport.ts";

const created = { statusCode: 201, body: { id: 17, secret } };

afterEach(restoreWorld);

describe("the request that creates a webhook", () => {
  it("is a POST to the webhooks of the database", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });

    await create(someArgs());

    expect(server.requests).toMatchObject([
      { method: "POST", path: "/api/v1/bases/base_abc123/webhooks" },
    ]);
  });

  it("carries the key, JSON and the version of this package", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });

    await create(someArgs());

    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": expect.stringMatching(/^pulumi-dbwebhooks\/\d+\.\d+\.\d+/),
    });
  });

  it("carries url and events and nothing else", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });

    await create(someArgs({ allowInsecureUrl: false, __provider: providerText }));

    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({
      url: "https://example.com/hooks/orders",
      events: ["record.created", "record.updated"],
    });
  });

  it("carries the table when there is one", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });

    await create(someArgs({ tableId: "tbl_ä/1" }));

    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ tableId: "tbl_ä/1" });
  });

  it("carries a url as it was written", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });
    const url = "HTTPS://Example.com:443/a/../ä?b=%7E#c";

    await create(someArgs({ url }));

    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ url });
  });

  it.each([
    ["a/b c", "a%2Fb%20c"],
    ["ä?#%", "%C3%A4%3F%23%25"],
    ["..%2f", "..%252f"],
    ["%2e%2e", "%252e%252e"],
    ["x\\y", "x%5Cy"],
  ])("encodes the database %j as one segment of the path", async (databaseId, segment) => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });

    await create(someArgs({ databaseId }));

    expect(server.requests[0]?.path).toBe(`/api/v1/bases/${segment}/webhooks`);
  });

  it("keeps the path of the base URL", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: `${server.url}/eu/tables//` });

    await create(someArgs());

    expect(server.requests[0]?.path).toBe("/eu/tables/api/v1/bases/base_abc123/webhooks");
  });

  it.each([
    ["a missing url", { url: undefined }],
    ["an unknown url", { url: unknownMarkers.string }],
    ["an unknown event", { events: ["record.created", unknownMarkers.string] }],
  ])("is not sent with %s", async (_case, changes) => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });

    const error = await errorOf(create(someArgs(changes)));

    expect(outcomeOf(error)).toBe("not sent");
    expect(server.requests).toEqual([]);
  });

  it("is not sent by halves, and the error says so", async () => {
    await configure();

    const { message } = await errorOf(create(someArgs({ url: unknownMarkers.string })));

    expect(message).toBe(
      'Create webhook failed: not all arguments are known. Nothing was sent. Run "pulumi up" again.',
    );
  });

  it("is not sent without settings", async () => {
    await configure({ apiKey: undefined });

    const error = await errorOf(create(someArgs()));

    expect(outcomeOf(error)).toBe("not sent");
    expect(error.message).toContain("dbwebhooks:apiKey");
  });
});

describe("a created webhook", () => {
  it.each([200, 201, 202, 207])("comes with status %i", async (statusCode) => {
    await using server = await startServer({ ...created, statusCode });
    await configure({ baseUrl: server.url });

    const { id } = await create(someArgs());

    expect(id).toBe("17");
  });

  it.each([
    [17, "17"],
    [0, "0"],
    ["0", "0"],
    ["12345678901234567890", "12345678901234567890"],
    [9007199254740991, "9007199254740991"],
  ])("whose id is %j has the id %j", async (id, expected) => {
    await using server = await startServer({ body: { id, secret } });
    await configure({ baseUrl: server.url });

    const result = await create(someArgs());

    expect(result.id).toBe(expected);
  });

  it("has a state of inputs as checked, base URL and marked secret", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: `${server.url}/` });
    const inputs = someArgs({
      tableId: "tbl_orders",
      allowUnknownEvents: true,
      __provider: "text",
    });

    const { outs } = await create(inputs);

    expect(outs).toStrictEqual({ ...inputs, baseUrl: server.url, secret: secretEnvelope });
  });

  it("has nothing in its state that the service said besides", async () => {
    await using server = await startServer({
      body: { id: 1, secret, active: true, url: "https://else.example", baseUrl: null },
    });
    await configure({ baseUrl: server.url });

    const { outs } = await create(someArgs());

    expect(outs).toStrictEqual({ ...someArgs(), baseUrl: server.url, secret: secretEnvelope });
  });

  it("can be created by many at once", async () => {
    await using server = await startServer(created);
    await configure({ baseUrl: server.url });

    const results = await Promise.all(Array.from({ length: 40 }, () => create(someArgs())));

    expect(results).toHaveLength(40);
    expect(server.requests).toHaveLength(40);
  });
});

describe("an answer without a usable secret", () => {
  const answers = [
    { id: 17 },
    { id: 17, secret: "" },
    { id: 17, secret: null },
    { id: 17, secret: 12345678 },
    { id: "17", secret: ["whsec_1"] },
    // Pulumi would store another text in its place.
    { id: 17, secret: "whsec_\ud800abc" },
  ];

  it.each(answers)("has the webhook deleted again: %j", async (body) => {
    await using server = await startServer({ body }, { body: { success: true } });
    await configure({ baseUrl: server.url });

    await errorOf(create(someArgs({ databaseId: "a/b" })));

    expect(server.requests.map(({ method, path }) => [method, path])).toEqual([
      ["POST", "/api/v1/bases/a%2Fb/webhooks"],
      ["DELETE", "/api/v1/bases/a%2Fb/webhooks/17"],
    ]);
  });

  it("is an error that leaves nothing in the state once the webhook is deleted", async () => {
    await using server = await startServer({ body: { id: 17 } }, { body: { success: true } });
    await configure({ baseUrl: server.url });

    const error = await errorOf(create(someArgs()));

    expect(error.message).toBe(
      'Create webhook in database base_abc123 failed: the service created webhook 17 but sent no usable secret. It was deleted again. Run "pulumi up" again; if this comes back, check that dbwebhooks:baseUrl is the service itself.',
    );
    expect(error).not.toHaveProperty("id");
  });

  it("is a partial creation when the deletion fails too", async () => {
    await using server = await startServer(
      { body: { id: 0 } },
      { statusCode: 403, body: errorBody("FORBIDDEN", "Not yours.") },
    );
    await configure({ baseUrl: server.url });
    const inputs = someArgs({ __provider: providerText });

    const error = (await errorOf(create(inputs))) as PartialCreationError;

    expect(error.id).toBe("0");
    expect(error.properties).toStrictEqual({ ...inputs, baseUrl: server.url });
    expect(error.reasons).toEqual([error.message]);
    const [before, after] = error.message.split("DELETE");
    expect(before).toBe(
      'Create webhook in database base_abc123 failed: the service created webhook 0 but sent no usable secret. It is in the state without a secret; the next "pulumi up" replaces it. It could not be deleted at once: Delete webhook 0 of database base_abc123 failed: ',
    );
    expect(after).toContain("403 FORBIDDEN");
  });

  it("is a partial creation when the service is gone by then", async () => {
    let count = 0;
    await using server = await startRawServer((socket) => {
      count++;
      return count === 1 ? answerRaw(socket, '{"id":17}') : socket.resetAndDestroy();
    });
    await configure({ baseUrl: server.url, retrySeconds: "0" });

    const error = (await errorOf(create(someArgs()))) as PartialCreationError;

    expect(error.id).toBe("17");
  });
});

describe("an answer without a usable id", () => {
  const bodies = [
    "",
    "created",
    "[]",
    "null",
    '{"secret":"whsec_5tGq8LrN3cVbYx0KdJfHs2Mu"}',
    '{"id":null,"secret":"s"}',
    '{"id":1.5,"secret":"s"}',
    '{"id":-1,"secret":"s"}',
    '{"id":"","secret":"s"}',
    '{"id":"1/../2","secret":"s"}',
    '{"id":12345678901234567890,"secret":"s"}',
    '{"id":true,"secret":"s"}',
  ];

  it.each(bodies)("says that a webhook may exist: %j", async (body) => {
    await using server = await startServer({ statusCode: 201, body });
    await configure({ baseUrl: server.url });

    const error = await errorOf(create(someArgs()));

    expect(outcomeOf(error)).toBe("in doubt");
    expect(server.requests).toHaveLength(1);
  });

  it("is called one", async () => {
    const transport = await fakeTransport(() => response(201));

    const creation = await settled(createWith(transport));

    expect(creation).toMatchObject({
      failure: { outcome: "answered 201 without a usable webhook id" },
    });
  });
});

describe("a creation whose outcome is in doubt", () => {
  const partial = "HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{";

  it.each<[string, (socket: Socket) => unknown]>([
    ["no answer in time", () => undefined],
    ["a reset before the answer", (socket) => socket.resetAndDestroy()],
    ["an end before the answer", (socket) => socket.end()],
    [
      "a reset within the answer",
      (socket) => socket.write(partial, () => socket.resetAndDestroy()),
    ],
    ["an end within the answer", (socket) => socket.end(partial)],
    ["half an answer in time", (socket) => socket.write(partial)],
    ["an answer that is not HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")],
    ["an answer of more than 1 MiB", (socket) => answerRaw(socket, " ".repeat(1024 * 1024 + 1))],
  ])("is not tried again and says what to look for: %s", async (_case, answer) => {
    await using server = await startRawServer(answer);
    await configure({ baseUrl: server.url, timeoutSeconds: "0.3" });

    const error = await errorOf(create(someArgs()));

    expect(server.requests).toHaveLength(1);
    expect(outcomeOf(error)).toBe("in doubt");
    expect(error.message).toContain("base_abc123");
    expect(error.message).toContain("https://example.com");
  });

  it("says what to look for and what to do then", async () => {
    await using server = await startServer({ statusCode: 500, body: "<h1>no</h1>" });
    await configure({ baseUrl: server.url });

    const { message } = await errorOf(create(someArgs()));

    expect(message).toBe(
      `Create webhook in database base_abc123 failed: POST ${server.url}/api/v1/bases/base_abc123/webhooks answered 500. A webhook may exist in database base_abc123 without a stored secret. Look there for an unmanaged webhook to a receiver on https://example.com, and delete it. Then run "pulumi up" again.`,
    );
  });

  it.each([303, 408, 409, 410, 500, 502, 503, 504, 599])(
    "is not tried again after status %i",
    async (statusCode) => {
      await using server = await startServer({ statusCode, body: "<h1>no</h1>" });
      await configure({ baseUrl: server.url });

      const error = await errorOf(create(someArgs()));

      expect(server.requests).toHaveLength(1);
      expect(outcomeOf(error)).toBe("in doubt");
    },
  );

  it.each<[string, HttpOutcome]>([
    ["unanswered", unanswered],
    ["unreadable", unreadable],
    ["500", response(500)],
    ["500 with Retry-After", response(500, 0)],
    ["502 with Retry-After", response(502, 0)],
    ["503", response(503)],
    ["408", response(408)],
    ["425", response(425)],
    ["409", response(409)],
    ["301", response(301)],
  ])("sends one request only: %s", async (_case, outcome) => {
    const transport = await fakeTransport(() => outcome);

    const { kind } = await settled(createWith(transport));

    expect(kind).not.toBe("created");
    expect(transport.attempts).toHaveLength(1);
  });
});

function createWith(transport: FakeTransport, settings: Partial<AccountSettings> = {}) {
  const webhook = {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/orders",
    events: ["record.created"],
  };
  const account = { settings: someSettings(settings), transport };
  return createWebhook(account, transport.operation, webhook);
}

describe("a creation that certainly made no webhook", () => {
  it.each<[string, HttpOutcome]>([
    ["it could not connect", unsent],
    ["429", response(429)],
    ["429 with Retry-After", response(429, 3_000)],
    ["503 with Retry-After", response(503, 3_000)],
  ])("is tried again until it succeeds: %s", async (_case, outcome) => {
    const transport = await fakeTransport((attempt) =>
      attempt < 4 ? outcome : response(201, undefined, { id: 17, secret }),
    );

    const creation = await settled(createWith(transport));

    expect(creation).toEqual({ kind: "created", id: "17", secret });
    expect(transport.attempts).toHaveLength(4);
  });

  it.each<[string, HttpOutcome]>([
    ["it could not connect", unsent],
    ["429", response(429)],
    ["503 with Retry-After", response(503, 30_000)],
  ])("is given up when its time is over: %s", async (_case, outcome) => {
    const transport = await fakeTransport(() => outcome);

    const creation = await settled(createWith(transport));

    expect(transport.attempts.length).toBeGreaterThan(3);
    expect(transport.attempts.at(-1)?.atMs).toBeLessThanOrEqual(120_000);
    expect(creation).toMatchObject({
      kind: "refused",
      failure: { outcome: expect.stringContaining("dbwebhooks:retrySeconds") },
    });
  });

  it("is tried again on a real connection once the service is less busy", async () => {
    await using server = await startServer(
      { statusCode: 429, headers: { "retry-after": "0" } },
      { statusCode: 503, headers: { "retry-after": "0" } },
      created,
    );
    await configure({ baseUrl: server.url });

    const { id } = await create(someArgs());

    expect(id).toBe("17");
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    [
      "https://tables.example.com",
      "Check the network, HTTPS_PROXY, NODE_EXTRA_CA_CERTS and dbwebhooks:baseUrl, then run the command again.",
    ],
    [
      "http://127.0.0.1:8787",
      "The address is on this machine: check that the service is running there, and dbwebhooks:baseUrl, then run the command again.",
    ],
  ])("says what to check when %s cannot be reached", async (baseUrl, advice) => {
    const transport = await fakeTransport(() => unsent);

    const creation = await settled(createWith(transport, { baseUrl }));

    expect(creation).toMatchObject({ failure: { advice: `No webhook was created. ${advice}` } });
  });

  it("is not sent when Pulumi is stopping, and says so", async () => {
    const transport = await fakeTransport(() => response(201), {}, 0.5, AbortSignal.abort());

    const creation = await settled(createWith(transport));

    expect(creation).toMatchObject({
      kind: "refused",
      failure: {
        outcome: "was not sent, because Pulumi is stopping",
        advice: "No webhook was created. Run the command again.",
      },
    });
    expect(transport.attempts).toEqual([]);
  });

  it("says so when nothing listens", async () => {
    const baseUrl = await refusedUrl();
    await configure({ baseUrl, retrySeconds: "0" });

    const error = await errorOf(create(someArgs()));

    expect(outcomeOf(error)).toBe("not created");
    expect(error.message).toContain("ECONNREFUSED");
  });

  it("says so when the host has no address", async () => {
    // Not tried again, whatever the settings allow.
    await configure({ baseUrl: `https://${"no".repeat(40)}.example`, retrySeconds: "3600" });

    const error = await errorOf(create(someArgs()));

    expect(outcomeOf(error)).toBe("not created");
    expect(error.message).toContain("ENOTFOUND");
    expect(error.message).not.toContain("tried");
  });

  it("says so when the handshake does not end in time", async () => {
    await using server = await startRawServer(() => undefined);
    const baseUrl = `https://${server.host}`;
    await configure({ baseUrl, retrySeconds: "0", timeoutSeconds: "0.2" });

    const error = await errorOf(create(someArgs()));

    expect(outcomeOf(error)).toBe("not created");
  });
});

describe("a refused creation", () => {
  const keyAdvice =
    'Set another key: "pulumi config set --secret dbwebhooks:apiKey", then "pulumi up" ("pulumi destroy" and "pulumi refresh" read DBWEBHOOKS_API_KEY). For a Provider: its argument apiKey.';
  const limitHint =
    "If the service allows no further webhook in this database, and this one replaces another: set the resource option deleteBeforeReplace: true, and accept a gap in the notifications.";

  it.each<[number, string]>([
    [
      307,
      "It redirects to https://else.example, and the API key is not sent there: set dbwebhooks:baseUrl to the address of the service itself.",
    ],
    [
      400,
      "The service refuses the request as it is: check the arguments of the webhook and dbwebhooks:baseUrl.",
    ],
    [401, `The service does not accept the API key. ${keyAdvice}`],
    [403, `The API key may not do this. ${keyAdvice} ${limitHint}`],
    [
      404,
      "This is not an answer of the service: a proxy or another host may have given it. Check dbwebhooks:baseUrl.",
    ],
    [429, "Run the command again later."],
  ])("with status %i says what to do", async (statusCode, advice) => {
    const transport = await fakeTransport(() => ({
      ...response(statusCode, 1e9),
      redirectOrigin: "https://else.example",
    }));

    const creation = await settled(createWith(transport));

    expect(creation).toMatchObject({
      kind: "refused",
      failure: { advice: `No webhook was created. ${advice}` },
    });
    expect(transport.attempts).toHaveLength(1);
  });

  it("with the service's 404 names the database and the key", async () => {
    const transport = await fakeTransport(() => response(404, undefined, errorBody("NOT_FOUND")));

    const creation = await settled(createWith(transport));

    expect(creation).toMatchObject({
      kind: "refused",
      failure: {
        advice:
          "No webhook was created. The service answers so when the database does not exist and when the key has no access to it: check databaseId, dbwebhooks:apiKey and dbwebhooks:baseUrl.",
      },
    });
  });

  it.each([
    [402, true],
    [403, true],
    [409, true],
    [422, true],
    [400, false],
    [401, false],
    [404, false],
    [413, false],
    [500, false],
  ])("with status %i names the way around a limit: %s", async (statusCode, isNamed) => {
    await using server = await startServer({ statusCode });
    await configure({ baseUrl: server.url });

    const { message } = await errorOf(create(someArgs()));

    expect(message.includes("deleteBeforeReplace: true")).toBe(isNamed);
  });

  it.each([307, 400, 401, 403, 404, 413, 422])(
    "with status %i is sent once, and names operation, address and answer",
    async (statusCode) => {
      await using server = await startServer({ statusCode, body: errorBody("CODE", "Text.") });
      await configure({ baseUrl: server.url });

      const error = await errorOf(create(someArgs()));

      expect(outcomeOf(error)).toBe("not created");
      expect(error.message).toContain(
        `POST ${server.url}/api/v1/bases/base_abc123/webhooks answered ${statusCode} CODE "Text."`,
      );
      expect(server.requests).toHaveLength(1);
    },
  );

  it("never follows a redirect", async () => {
    await using other = await startServer(created);
    await using server = await startServer({
      statusCode: 308,
      headers: { location: `${other.url}/api/v1/bases/base_abc123/webhooks` },
    });
    await configure({ baseUrl: server.url });

    await errorOf(create(someArgs()));

    expect(other.requests).toEqual([]);
  });
});

function answerRaw(socket: Socket, body: string): void {
  socket.write(`HTTP/1.1 201 Created\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}
