import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { LocalServiceOptions } from "../../src/local-service/index.js";
import { clientOf, startService, temporaryFile, webhookBody } from "../helpers/local-service.js";

const webhooksPath = "/api/v1/bases/base_1/webhooks";
const webhookPath = `${webhooksPath}/1`;
const eventsPath = "/_local/bases/base_1/events";
const foreignOrigin = "https://evil.example";
const originalRequest = globalThis.Request;

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

  it("stores each event type once, and accepts undocumented ones with allowUnknownEvents", async () => {
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
  it("deletes only the webhook in its path, and returns 200", async () => {
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
  it("change and delete a webhook, and throw a RangeError when there is none", async () => {
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
  it.each([
    { problem: "url must be", body: webhookBody({ url: "ftp://example.com/" }) },
    { problem: "events must be", body: webhookBody({ events: [] }) },
    { problem: "events[1] must be", body: webhookBody({ events: ["record.created", 7] }) },
    { problem: "events[0] is unknown", body: webhookBody({ events: Array(40_000).fill("a") }) },
    { problem: "tableId must be", body: webhookBody({ tableId: null }) },
    { problem: "; tableId must be", body: webhookBody({ events: [], tableId: "" }) },
    { problem: "must be an object", body: "{" },
  ])('gets 400 and a short message that contains "$problem"', async ({ problem, body }) => {
    const service = await startService();

    const { statusCode, json } = await service.create({ body });

    expect(statusCode).toBe(400);
    expect(json.error.code).toBe("BAD_REQUEST");
    expect(json.error.message).toContain(problem);
    expect(json.error.message.length).toBeLessThan(200);
    expect(service.webhooks).toEqual([]);
  });

  const unauthorized = { statusCode: 401, code: "UNAUTHORIZED" };
  const notFound = { statusCode: 404, code: "NOT_FOUND" };
  const unknownPath = { path: `/prefix${webhookPath}`, statusCode: 404, code: undefined };
  const inBase2 = webhookPath.replace("base_1", "base_2");

  it.each([
    { method: "POST", path: webhooksPath, authorization: "", ...unauthorized },
    { method: "POST", path: webhooksPath, authorization: "Basic key-of-all", ...unauthorized },
    { method: "DELETE", path: webhookPath, authorization: "Bearer unknown", ...unauthorized },
    { method: "GET", path: webhooksPath, authorization: "Bearer unknown", ...unauthorized },
    { method: "POST", path: webhooksPath, authorization: "Bearer key-of-base_2", ...notFound },
    { method: "DELETE", path: webhookPath, authorization: "Bearer key-of-base_2", ...notFound },
    {
      method: "DELETE",
      path: `${webhooksPath}/2`,
      authorization: "Bearer key-of-all",
      ...notFound,
    },
    {
      method: "DELETE",
      path: `${webhooksPath}/01`,
      authorization: "Bearer key-of-all",
      ...notFound,
    },
    { method: "DELETE", path: inBase2, authorization: "Bearer key-of-all", ...notFound },
    { method: "DELETE", authorization: "Bearer key-of-all", ...unknownPath },
  ] as const)("gets $statusCode: $method $path with '$authorization'", async (row) => {
    const { method, path, authorization, statusCode } = row;
    const service = await startWithWebhook();
    const headers = { authorization };

    const response = await service.send({ method, path, headers, body: webhookBody() });

    expect(response.statusCode).toBe(statusCode);
    expect(response.json?.error.code).toBe(row.code);
    expect(service.webhooks).toHaveLength(1);
  });

  it.each([
    { method: "DELETE", path: webhooksPath, allow: "GET, HEAD, POST" },
    { method: "PATCH", path: webhookPath, allow: "DELETE" },
  ] as const)("gets 405 with the methods of its path: %j", async ({ method, path, allow }) => {
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

  it.each<{ statusCode: number; path: string; headers: Record<string, string> }>([
    { statusCode: 421, path: webhooksPath, headers: { host: "evil.example:80" } },
    { statusCode: 421, path: webhooksPath, headers: { host: "127.0.0.1.evil.example" } },
    { statusCode: 421, path: eventsPath, headers: { host: "192.0.2.1" } },
    { statusCode: 403, path: webhooksPath, headers: { origin: foreignOrigin } },
    { statusCode: 403, path: webhooksPath, headers: { origin: "null" } },
    { statusCode: 403, path: eventsPath, headers: { origin: "http://192.0.2.1:8787" } },
  ])("is refused from another host or web page: %j", async ({ statusCode, path, headers }) => {
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
  const fromForeignPage = { host: "a.example", origin: foreignOrigin };

  it.each<{ headers: Record<string, string>; options: LocalServiceOptions }>([
    { headers: { "content-type": "Application/JSON; charset=utf-8" }, options: {} },
    { headers: { authorization: "bearer local-api-key" }, options: {} },
    { headers: { authorization: "Bearer b" }, options: { apiKeys: ["a", "b"] } },
    { headers: { authorization: "Bearer b" }, options: { apiKeys: { b: ["x", "base_1"] } } },
    { headers: { host: "LOCALHOST:1234" }, options: {} },
    { headers: { host: "[::1]:80", origin: "http://localhost:3000" }, options: {} },
    { headers: fromForeignPage, options: { allowRemote: true } },
    { headers: fromForeignPage, options: { host: "0.0.0.0" } },
  ])("may have a query and these headers with these options: %j", async ({ headers, options }) => {
    const { port, apiKey } = await startService(options);
    // The base URL of a service that listens on 0.0.0.0 contains that address.
    const { create } = clientOf({ baseUrl: `http://127.0.0.1:${port}`, apiKey });

    expect((await create({ path: `${webhooksPath}?a=1`, headers })).statusCode).toBe(201);
  });
});

describe("The start of a local service", () => {
  it.each([
    { named: "apiKeys", options: { apiKeys: [] } },
    { named: "apiKeys", options: { apiKeys: ["one", "two words"] } },
    { named: "listing", options: { lisitng: true } },
    { named: "rateLimit", options: { rateLimit: { requestsPerSecond: 0 } } },
    { named: "deliveries", options: { deliveries: { retryWaitsSeconds: [-1] } } },
    { named: "deliveries", options: { deliveries: { deliverTo: "http://user:pw@h:9000" } } },
  ])("fails, and names the invalid option: %j", async ({ named, options }) => {
    await expect(startService(options as object)).rejects.toThrow(named);
  });

  it("listens at the given port, on 127.0.0.1 only", async () => {
    const first = await startService();
    await first.close();

    const second = await startService({ port: first.port });

    expect(second.baseUrl).toBe(`http://127.0.0.1:${first.port}`);
    await expect(fetch(`http://127.0.0.2:${first.port}/`)).rejects.toThrow("fetch failed");
  });

  it("does not replace the global Request of the process", async () => {
    await startService();

    expect(globalThis.Request).toBe(originalRequest);
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
    await expect(startLocalService({ data: temporaryFile() })).rejects.toThrow("cannot be used");
  });
});
