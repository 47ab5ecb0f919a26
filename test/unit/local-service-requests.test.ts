import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AwaitedRequest, RateLimit } from "../../src/local-service/index.js";
import { startService, webhookBody } from "../helpers/local-service.js";

describe("The request log", () => {
  it("holds a request as it was sent, and its outcome", async () => {
    const databaseId = "a/b c?ü%2F";
    const service = await startService();
    const body = webhookBody({ tableId: "tbl_1" });

    await service.create({ databaseId, body, headers: { "X-Trace": "one" } });

    expect(service.requests).toEqual([
      {
        number: 1,
        method: "POST",
        path: "/api/v1/bases/a%2Fb%20c%3F%C3%BC%252F/webhooks",
        databaseId,
        webhookId: "1",
        headers: expect.objectContaining({ "x-trace": "one" }),
        body,
        authorized: true,
        committed: true,
        statusCode: 201,
        outcome: "responded",
      },
    ]);
  });

  it("holds what is known of refused requests, but not the bodies of unauthorized ones", async () => {
    const service = await startService();

    await service.delete("a/b");
    await service.create({ apiKey: "wrong" });
    await service.send({ path: "/elsewhere" });

    expect(service.requests).toMatchObject([
      { committed: false, authorized: true, method: "DELETE", webhookId: "a/b", statusCode: 404 },
      { committed: false, authorized: false, body: undefined, statusCode: 401 },
      { committed: false, statusCode: 404, outcome: "responded" },
    ]);
  });

  it("keeps the newest requests up to its size", async () => {
    const service = await startService({ maxRequests: 2 });

    await service.create();
    await service.create();
    await service.delete(1);

    expect(service.requests).toMatchObject([{ number: 2 }, { number: 3 }]);
  });

  it("can be cleared, while the counts go on", async () => {
    const service = await startService();
    await service.create();
    await service.create();
    await service.delete(1);
    await service.delete(1);

    service.clearRequests();
    service.removeWebhook(2);
    await service.create();

    expect(service.requests).toMatchObject([{ number: 5 }]);
    expect(service.counts).toMatchObject({
      ...{ requests: 5, posts: 3, deletes: 2, created: 3, deleted: 2, pending: 0 },
    });
  });
});

describe("Waiting for a request", () => {
  it.each<[string, AwaitedRequest, number]>([
    ["any request", {}, 1],
    ["one that took effect", { stage: "committed" }, 2],
    ["one of a method", { on: "DELETE" }, 3],
    ["one of a database", { databaseId: "base_2" }, 2],
    ["one that fulfils a condition", { where: ({ path }) => path.endsWith("/1") }, 3],
  ])("ends with the first request that matches: %s", async (_case, awaited, number) => {
    const service = await startService();
    const next = service.nextRequest(awaited);

    await service.create({ body: {} });
    await service.create({ databaseId: "base_2" });
    await service.delete(1);

    expect(await next).toMatchObject({ number });
  });

  it("ends also with a request that is refused unread", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 0.001 } });
    await service.create();
    const next = service.nextRequest();

    await service.create();

    expect(await next).toMatchObject({ statusCode: 429, body: undefined });
  });

  it("fails when the service closes first, without an unhandled rejection", async () => {
    const service = await startService();
    const next = service.nextRequest();
    // An unhandled rejection would fail this run.
    void service.nextRequest();

    await Promise.all([service[Symbol.asyncDispose](), service.close()]);

    const aborted = { name: "AbortError" };
    await expect(next).rejects.toMatchObject(aborted);
    await expect(service.nextRequest()).rejects.toMatchObject(aborted);
    await expect(service.nextDelivery()).rejects.toMatchObject(aborted);
  });
});

describe("The rate limit", () => {
  function startLimited(rateLimit: RateLimit) {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    return startService({ apiKeys: ["local-api-key", "other"], rateLimit });
  }

  it("accepts a burst of one second, then one request for each new token", async () => {
    const service = await startLimited({ requestsPerSecond: 2 });
    await service.create();
    await service.create();

    const afterBurst = await service.create();
    vi.setSystemTime(499);
    const beforeToken = await service.create();
    vi.setSystemTime(500);
    const withToken = await service.create();
    const afterToken = await service.create();

    expect(afterBurst.statusCode).toBe(429);
    expect(beforeToken.statusCode).toBe(429);
    expect(withToken.statusCode).toBe(201);
    expect(afterToken.statusCode).toBe(429);
  });

  it("accepts no more than the given burst, however long the service was idle", async () => {
    const service = await startLimited({ requestsPerSecond: 9, burst: 1 });
    await service.create();
    vi.setSystemTime(3_600_000);

    const first = await service.create();
    const second = await service.create();

    expect([first.statusCode, second.statusCode]).toEqual([201, 429]);
  });

  it("counts each known key by itself and all unknown keys together", async () => {
    const service = await startLimited({ requestsPerSecond: 1 });

    const responses = [
      await service.create(),
      await service.create({ apiKey: "other" }),
      await service.create({ apiKey: "unknown" }),
      await service.create({ apiKey: "also unknown" }),
    ];

    expect(responses.map(({ statusCode }) => statusCode)).toEqual([201, 201, 401, 429]);
  });

  it("says in Retry-After after how many seconds the next token comes", async () => {
    const service = await startLimited({ requestsPerSecond: 0.4 });
    await service.create();

    const { headers } = await service.create();

    expect(headers["retry-after"]).toBe("3");
  });
});
