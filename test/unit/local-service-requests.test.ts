import { connect } from "node:net";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startLocalService } from "../../src/local-service/index.js";
import {
  createWebhook,
  deleteWebhook,
  send,
  startService,
  webhookBody,
} from "../helpers/local-service.js";

describe("the request log", () => {
  it("holds a creation as it was sent, and what became of it", async () => {
    const service = await startService({ pathPrefix: "/eu" });
    const before = service.requests;
    const body = webhookBody({ tableId: "tbl_1" });

    await createWebhook(service, { databaseId: "a/b c", body, headers: { "X-Trace": "one" } });

    expect(before).toEqual([]);
    expect(service.requests).toEqual([
      {
        number: 1,
        connection: 1,
        method: "POST",
        path: "/eu/api/v1/bases/a%2Fb%20c/webhooks",
        headers: expect.objectContaining({
          authorization: "Bearer local-api-key",
          "content-type": "application/json",
          "x-trace": "one",
        }),
        databaseId: "a/b c",
        webhookId: "1",
        authorized: true,
        body,
        committed: true,
        statusCode: 201,
        outcome: "answered",
      },
    ]);
  });

  it("tells what was refused, and what was authorized", async () => {
    const service = await startService({ apiKeys: { some: ["base_1"] } });

    await createWebhook(service, { body: "{" });
    await deleteWebhook(service, "a/b");
    await createWebhook(service, { databaseId: "base_2" });
    await createWebhook(service, { apiKey: "wrong" });
    await send(service, { path: "/elsewhere" });

    expect(service.requests).toMatchObject([
      { authorized: true, statusCode: 400, committed: false, body: undefined },
      { authorized: true, statusCode: 404, committed: false, method: "DELETE", webhookId: "a/b" },
      { authorized: false, statusCode: 404, body: undefined },
      { authorized: false, statusCode: 401, body: undefined },
      { statusCode: 404 },
    ]);
    expect(service.requests[4]).not.toHaveProperty("databaseId");
    expect(service.requests[4]).not.toHaveProperty("authorized");
  });

  it("numbers the connections, so that reuse shows", async () => {
    const service = await startService();
    const [one, other] = [new Agent({ connections: 1 }), new Agent({ connections: 1 })];
    onTestFinished(async () => void (await Promise.all([one.destroy(), other.destroy()])));

    for (const dispatcher of [one, one, other, one]) {
      await createWebhook(service, { dispatcher });
    }

    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 1, 2, 1]);
    expect(service.counts.connections).toBe(2);
  });

  it("says when the client went away in the middle of its body", async () => {
    const service = await startService();
    const error = vi.spyOn(console, "error");
    const finished = service.nextRequest({ stage: "finished" });
    const socket = connect(service.port, "127.0.0.1");
    socket.write("POST /api/v1/bases/base_1/webhooks HTTP/1.1\r\nHost: localhost\r\n");
    socket.write(
      `Authorization: Bearer ${service.apiKey}\r\nContent-Length: 99\r\n\r\n{"url":`,
      () => socket.destroy(),
    );

    expect(await finished).toMatchObject({ outcome: "disconnected", committed: false });
    await createWebhook(service);
    expect(error).not.toHaveBeenCalled();
  });

  it("drops the oldest beyond its size, and can be cleared, while the counts go on", async () => {
    const service = await startService({ maxRequests: 2 });
    expect(new Set(Object.values(service.counts))).toEqual(new Set([0]));

    await createWebhook(service);
    await createWebhook(service, { body: {} });
    await deleteWebhook(service, 1);
    await createWebhook(service);
    await deleteWebhook(service, 1);
    const numbers = service.requests.map(({ number }) => number);
    service.clearRequests();
    service.removeWebhook(2);
    await send(service, { path: "/elsewhere" });

    expect([numbers, service.requests.map(({ number }) => number)]).toEqual([[4, 5], [6]]);
    expect(service.counts).toMatchObject({
      ...{ requests: 6, posts: 3, deletes: 2 },
      ...{ created: 2, deleted: 2, pending: 0 },
    });
  });

  it("keeps nothing with a size of 0", async () => {
    const service = await startService({ maxRequests: 0 });

    await createWebhook(service, { body: webhookBody({ url: "http://127.0.0.1:1" }) });
    service.emit({ type: "record.created", databaseId: "base_1" });

    expect([service.requests, service.deliveries]).toEqual([[], []]);
  });
});

describe("waiting for a request", () => {
  it("ends with the next one at each stage, for everybody who waits", async () => {
    const service = await startService();
    await createWebhook(service);
    const before = service.inject({ times: 1, fault: { kind: "hold" } });
    const after = service.inject({ fault: { kind: "hold", commit: true } });
    const waits = [service.nextRequest(), service.nextRequest()];
    const [committed, finished] = (["committed", "finished"] as const).map((stage) =>
      service.nextRequest({ stage }),
    );
    const first = createWebhook(service);

    expect(await Promise.all(waits)).toMatchObject(
      Array(2).fill({ number: 2, body: webhookBody(), committed: false }),
    );
    const next = service.nextRequest();
    before.release();
    expect(await finished).toMatchObject({ number: 2, outcome: "answered", statusCode: 201 });
    await first;
    const second = createWebhook(service);
    expect(await next).toMatchObject({ number: 3 });
    expect(await committed).toMatchObject({ number: 2, webhookId: "2" });
    after.release();
    await second;
  });

  it("passes over requests that do not match, or have no effect", async () => {
    const service = await startService();
    const where = vi.fn(({ body }: { body?: unknown }) => "tableId" in Object(body));
    const waits = [
      service.nextRequest({ stage: "committed" }),
      service.nextRequest({ databaseId: "base_2" }),
      service.nextRequest({ where }),
      service.nextRequest({ on: "DELETE" }),
    ];

    await createWebhook(service, { body: {} });
    await createWebhook(service, { databaseId: "base_2" });
    await createWebhook(service, { body: webhookBody({ tableId: "tbl_1" }) });
    await deleteWebhook(service, 2);

    expect((await Promise.all(waits)).map(({ number }) => number)).toEqual([2, 2, 3, 4]);
    expect(where).toHaveBeenCalledTimes(3);
  });

  it("also ends with a request that is refused unread", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 1 }, now: () => 0 });
    await createWebhook(service);
    const next = service.nextRequest();

    await createWebhook(service);

    expect(await next).toMatchObject({ statusCode: 429, body: undefined });
  });

  it("fails when the service closes first or is closed, silently when nobody looks", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const service = await startService();
    const next = service.nextRequest();
    void service.nextRequest();

    await service.close();

    await expect(next).rejects.toThrow("closed before such a request came");
    await expect(service.nextRequest()).rejects.toThrow("closed before such a request came");
    await expect(service.nextDelivery()).rejects.toThrow("closed before");
    await createWebhook(await startService());
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("closing", () => {
  it("breaks connections that are in use, and commits nothing any more", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "hold" }, times: 1 });
    service.inject({ fault: { kind: "delay", ms: 3_600_000 }, times: 1 });
    service.inject({ fault: { kind: "neverAnswer" } });
    const creations: Promise<unknown>[] = [];
    for (let i = 0; i < 3; i += 1) {
      const received = service.nextRequest();
      creations.push(createWebhook(service));
      await received;
    }

    await service.close();

    const settled = await Promise.allSettled(creations);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(service.requests.map(({ committed }) => committed)).toEqual([false, false, false]);
    await expect(createWebhook(service)).rejects.toThrow();
  });

  it("keeps the log, has no effect the second time, and is what `await using` does", async () => {
    const service = await startLocalService();
    await createWebhook(service);

    await Promise.all([service[Symbol.asyncDispose](), service.close()]);

    await expect(service.close()).resolves.toBeUndefined();
    expect(service.requests).toHaveLength(1);
    await expect(createWebhook(service)).rejects.toThrow();
  });
});
