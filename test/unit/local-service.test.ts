import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { requestLimits } from "../../src/local-service/service.js";
import {
  clientOf,
  type RequestChanges,
  startService,
  temporaryFile,
  webhookBody,
} from "../helpers/local-service.js";

const webhooks = "/api/v1/bases/base_1/webhooks";
const events = "/_local/bases/base_1/events";
const evil = "https://evil.example";
const globalRequest = globalThis.Request;

describe("The local service", () => {
  it("creates with 201, a new id and a secret, and deletes with 200", async () => {
    const service = await startService();
    const created = await Promise.all(Array.from({ length: 5 }, () => service.create()));
    const { statusCode, json } = await service.delete(5);
    created.push(await service.create());

    expect([statusCode, json]).toEqual([200, { success: true, message: "Webhook 5 deleted" }]);
    const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const headers = expect.objectContaining({ "content-type": "application/json" });
    const response = { statusCode: 201, headers, json: { id: expect.any(Number), secret } };
    expect(created).toEqual(Array(6).fill({ ...response, text: expect.any(String) }));
    expect(created.map(({ json }) => json.id).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(service.webhooks.map(({ id }) => id)).toEqual([1, 2, 3, 4, 6]);
    expect(new Set(created.map(({ json }) => json.secret)).size).toBe(6);
  });

  it("stores what was sent, without fields that the API does not name", async () => {
    const service = await startService();
    const lenient = await startService({ allowUnknownEvents: true });
    const body = webhookBody({ events: eventTypes });
    const lenientBody = webhookBody({ events: ["b", "a", "b"], tableId: "tbl_1" });

    await service.create({ body: { ...body, active: false, id: 77, secret: "mine" } });
    await lenient.create({ databaseId: "base_2", body: lenientBody });

    const made = { id: 1, active: true, secret: expect.stringMatching(/^whsec_/) };
    expect([...service.webhooks, ...lenient.webhooks]).toEqual([
      { ...made, databaseId: "base_1", ...body, tableId: null },
      { ...made, databaseId: "base_2", ...lenientBody, events: ["b", "a"] },
    ]);
  });

  it("accepts a body of up to 1 MiB, and refuses a larger one with 413", async () => {
    const service = await startService();
    // In chunks, so that its length is not announced.
    const padded = (padding: number) =>
      Readable.from(
        JSON.stringify(webhookBody({ padding: "x".repeat(padding) })).match(/.{1,65536}/g) ?? [],
      );

    const large = await service.create({ body: padded(8 * 1024 * 1024) });
    const { statusCode } = await service.create({ body: padded(1024 * 1000) });

    expect([large.statusCode, large.json.error.code]).toEqual([413, "CONTENT_TOO_LARGE"]);
    expect([statusCode, service.requests[0]?.committed]).toEqual([201, false]);
  });

  it("lists the webhooks of a database, without their secrets, only with listing", async () => {
    const service = await startService({ listing: true });
    await service.create({ body: webhookBody({ tableId: "tbl_1" }) });
    await service.create({ databaseId: "base_2" });
    await service.create();
    service.updateWebhook(3, { active: false });

    const { statusCode, json } = await service.list();

    expect(statusCode).toBe(200);
    expect(json.webhooks).toEqual([
      { id: 1, ...webhookBody(), tableIds: ["tbl_1"], active: true },
      { id: 3, ...webhookBody(), tableIds: null, active: false },
    ]);
    expect((await (await startService()).list()).headers.allow).toBe("POST");
  });

  it("changes and removes webhooks from outside", async () => {
    const service = await startService();
    await service.create();
    const [before] = service.webhooks;
    const changes = { active: false, tableId: "tbl_9", events: ["field.deleted"] };

    service.updateWebhook(1, changes);
    service.updateWebhook(1, { tableId: null });

    expect(service.webhooks).toEqual([{ ...before, ...changes, tableId: null }]);
    service.removeWebhook(1);
    expect(() => service.updateWebhook(1, { active: false })).toThrow(RangeError);
    expect(() => service.removeWebhook(1)).toThrow("no webhook 1");
  });
});

describe("A request that is refused", () => {
  const codes: Readonly<Record<number, string>> = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    404: "NOT_FOUND",
    415: "UNSUPPORTED_MEDIA_TYPE",
  };
  const body = webhookBody();
  const bad = (changes: object) => ({ body: webhookBody({ ...changes }) });
  const basic = { body, headers: { authorization: "Basic all" } };
  const text = { body, headers: { "content-type": "application/jsonp" } };

  type Refusal = [number, Dispatcher.HttpMethod, string, RequestChanges, string];
  const foreign = (status: number, headers: Record<string, string>, problem: string) =>
    [webhooks, events].map((path): Refusal => [status, "POST", path, { body, headers }, problem]);

  it.each<Refusal>([
    [400, "POST", webhooks, bad({ url: "ftp://example.com/" }), "url must be"],
    [400, "POST", webhooks, bad({ events: [] }), "events must be"],
    [400, "POST", webhooks, bad({ events: ["record.created", 7] }), "events[1] must be"],
    [400, "POST", webhooks, bad({ events: ["a"], tableId: 7 }), "; tableId must be"],
    [400, "POST", webhooks, bad({ events: Array(40_000).fill("a") }), "events[0] is unknown"],
    [400, "POST", webhooks, bad({ tableId: "" }), "tableId must be"],
    [400, "POST", webhooks, bad({ tableId: null }), "tableId must be"],
    [400, "POST", webhooks, { body: "{" }, "must be an object."],
    [401, "POST", webhooks, { body, apiKey: null }, "a known API key"],
    [401, "POST", webhooks, basic, "a known API key"],
    [401, "DELETE", `${webhooks}/1`, { apiKey: "wrong" }, "a known API key"],
    [401, "GET", webhooks, { apiKey: "wrong" }, "a known API key"],
    [404, "POST", webhooks, { body, apiKey: "other" }, "Database base_1 not found"],
    [404, "DELETE", `${webhooks}/1`, { apiKey: "other" }, "Webhook 1 not found"],
    [404, "DELETE", `${webhooks}/2`, {}, "Webhook 2 not found"],
    [404, "DELETE", "/api/v1/bases/base_2/webhooks/1", {}, "Webhook 1 not found"],
    [404, "DELETE", `${webhooks}/01`, {}, "Webhook 01 not found"],
    [415, "POST", webhooks, text, "Content-Type must be"],
    ...["evil.example:80", "127.0.0.1.evil.example", "192.0.2.1"].flatMap((host) =>
      foreign(421, { host }, "loopback names only"),
    ),
    ...[evil, "http://192.0.2.1:8787", "null"].flatMap((origin) =>
      foreign(403, { origin }, "other origins"),
    ),
  ])("gets %i: %s %s with %j", async (statusCode, method, path, changes, problem) => {
    const service = await startWithWebhook();

    const { text, json, ...response } = await service.send({ method, path, ...changes });

    const message: string = json?.error.message ?? text;
    expect(response.statusCode).toBe(statusCode);
    expect(message).toContain(problem);
    expect(message.length).toBeLessThan(3_000);
    expect(json?.error.code).toBe(codes[statusCode]);
    expect(service.webhooks).toHaveLength(1);
    expect(service.deliveries).toEqual([]);
  });

  it.each<[Dispatcher.HttpMethod, string, string]>([
    ["DELETE", webhooks, "GET, HEAD, POST"],
    ["PATCH", `${webhooks}/1`, "DELETE"],
  ])("gets 405 with the methods of its path: %s %s", async (method, path, allow) => {
    const service = await startWithWebhook();

    const { statusCode, json, headers } = await service.send({ method, path });

    expect(statusCode).toBe(405);
    expect(json.error.code).toBe("METHOD_NOT_ALLOWED");
    expect(headers).toMatchObject({ allow });
  });

  it("gets 404 without the error envelope at a path that does not exist", async () => {
    const service = await startWithWebhook();

    const response = await service.send({ method: "DELETE", path: `/prefix${webhooks}/1` });

    expect(response).toMatchObject({ statusCode: 404, json: undefined });
    expect(service.webhooks).toHaveLength(1);
  });

  it("gets 401 with the scheme to authenticate with", async () => {
    const service = await startWithWebhook();

    const { headers } = await service.create({ apiKey: null });

    expect(headers["www-authenticate"]).toBe("Bearer");
  });

  it.each([
    [413, webhooks, "Bearer all"],
    [401, events, "Bearer wrong"],
    [403, events, "Bearer all\r\nOrigin: null"],
  ])("gets %i at %s with %s before its body is sent", async (status, path, authorization) => {
    const socket = await openRequest({ apiKeys: ["all"] }, path, [
      `Authorization: ${authorization}`,
      `Content-Length: ${1024 * 1024 + 1}\r\n\r\n`,
    ]);

    const [response] = await once(socket, "data");

    expect(String(response)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it.each(["X-Slow: ", "\r\n"])("ends when it arrives a byte at a time after %j", async (next) => {
    const before = { ...requestLimits };
    onTestFinished(() => void Object.assign(requestLimits, before));
    const limits = { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 5 };
    Object.assign(requestLimits, limits);
    const authorization = "Authorization: Bearer local-api-key";
    const socket = await openRequest({}, webhooks, [authorization, "Content-Length: 9999", next]);
    const drip = setInterval(() => socket.write("a"), 10);
    onTestFinished(() => clearInterval(drip));

    // It may end with a reset.
    const closed = new Promise((resolve) => socket.resume().once("close", () => resolve("closed")));
    await expect(closed).resolves.toBe("closed");
  });

  /** Starts a service with webhook 1, a key for every database and another for base_2. */
  async function startWithWebhook() {
    const apiKeys = { all: "*", other: ["base_2"] } as const;
    const service = await startService({ apiKeys, listing: true });
    await service.create();
    return service;
  }

  /** The beginning of a request to a new service. */
  async function openRequest(options: object, path: string, lines: readonly string[]) {
    const { port } = await startService(options);
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write([`POST ${path} HTTP/1.1`, "Host: localhost", ...lines].join("\r\n"));
    return socket;
  }
});

describe("A request to the local service", () => {
  it.each<[string, Record<string, string>, object?]>([
    ["JSON in capitals with a charset", { "content-type": "Application/JSON; charset=utf-8" }],
    ["the scheme bearer in lower case", { authorization: "bearer local-api-key" }],
    ["any of its keys", { authorization: "Bearer b" }, { apiKeys: ["a", "b"] }],
    [
      "a key of several databases",
      { authorization: "Bearer b" },
      { apiKeys: { a: [], b: ["base_1", "base_2"] } },
    ],
    ["localhost in capitals as its host", { host: "LOCALHOST:1234" }],
    ["a web page on loopback", { host: "[::1]:80", origin: "http://localhost:3000" }],
    [
      "any host and origin with allowRemote",
      { host: "tables.example", origin: evil },
      { allowRemote: true },
    ],
    [
      "any host and origin on every address",
      { host: "tables.example", origin: evil },
      { host: "0.0.0.0" },
    ],
  ])("may have %s", async (_case, headers, options) => {
    const { port, apiKey } = await startService(options);
    const { create } = clientOf({ baseUrl: `http://127.0.0.1:${port}`, apiKey });

    expect((await create({ path: `${webhooks}?dry=1`, headers })).statusCode).toBe(201);
  });
});

describe("The start of a local service", () => {
  it.each([
    ["apiKeys", { apiKeys: ["one", "two words"] }],
    ["did you mean listing?", { lisitng: true }],
    ["apiKeys", { apiKeys: [] }],
    ["onLog", { onLog: "stdout" }],
    ["rateLimit", { rateLimit: { requestsPerSecond: 0 } }],
    ["deliveries: ", { deliveries: { retryWaitsSeconds: [-1] } }],
    ["deliveries: ", { deliveries: { deliverTo: "http://user:password@127.0.0.1:9000" } }],
  ])("fails, and names %s, with %j", async (named, options) => {
    await expect(startService(options as object)).rejects.toThrow(named);
  });

  it("fails when the port is taken", async () => {
    const { port } = await startService();

    await expect(startService({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("listens on the given port of 127.0.0.1 alone", async () => {
    const first = await startService();
    const { port } = first;
    await first.close();

    const second = await startService({ port });

    expect(second).toMatchObject({ port, baseUrl: `http://127.0.0.1:${port}` });
    expect((await second.create()).statusCode).toBe(201);
    await expect(fetch(`http://127.0.0.2:${port}/`)).rejects.toThrow("fetch failed");
    expect(globalThis.Request).toBe(globalRequest);
  });

  it("does not load node:sqlite, which prints a warning on Node.js 22, without data", async () => {
    vi.resetModules();
    vi.doMock("node:sqlite", () => {
      throw new Error("node:sqlite was loaded");
    });
    onTestFinished(() => void vi.doUnmock("node:sqlite"));
    const { startLocalService } = await import("../../src/local-service/index.js");

    await using service = await startLocalService();

    expect(service.webhooks).toEqual([]);
    await expect(startLocalService({ data: temporaryFile() })).rejects.toThrow();
  });
});
