import { connect } from "node:net";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { RateLimit } from "../../src/local-service/index.js";
import { startService, webhookBody } from "../helpers/local-service.js";

describe("the request log", () => {
  it("holds requests as they were sent, and what became of them", async () => {
    const databaseId = "a/b c?ü%2F";
    const service = await startService({ pathPrefix: "/eu", apiKeys: { some: [databaseId] } });
    const body = webhookBody({ tableId: "tbl_1" });
    const [one, other] = [new Agent({ connections: 1 }), new Agent({ connections: 1 })];
    onTestFinished(async () => void (await Promise.all([one.destroy(), other.destroy()])));

    await service.create({ databaseId, body, headers: { "X-Trace": "one" }, dispatcher: one });
    await service.delete("a/b", { databaseId, dispatcher: other });
    await service.create({ dispatcher: one });
    await service.create({ databaseId, apiKey: "wrong" });
    await service.send({ path: "/elsewhere" });

    const path = "/eu/api/v1/bases/a%2Fb%20c%3F%C3%BC%252F/webhooks";
    const refused = { committed: false, body: undefined, outcome: "answered" };
    expect(service.requests[0]).toEqual({
      ...{ number: 1, connection: 1, method: "POST", path, databaseId, webhookId: "1", body },
      ...{ authorized: true, committed: true, statusCode: 201, outcome: "answered" },
      headers: expect.objectContaining({ authorization: "Bearer some", "x-trace": "one" }),
    });
    expect(service.requests.slice(1)).toMatchObject([
      { ...refused, connection: 2, authorized: true, method: "DELETE", webhookId: "a/b" },
      { ...refused, connection: 1, authorized: false, statusCode: 404 },
      { ...refused, authorized: false, statusCode: 401 },
      { ...refused, statusCode: 404 },
    ]);
  });

  it("says when the client went away in the middle of its body", async () => {
    const service = await startService();
    const finished = service.nextRequest({ stage: "finished" });
    const socket = connect(service.port, "127.0.0.1");
    const head = `Host: localhost\r\nAuthorization: Bearer ${service.apiKey}\r\nContent-Length: 99`;
    const request = `POST /api/v1/bases/base_1/webhooks HTTP/1.1\r\n${head}\r\n\r\n{"url":`;
    socket.write(request, () => socket.destroy());

    expect(await finished).toMatchObject({ outcome: "disconnected", committed: false });
  });

  it("drops the oldest beyond its size, and can be cleared, while the counts go on", async () => {
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

  it("keeps the newest 32 MiB, and nothing with a size of 0", async () => {
    const [service, none] = [await startService(), await startService({ maxRequests: 0 })];
    const body = JSON.stringify({ padding: "x".repeat(1024 * 1000) });

    for (let count = 0; count < 36; count++) {
      await service.create({ body });
    }
    await none.create({ body: webhookBody({ url: "http://127.0.0.1:1" }) });
    none.emit({ type: "record.created", databaseId: "base_1" });

    expect(service.requests).toHaveLength(32);
    expect(service.requests.at(-1)).toMatchObject({ number: 36 });
    expect([none.requests, none.deliveries]).toEqual([[], []]);
  });
});

describe("waiting for a request", () => {
  it("passes over requests that do not match, and takes one that is refused unread", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 4 }, now: () => 0 });
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

  it("fails when the service closes first or is closed, silently when nobody looks", async () => {
    const service = await startService();
    await service.create();
    const next = service.nextRequest();
    // An unhandled rejection would fail this run.
    void service.nextRequest();

    await Promise.all([service[Symbol.asyncDispose](), service.close()]);

    await expect(next).rejects.toThrow("closed before such a request came");
    await expect(service.nextRequest()).rejects.toThrow("closed before such a request came");
    await expect(service.nextDelivery()).rejects.toThrow("closed before");
    await expect(service.create()).rejects.toThrow();
    expect([service.requests.length, service.counts.created]).toEqual([1, 1]);
  });
});

describe("the rate limit", () => {
  const startLimited = async (rateLimit: RateLimit) => {
    const clock = { ms: Date.UTC(2025, 0, 1) };
    const apiKeys = ["local-api-key", "other"];
    return { service: await startService({ apiKeys, rateLimit, now: () => clock.ms }), clock };
  };

  it.each<[RateLimit, ...steps: [afterMs: number, answers: number[]][]]>([
    [{ requestsPerSecond: 2 }, [0, [201, 201, 429]], [499, [429]], [1, [201, 429]]],
    [{ requestsPerSecond: 9, burst: 2 }, [0, [201, 201, 429]], [3_600_000, [201, 201, 429]]],
  ])("of %j lets a burst pass, then one request for each new token", async (limit, ...steps) => {
    const { service, clock } = await startLimited(limit);

    for (const [afterMs, answers] of steps) {
      clock.ms += afterMs;
      for (const statusCode of answers) {
        expect(await service.create()).toMatchObject({ statusCode });
      }
    }
  });

  it("counts each known key by itself, every method, and all unknown keys together, before faults", async () => {
    const { service } = await startLimited({ requestsPerSecond: 1 });
    const rule = service.inject({ skip: 3, fault: { kind: "respond", statusCode: 500 } });

    const answers = [
      await service.create(),
      await service.create({ apiKey: "other" }),
      await service.create({ apiKey: "unknown" }),
      await service.delete(1),
      await service.create({ apiKey: "also unknown" }),
    ];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 401, 429, 429]);
    expect(answers[4]?.json.error.code).toBe("TOO_MANY_REQUESTS");
    expect([service.webhooks.length, rule.requests]).toEqual([2, []]);
  });

  it("says in Retry-After when to come again, in the form that is asked for", async () => {
    const forms = ["seconds", "http-date", "absent", { value: "31536000" }] as const;
    const said = forms.map(async (retryAfter) => {
      const { service } = await startLimited({ requestsPerSecond: 0.4, retryAfter });
      await service.create();
      return (await service.create()).headers["retry-after"];
    });

    const date = "Wed, 01 Jan 2025 00:00:03 GMT";
    expect(await Promise.all(said)).toEqual(["3", date, undefined, "31536000"]);
  });
});
