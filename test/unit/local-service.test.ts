import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { type LocalService, startLocalService } from "../../src/local-service/index.js";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  type RequestChanges,
  send,
  startService,
  webhookBody,
} from "../helpers/local-service.js";

const mebibyte = 1024 * 1024;

describe("creating a webhook", () => {
  it("is answered with 201 and nothing but an integer id and a secret of Standard Webhooks", async () => {
    const service = await startService();

    const { statusCode, headers, json } = await createWebhook(service);

    expect(statusCode).toBe(201);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(json).toEqual({
      id: 1,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  const body = webhookBody({ events: ["table.updated", "record.created"], tableId: "tbl_1" });

  it.each<[string, object, object, object?]>([
    ["active, for its table", body, { ...body, active: true }],
    ["for all tables without tableId", webhookBody(), { tableId: null }],
    ["with every event kind", webhookBody({ events: eventTypes }), { events: eventTypes }],
    [
      "with an event kind given twice once",
      { ...body, events: ["a", "b", "a"] },
      { events: ["a", "b"] },
      { allowUnknownEvents: true },
    ],
    [
      "without fields that the interface does not name",
      webhookBody({ source: "api", active: false, id: 77, secret: "mine" }),
      { id: 1, active: true, secret: expect.stringMatching(/^whsec_/) },
    ],
  ])("stores it %s", async (_case, sent, stored, options = {}) => {
    const service = await startService(options);

    const { statusCode } = await createWebhook(service, { databaseId: "base_2", body: sent });

    expect(statusCode).toBe(201);
    expect(service.webhooks).toMatchObject([{ ...stored, databaseId: "base_2" }]);
  });

  it("gives each its own id and secret, even for the same body, and no id again", async () => {
    const service = await startService();
    const answers = await Promise.all(Array.from({ length: 20 }, () => createWebhook(service)));
    await deleteWebhook(service, 20);

    const { json } = await createWebhook(service);

    expect(json.id).toBe(21);
    expect(new Set(answers.map((answer) => answer.json.id)).size).toBe(20);
    expect(new Set(answers.map((answer) => answer.json.secret)).size).toBe(20);
  });

  it.each(["a/b c", "ü?#&", "100%", "a%2Fb", ".hidden", "a;b=c,d:e@f+g"])(
    "reads the percent-encoded database id %s",
    async (databaseId) => {
      const service = await startService();

      const { json } = await createWebhook(service, { databaseId });

      expect(service.webhooks).toMatchObject([{ databaseId }]);
      expect((await deleteWebhook(service, json.id, { databaseId })).statusCode).toBe(200);
    },
  );

  const chunksOf = (text: string) => Readable.from(text.match(/.{1,65536}/g) ?? []);

  it.each([
    ["announced", (text: string) => text],
    ["sent in chunks", chunksOf],
  ])(
    "takes a body of up to 1 MiB that is %s, and answers a larger one with 413",
    async (_, bodyOf) => {
      const service = await startService();
      const dispatcher = new Agent({ connections: 1 });
      onTestFinished(() => dispatcher.close());
      const sendPadded = (padding: number) => {
        const text = JSON.stringify(webhookBody({ padding: "x".repeat(padding) }));
        return createWebhook(service, { body: bodyOf(text), dispatcher });
      };

      const answers = [await sendPadded(8 * mebibyte), await sendPadded(1024 * 1000)];

      expect(answers).toMatchObject([
        { statusCode: 413, json: { error: { code: "CONTENT_TOO_LARGE" } } },
        { statusCode: 201, json: { id: 1 } },
      ]);
      expect(service.requests).toMatchObject([{ committed: false }, { connection: 1 }]);
    },
  );
});

const webhooks = "/api/v1/bases/base_1/webhooks";
const events = "/_local/bases/base_1/events";
const evil = "https://evil.example";

describe("a request whose body is announced and does not come", () => {
  it.each([
    [404, "/elsewhere", "Authorization: Bearer all"],
    [401, webhooks, "Authorization: Bearer wrong"],
    [404, webhooks, "Authorization: Bearer other"],
    [421, webhooks, "Authorization: Bearer all", "evil.example"],
    [403, webhooks, `Authorization: Bearer all\r\nOrigin: ${evil}`],
    [413, webhooks, "Authorization: Bearer all"],
    [401, events, "Authorization: Bearer wrong"],
    [403, events, "Authorization: Bearer all\r\nOrigin: null"],
  ])("is answered with %i at %s with %s", async (status, path, headers, host = "localhost") => {
    const { port } = await startService({ apiKeys: { all: "*", other: ["base_2"] } });
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
    socket.write(`Content-Length: ${mebibyte + 1}\r\n\r\n`);

    const [answer] = await once(socket, "data");

    expect(String(answer)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe("a request that is refused", () => {
  const codes: Readonly<Record<number, string>> = {
    ...{ 400: "BAD_REQUEST", 401: "UNAUTHORIZED", 404: "NOT_FOUND" },
    ...{ 405: "METHOD_NOT_ALLOWED", 415: "UNSUPPORTED_MEDIA_TYPE" },
  };
  const body = webhookBody();
  const bad = (changes: object) => ({ body: webhookBody({ ...changes }) });
  const type = (contentType: string) => ({ body, headers: { "content-type": contentType } });
  const key = (authorization: string) => ({ body, apiKey: null, headers: { authorization } });
  const other = { body, apiKey: "other" };
  const nothing = "There is nothing at this path.";
  const notObject = "Invalid request body: the body must be a JSON object.";

  type Refusal = [number, Dispatcher.HttpMethod, string, RequestChanges, string];
  const idNotFound = (id: string): Refusal => [
    ...([404, "DELETE", `${webhooks}/${id}`, {}, `Webhook ${id} not found`] as const),
  ];
  const foreign = (statusCode: number, headers: Record<string, string>, problem: string) =>
    [webhooks, events].map(
      (path): Refusal => [statusCode, "POST", path, { body, headers }, problem],
    );

  it.each<Refusal>([
    [400, "POST", webhooks, bad({ url: undefined }), "url must be"],
    [400, "POST", webhooks, bad({ url: "/hooks" }), "url must be"],
    [400, "POST", webhooks, bad({ url: "ftp://example.com/" }), "url must be"],
    [400, "POST", webhooks, bad({ events: undefined }), "events must be"],
    [400, "POST", webhooks, bad({ events: "record.created" }), "events must be"],
    [400, "POST", webhooks, bad({ events: [] }), "events must be"],
    [400, "POST", webhooks, bad({ events: ["record.created", 7] }), "events[1] must be"],
    [400, "POST", webhooks, bad({ events: ["a"], tableId: 7 }), 'service: "a"; tableId must be'],
    [400, "POST", webhooks, bad({ events: Array(40_000).fill("a") }), "; and 39980 more."],
    [400, "POST", webhooks, bad({ tableId: "" }), "tableId must be"],
    [400, "POST", webhooks, bad({ tableId: null }), "tableId must be"],
    [400, "POST", webhooks, { body: "{" }, notObject],
    [400, "POST", webhooks, { body: "" }, notObject],
    [400, "POST", webhooks, { body: [] }, notObject],
    [401, "POST", webhooks, { body, apiKey: null }, "A known API key is required"],
    [401, "POST", webhooks, key("Bearer wrong"), "A known API key is required"],
    [401, "POST", webhooks, key("Basic all"), "A known API key is required"],
    [401, "POST", webhooks, key("Bearer "), "A known API key is required"],
    [401, "POST", webhooks, key("Bearer all more"), "A known API key is required"],
    [401, "DELETE", `${webhooks}/1`, { apiKey: "wrong" }, "A known API key is required"],
    [401, "GET", webhooks, { apiKey: "wrong" }, "A known API key is required"],
    [404, "POST", webhooks, other, "Webhook not found"],
    [404, "GET", webhooks, { apiKey: "other" }, "Webhook not found"],
    [404, "DELETE", `${webhooks}/1`, { apiKey: "other" }, "Webhook 1 not found"],
    [404, "DELETE", `${webhooks}/2`, {}, "Webhook 2 not found"],
    [404, "DELETE", "/api/v1/bases/base_2/webhooks/1", {}, "Webhook 1 not found"],
    ...["abc", "01", "1.0", "+1", "-1", "1e0", "9007199254740993"].map(idNotFound),
    [404, "POST", "/", { body }, nothing],
    [404, "POST", `${webhooks}/`, { body }, nothing],
    [404, "POST", "/api/v1/bases//webhooks", { body }, nothing],
    [404, "DELETE", `/prefix${webhooks}/1`, {}, nothing],
    [404, "DELETE", `${webhooks}/1/more`, {}, nothing],
    [404, "DELETE", "/api/v1/bases/a/b/webhooks/1", {}, nothing],
    [405, "DELETE", webhooks, {}, "Only GET, HEAD, POST here."],
    [405, "GET", `${webhooks}/1`, {}, "Only DELETE here."],
    [405, "PATCH", `${webhooks}/1`, {}, "Only DELETE here."],
    [415, "POST", webhooks, type("text/plain"), "Content-Type must be"],
    [415, "POST", webhooks, type("application/jsonp"), "Content-Type must be"],
    ...["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.0.2.1"].flatMap((host) =>
      foreign(421, { host }, "loopback names only"),
    ),
    ...[evil, "http://192.0.2.1:8787", "null"].flatMap((origin) =>
      foreign(403, { origin }, "other origins"),
    ),
  ])("gets %i: %s %s (row %#)", async (statusCode, method, path, changes, problem) => {
    const heard: unknown[] = [];
    const service = await startService({
      ...{ apiKeys: { all: "*", other: ["base_2"] }, listing: true },
      onRequest: (request) => heard.push(request.statusCode),
    });
    await createWebhook(service);

    const { text, json, headers, ...answer } = await send(service, { method, path, ...changes });

    expect(answer.statusCode).toBe(statusCode);
    expect(json?.error.code).toBe(problem === nothing ? undefined : codes[statusCode]);
    expect(text.length).toBeLessThan(3_000);
    expect(json?.error.message ?? text).toContain(problem);
    expect(headers["content-type"]).toMatch(json ? /^application\/json/ : /^text\/plain/);
    expect(headers.allow).toBe(
      statusCode === 405 ? /Only (.*) here/.exec(problem)?.[1] : undefined,
    );
    expect(headers["www-authenticate"]).toBe(statusCode === 401 ? "Bearer" : undefined);
    expect([service.webhooks.length, service.deliveries, heard]).toEqual([
      1,
      [],
      [201, statusCode],
    ]);
  });

  it("is not, with another Content-Type of JSON, another case of Bearer, a query", async () => {
    const headers = {
      ...{ "content-type": "Application/JSON; charset=utf-8" },
      authorization: "bearer local-api-key",
    };
    const service = await startService();

    const { statusCode } = await createWebhook(service, {
      ...{ path: `${webhooks}?dry=1`, apiKey: null, headers },
    });

    expect(statusCode).toBe(201);
  });

  it("is not for a database of its key, for * and for a list of keys", async () => {
    const apiKeys = { all: "*", some: ["base_1", "base_2"] } as const;
    const [record, list] = [
      await startService({ apiKeys }),
      await startService({ apiKeys: ["a", "b"] }),
    ];
    const statusOf = async (service: LocalService, apiKey: string, databaseId: string) =>
      (await createWebhook(service, { apiKey, databaseId })).statusCode;

    expect(await statusOf(record, "all", "base_9")).toBe(201);
    expect(await statusOf(record, "some", "base_2")).toBe(201);
    expect(await statusOf(record, "some", "base_9")).toBe(404);
    expect(await statusOf(list, "b", "any")).toBe(201);
    expect([record.apiKey, list.apiKey]).toEqual(["all", "a"]);
  });
});

describe("what a client sends", () => {
  const body = JSON.stringify({ padding: "x".repeat(mebibyte - 100) });
  const bytesIn = ({ requests }: LocalService) => JSON.stringify(requests).length;

  it("is not kept before its key is known", async () => {
    const service = await startService();
    const headers = { "content-type": "text/plain" };

    for (let count = 0; count < 10; count++) {
      await createWebhook(service, { body, headers, apiKey: null });
      await send(service, { method: "POST", path: "/elsewhere", body, headers });
      await createWebhook(service, { body, headers: { origin: "https://evil.example" } });
    }

    expect(service.requests).toHaveLength(30);
    expect(bytesIn(service)).toBeLessThan(30_000);
  });

  it("is kept up to 32 MiB, the newest", async () => {
    const service = await startService();

    for (let count = 0; count < 40; count++) {
      await createWebhook(service, { body });
    }

    expect(service.requests.map(({ number }) => number)).toContain(40);
    expect(bytesIn(service)).toBeGreaterThan(30 * mebibyte);
    expect(bytesIn(service)).toBeLessThan(33 * mebibyte);
  });
});

describe("the Host and the Origin of a request", () => {
  it.each([
    { host: "localhost:1234" },
    { host: "LOCALHOST" },
    { host: "127.0.0.1" },
    { host: "[::1]:80" },
    { origin: "http://localhost:3000" },
  ])("may be %j", async (headers) => {
    const service = await startService({ host: "localhost" });

    expect(
      (await createWebhook(service, { headers: { ...headers } as Record<string, string> }))
        .statusCode,
    ).toBe(201);
  });

  it.each([{ host: "0.0.0.0" }, { allowRemote: true }])("may be any with %j", async (options) => {
    const { port, ...service } = await startService(options);
    const reached = { ...service, port, baseUrl: `http://127.0.0.1:${port}` } as LocalService;
    const headers = { host: "tables.example", origin: "https://pages.example" };

    expect((await createWebhook(reached, { headers })).statusCode).toBe(201);
  });
});

describe("deleting a webhook", () => {
  it("is answered with 200, success and a message, and removes no other", async () => {
    const service = await startService();
    await createWebhook(service);
    await createWebhook(service);

    const { statusCode, json } = await deleteWebhook(service, 1);

    expect([statusCode, json]).toEqual([200, { success: true, message: "Webhook 1 deleted" }]);
    expect(service.webhooks).toMatchObject([{ id: 2 }]);
  });
});

it("answers below the path prefix, and only there", async () => {
  const service = await startService({ pathPrefix: "/tables/eu-1" });
  const outside = `http://127.0.0.1:${service.port}`;

  expect(service.baseUrl).toBe(`${outside}/tables/eu-1`);
  expect((await createWebhook(service)).statusCode).toBe(201);
  expect((await deleteWebhook(service, 1)).statusCode).toBe(200);
  expect((await createWebhook({ ...service, baseUrl: outside })).statusCode).toBe(404);
});

describe("listing", () => {
  it("shows the webhooks of the database, without their secrets", async () => {
    const service = await startService({ listing: true });
    await createWebhook(service, { body: webhookBody({ tableId: "tbl_1" }) });
    await createWebhook(service, { databaseId: "base_2" });
    await createWebhook(service);
    service.updateWebhook(3, { active: false });

    const { statusCode, json } = await listWebhooks(service);

    expect([statusCode, json.webhooks]).toEqual([
      200,
      [
        { id: 1, ...webhookBody(), tableIds: ["tbl_1"], active: true },
        { id: 3, ...webhookBody(), tableIds: null, active: false },
      ],
    ]);
    expect((await listWebhooks(service, { databaseId: "none" })).json).toEqual({ webhooks: [] });
  });
});

describe("a change from outside", () => {
  it("updates the fields that are given", async () => {
    const service = await startService();
    await createWebhook(service);
    const [before] = service.webhooks;
    const changes = { active: false, tableId: "tbl_9", events: ["field.deleted"] };
    const more = { url: "https://example.org/", tableId: null };

    service.updateWebhook(1, changes);
    service.updateWebhook(1, more);

    expect(service.webhooks).toEqual([{ ...before, ...changes, ...more }]);
  });

  it("removes a webhook", async () => {
    const service = await startService();
    await createWebhook(service);

    service.removeWebhook(1);

    expect(service.webhooks).toEqual([]);
  });

  it("throws for an unknown id", async () => {
    const service = await startService();

    expect(() => service.updateWebhook(7, { active: false })).toThrow(RangeError);
    expect(() => service.removeWebhook(7)).toThrow("no webhook 7");
  });
});

describe("starting", () => {
  it.each([
    ["apiKeys", { apiKeys: [] }],
    ["apiKeys", { apiKeys: ["one", "two words"] }],
    ["pathPrefix", { pathPrefix: "tables" }],
    ["pathPrefix", { pathPrefix: "/:any" }],
    ["rateLimit", { rateLimit: { requestsPerSecond: 0 } }],
    ["deliveries: ", { deliveries: { timeoutSeconds: 0 } }],
    ["deliveries: ", { deliveries: { maxConcurrent: 1.5 } }],
    ["deliveries: ", { deliveries: { retryWaitsSeconds: [-1] } }],
    ...["/path", "?query"].map((end): [string, object] => [
      "deliveries: ",
      { deliveries: { deliverTo: `http://127.0.0.1:9000${end}` } },
    ]),
    ["deliveries: ", { deliveries: { deliverTo: "http://user:password@127.0.0.1:9000" } }],
  ])("fails, and names %s, with %j", async (named, options) => {
    await expect(startLocalService(options)).rejects.toThrow(named);
  });

  it("listens on the given port, and fails when it is taken", async () => {
    const first = await startLocalService();
    const { port } = first;
    await expect(startLocalService({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await first.close();

    const second = await startService({ port });

    expect(second).toMatchObject({ port, baseUrl: `http://127.0.0.1:${port}` });
  });

  it("listens on no other address", async () => {
    const { port } = await startService();

    await expect(fetch(`http://127.0.0.2:${port}/`)).rejects.toThrow("fetch failed");
  });

  it("leaves the process's globals alone", async () => {
    const { Request, Response } = globalThis;

    await createWebhook(await startService());

    expect([globalThis.Request, globalThis.Response]).toEqual([Request, Response]);
  });
});
