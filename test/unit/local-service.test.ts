import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { LocalServiceOptions } from "../../src/local-service/index.js";
import { clientOf, startService, temporaryFile, webhookBody } from "../helpers/local-service.js";

const webhooks = "/api/v1/bases/base_1/webhooks";
const webhook1 = `${webhooks}/1`;
const ofAnotherDatabase = webhook1.replace("base_1", "base_2");
const events = "/_local/bases/base_1/events";
const evil = "https://evil.example";
const globalRequest = globalThis.Request;

describe("A creation", () => {
  it("returns 201 with a new id and a new secret, also after a deletion", async () => {
    const service = await startService();
    const first = await service.create();
    await service.delete(1);

    const second = await service.create();

    expect(first.statusCode).toBe(201);
    expect(first.json).toEqual({ id: 1, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) });
    expect(second.json.id).toBe(2);
    expect(second.json.secret).not.toBe(first.json.secret);
  });

  it("stores the fields of the API, and ignores all other fields", async () => {
    const service = await startService();
    const body = webhookBody({ events: ["record.created", "table.deleted"], tableId: "tbl_1" });

    const { json } = await service.create({
      body: { ...body, active: false, id: 77, secret: "a" },
    });

    expect(service.webhooks).toEqual([
      { id: 1, databaseId: "base_1", ...body, active: true, secret: json.secret },
    ]);
  });

  it("stores each event once, and other events than the nine with allowUnknownEvents", async () => {
    const service = await startService({ allowUnknownEvents: true });

    await service.create({ body: webhookBody({ events: ["b", "a", "b"] }) });

    expect(service.webhooks).toMatchObject([{ events: ["b", "a"], tableId: null }]);
  });

  it.each([
    { size: "under 1 MiB", paddingBytes: 1_000 * 1024, statusCode: 201 },
    { size: "over 1 MiB", paddingBytes: 1_024 * 1024, statusCode: 413 },
  ])("gets $statusCode for a body $size in chunks", async ({ paddingBytes, statusCode }) => {
    const service = await startService();
    const body = JSON.stringify(webhookBody({ padding: "x".repeat(paddingBytes) }));

    const response = await service.create({ body: Readable.from(body.match(/.{1,65536}/g) ?? []) });

    expect(response.statusCode).toBe(statusCode);
    expect(service.requests).toMatchObject([{ committed: statusCode === 201 }]);
  });
});

describe("A deletion", () => {
  it("removes the webhook of its path alone, and returns 200", async () => {
    const service = await startService();
    await service.create();
    await service.create();

    const { statusCode, json } = await service.delete(2);

    expect(statusCode).toBe(200);
    expect(json).toEqual({ success: true, message: "Webhook 2 deleted" });
    expect(service.webhooks).toMatchObject([{ id: 1 }]);
  });
});

describe("The list operation", () => {
  it("returns the webhooks of a database without their secrets", async () => {
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
  });

  it("is off by default", async () => {
    const service = await startService();

    expect(await service.list()).toMatchObject({ statusCode: 405, headers: { allow: "POST" } });
  });
});

describe("updateWebhook and removeWebhook", () => {
  it("change and remove a webhook, and throw when there is none", async () => {
    const service = await startService();
    await service.create();
    const changes = { active: false, tableId: "tbl_9", events: ["field.deleted"] };

    service.updateWebhook(1, changes);
    const [changed] = service.webhooks;
    service.removeWebhook(1);

    expect(changed).toMatchObject({ id: 1, ...webhookBody(), ...changes });
    expect(service.webhooks).toEqual([]);
    expect(() => service.updateWebhook(1, changes)).toThrow(RangeError);
    expect(() => service.removeWebhook(1)).toThrow(RangeError);
  });
});

describe("A refused request", () => {
  it.each<[string, unknown]>([
    ["url must be", webhookBody({ url: "ftp://example.com/" })],
    ["events must be", webhookBody({ events: [] })],
    ["events[1] must be", webhookBody({ events: ["record.created", 7] })],
    ["events[0] is unknown", webhookBody({ events: Array(40_000).fill("a") })],
    ["tableId must be", webhookBody({ tableId: null })],
    ["; tableId must be", webhookBody({ events: [], tableId: "" })],
    ["must be an object", "{"],
  ])("gets 400 with a short message: %s …", async (problem, body) => {
    const service = await startService();

    const { statusCode, json } = await service.create({ body });

    expect(statusCode).toBe(400);
    expect(json.error.code).toBe("BAD_REQUEST");
    expect(json.error.message).toContain(problem);
    expect(json.error.message.length).toBeLessThan(200);
    expect(service.webhooks).toEqual([]);
  });

  const known = "Bearer key-of-all";
  const unknown = "Bearer key-of-nobody";
  const ofBase2 = "Bearer key-of-base_2";

  it.each<[string, number, string | undefined, Dispatcher.HttpMethod, string, string]>([
    ["a creation without a key", 401, "UNAUTHORIZED", "POST", webhooks, ""],
    ["a creation with another scheme", 401, "UNAUTHORIZED", "POST", webhooks, "Basic key-of-all"],
    ["a deletion with an unknown key", 401, "UNAUTHORIZED", "DELETE", webhook1, unknown],
    ["a list with an unknown key", 401, "UNAUTHORIZED", "GET", webhooks, unknown],
    ["a creation without access", 404, "NOT_FOUND", "POST", webhooks, ofBase2],
    ["a deletion without access", 404, "NOT_FOUND", "DELETE", webhook1, ofBase2],
    ["a deletion of nothing", 404, "NOT_FOUND", "DELETE", `${webhooks}/2`, known],
    ["a deletion by an odd spelling", 404, "NOT_FOUND", "DELETE", `${webhooks}/01`, known],
    ["a deletion in another database", 404, "NOT_FOUND", "DELETE", ofAnotherDatabase, known],
    ["a path that does not exist", 404, undefined, "DELETE", `/prefix${webhook1}`, known],
  ])("%s gets %i %s", async (_case, statusCode, code, method, path, authorization) => {
    const service = await startWithWebhook();
    const headers = { authorization };

    const response = await service.send({ method, path, headers, body: webhookBody() });

    expect(response.statusCode).toBe(statusCode);
    expect(response.json?.error.code).toBe(code);
    expect(service.webhooks).toHaveLength(1);
  });

  it.each<[Dispatcher.HttpMethod, string, string]>([
    ["DELETE", webhooks, "GET, HEAD, POST"],
    ["PATCH", webhook1, "DELETE"],
  ])("gets 405 with the methods of its path: %s %s", async (method, path, allow) => {
    const service = await startWithWebhook();

    const response = await service.send({ method, path });

    expect(response).toMatchObject({ statusCode: 405, headers: { allow } });
  });

  it("gets 415 when its content type is not JSON", async () => {
    const service = await startService();

    const response = await service.create({ headers: { "content-type": "application/jsonp" } });

    expect(response.statusCode).toBe(415);
    expect(service.webhooks).toEqual([]);
  });

  it.each<[number, string, Record<string, string>]>([
    [421, webhooks, { host: "evil.example:80" }],
    [421, webhooks, { host: "127.0.0.1.evil.example" }],
    [421, events, { host: "192.0.2.1" }],
    [403, webhooks, { origin: evil }],
    [403, webhooks, { origin: "null" }],
    [403, events, { origin: "http://192.0.2.1:8787" }],
  ])("gets %i at %s from a web page of another host: %j", async (statusCode, path, headers) => {
    const service = await startWithWebhook();

    const response = await service.send({ method: "POST", path, headers, body: webhookBody() });

    expect(response.statusCode).toBe(statusCode);
    expect(service.webhooks).toHaveLength(1);
  });

  /** Starts a service with webhook 1, a key for every database and another for base_2. */
  async function startWithWebhook() {
    const apiKeys = { "key-of-all": "*", "key-of-base_2": ["base_2"] } as const;
    const service = await startService({ apiKeys, listing: true });
    await service.create();
    return service;
  }
});

describe("An accepted request", () => {
  it.each<[string, Record<string, string>, LocalServiceOptions?]>([
    ["JSON in capitals with a charset", { "content-type": "Application/JSON; charset=utf-8" }],
    ["the scheme bearer in lower case", { authorization: "bearer local-api-key" }],
    ["any of the keys", { authorization: "Bearer b" }, { apiKeys: ["a", "b"] }],
    ["a key of its database", { authorization: "Bearer b" }, { apiKeys: { b: ["x", "base_1"] } }],
    ["localhost in capitals as its host", { host: "LOCALHOST:1234" }],
    ["a web page on loopback", { host: "[::1]:80", origin: "http://localhost:3000" }],
    ["any origin with allowRemote", { host: "a.example", origin: evil }, { allowRemote: true }],
    ["any origin on every address", { host: "a.example", origin: evil }, { host: "0.0.0.0" }],
  ])("may have %s", async (_case, headers, options) => {
    const { port, apiKey } = await startService(options);
    const { create } = clientOf({ baseUrl: `http://127.0.0.1:${port}`, apiKey });

    expect((await create({ path: `${webhooks}?dry=1`, headers })).statusCode).toBe(201);
  });
});

describe("The start of a local service", () => {
  it.each([
    ["apiKeys", { apiKeys: [] }],
    ["apiKeys", { apiKeys: ["one", "two words"] }],
    ["did you mean listing?", { lisitng: true }],
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

  it("uses the given port of 127.0.0.1", async () => {
    const first = await startService();
    await first.close();

    const second = await startService({ port: first.port });

    expect(second.baseUrl).toBe(`http://127.0.0.1:${first.port}`);
    await expect(fetch(`http://127.0.0.2:${first.port}/`)).rejects.toThrow("fetch failed");
  });

  it("leaves the global Request of the process as it is", async () => {
    await startService();

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
