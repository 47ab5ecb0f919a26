import { connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { RateLimit } from "../../src/local-service/index.js";
import { startService, webhookBody } from "../helpers/local-service.js";

describe("The request log", () => {
  it("holds requests as they were sent, and their outcome", async () => {
    const databaseId = "a/b c?ü%2F";
    const service = await startService({ apiKeys: { some: [databaseId] } });
    const body = webhookBody({ tableId: "tbl_1" });

    await service.create({ databaseId, body, headers: { "X-Trace": "one" } });
    await service.delete("a/b", { databaseId });
    await service.create();
    await service.create({ databaseId, apiKey: "wrong" });
    await service.send({ path: "/elsewhere" });

    const path = "/api/v1/bases/a%2Fb%20c%3F%C3%BC%252F/webhooks";
    const refused = { committed: false, body: undefined, outcome: "answered" };
    expect(service.requests[0]).toEqual({
      ...{ number: 1, method: "POST", path, databaseId, webhookId: "1", body },
      ...{ authorized: true, committed: true, statusCode: 201, outcome: "answered" },
      headers: expect.objectContaining({ authorization: "Bearer some", "x-trace": "one" }),
    });
    expect(service.requests.slice(1)).toMatchObject([
      { ...refused, authorized: true, method: "DELETE", webhookId: "a/b" },
      { ...refused, authorized: false, statusCode: 404 },
      { ...refused, authorized: false, statusCode: 401 },
      { ...refused, statusCode: 404 },
    ]);
  });

  it("says when the client disconnected within its body", async () => {
    const service = await startService();
    const finished = service.nextRequest({ stage: "finished" });
    const socket = connect(service.port, "127.0.0.1");
    const head = `Host: localhost\r\nAuthorization: Bearer ${service.apiKey}\r\nContent-Length: 99`;
    const request = `POST /api/v1/bases/base_1/webhooks HTTP/1.1\r\n${head}\r\n\r\n{"url":`;
    socket.write(request, () => socket.destroy());

    expect(await finished).toMatchObject({ outcome: "disconnected", committed: false });
  });

  it("keeps the newest up to its size and can be cleared, while the counts go on", async () => {
    const service = await startService({ maxRequests: 2 });
    await service.create();
    await service.create({ body: {} });
    await service.delete(1);
    await service.create();
    await service.delete(1);
    const numbers = service.requests.map(({ number }) => number);
    service.clearRequests();
    service.removeWebhook(2);
    await service.send({ path: "/elsewhere" });

    const totals = { requests: 6, posts: 3, deletes: 2, created: 2, deleted: 2, pending: 0 };
    expect([numbers, service.requests.map(({ number }) => number)]).toEqual([[4, 5], [6]]);
    expect(service.counts).toMatchObject(totals);
  });

  it("keeps nothing with a size of 0", async () => {
    const service = await startService({ maxRequests: 0 });

    await service.create({ body: webhookBody({ url: "http://127.0.0.1:1" }) });
    service.emit({ type: "record.created", databaseId: "base_1" });

    expect([service.requests, service.deliveries]).toEqual([[], []]);
  });
});

describe("Waiting for a request", () => {
  it("skips requests that do not match, and ends also with one that is refused unread", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 0.001, burst: 4 } });
    const where = vi.fn(({ body }: { body?: unknown }) => "tableId" in Object(body));
    const waits = [
      service.nextRequest({ stage: "committed" }),
      service.nextRequest({ databaseId: "base_2" }),
      service.nextRequest({ where }),
      service.nextRequest({ on: "DELETE" }),
      service.nextRequest({ on: "GET" }),
    ];

    await service.create({ body: {} });
    await service.create({ databaseId: "base_2" });
    await service.create({ body: webhookBody({ tableId: "tbl_1" }) });
    await service.delete(2);
    await service.send({});

    expect((await Promise.all(waits)).map(({ number }) => number)).toEqual([2, 2, 3, 4, 5]);
    expect(await waits[4]).toMatchObject({ statusCode: 429, body: undefined });
    expect(where).toHaveBeenCalledTimes(3);
  });

  it("fails when the service closes first, without an unhandled rejection", async () => {
    const service = await startService();
    await service.create();
    const next = service.nextRequest();
    // An unhandled rejection would fail this run.
    void service.nextRequest();

    await Promise.all([service[Symbol.asyncDispose](), service.close()]);

    const aborted = { name: "AbortError" };
    await expect(next).rejects.toMatchObject(aborted);
    await expect(service.nextRequest()).rejects.toMatchObject(aborted);
    await expect(service.nextDelivery()).rejects.toMatchObject(aborted);
    await expect(service.create()).rejects.toThrow();
    expect([service.requests.length, service.counts.created]).toEqual([1, 1]);
  });
});

describe("The rate limit", () => {
  const startLimited = (rateLimit: RateLimit) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    return startService({ apiKeys: ["local-api-key", "other"], rateLimit });
  };

  const statusCodeOf = async (response: Promise<{ readonly statusCode: number }>) =>
    (await response).statusCode;

  it("accepts a burst of one second, then one request for each new token", async () => {
    const { create } = await startLimited({ requestsPerSecond: 2 });
    await create();
    await create();

    const afterBurst = await statusCodeOf(create());
    vi.setSystemTime(499);
    const beforeToken = await statusCodeOf(create());
    vi.setSystemTime(500);
    const withToken = await statusCodeOf(create());
    const afterToken = await statusCodeOf(create());

    expect({ afterBurst, beforeToken, withToken, afterToken }).toEqual({
      afterBurst: 429,
      beforeToken: 429,
      withToken: 201,
      afterToken: 429,
    });
  });

  it("accepts no more than the given burst, however long the service was idle", async () => {
    const { create } = await startLimited({ requestsPerSecond: 9, burst: 2 });
    vi.setSystemTime(3_600_000);

    const statusCodes = [
      await statusCodeOf(create()),
      await statusCodeOf(create()),
      await statusCodeOf(create()),
    ];

    expect(statusCodes).toEqual([201, 201, 429]);
  });

  it("counts each known key by itself and all unknown keys together, before faults", async () => {
    const service = await startLimited({ requestsPerSecond: 1 });
    const rule = service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 500 } });

    const responses = [
      await service.create(),
      await service.create({ apiKey: "other" }),
      await service.create({ apiKey: "unknown" }),
      await service.delete(1),
      await service.create({ apiKey: "also unknown" }),
    ];

    expect(responses.map(({ statusCode }) => statusCode)).toEqual([201, 201, 401, 429, 429]);
    expect(responses[4]?.json.error.code).toBe("TOO_MANY_REQUESTS");
    expect(service.webhooks).toHaveLength(2);
    expect(rule.requests).toEqual([]);
  });

  it("says in Retry-After after how many seconds the next token comes", async () => {
    const service = await startLimited({ requestsPerSecond: 0.4 });
    await service.create();

    const { headers } = await service.create();

    expect(headers["retry-after"]).toBe("3");
  });
});
