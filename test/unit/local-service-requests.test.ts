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

    await createWebhook(service, {
      databaseId: "a/b c",
      body: webhookBody({ tableId: "tbl_1" }),
      headers: { "X-Trace": "one" },
    });

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
        body: webhookBody({ tableId: "tbl_1" }),
        committed: true,
        statusCode: 201,
        outcome: "answered",
      },
    ]);
  });

  it("holds a deletion with the id of its path", async () => {
    const service = await startService();
    await createWebhook(service);

    await deleteWebhook(service, 1);
    await deleteWebhook(service, "a/b");

    expect(service.requests.slice(1)).toMatchObject([
      { number: 2, method: "DELETE", webhookId: "1", body: undefined, committed: true },
      { number: 3, method: "DELETE", webhookId: "a/b", committed: false, statusCode: 404 },
    ]);
  });

  it("tells whether a request was authorized", async () => {
    const service = await startService({ apiKeys: { some: ["base_1"] } });

    await createWebhook(service);
    await createWebhook(service, { databaseId: "base_2" });
    await createWebhook(service, { apiKey: "wrong" });
    await send(service, { path: "/elsewhere" });

    expect(service.requests.map(({ authorized }) => authorized)).toEqual([
      true,
      false,
      false,
      undefined,
    ]);
    expect(service.requests[3]).not.toHaveProperty("databaseId");
  });

  it("holds a body that is not JSON as undefined", async () => {
    const service = await startService();

    await createWebhook(service, { body: "{" });

    expect(service.requests).toMatchObject([{ body: undefined, statusCode: 400 }]);
  });

  it("numbers the connections, so that reuse shows", async () => {
    const service = await startService();
    const [one, other] = [new Agent({ connections: 1 }), new Agent({ connections: 1 })];
    onTestFinished(async () => {
      await one.destroy();
      await other.destroy();
    });

    await createWebhook(service, { dispatcher: one });
    await createWebhook(service, { dispatcher: one });
    await createWebhook(service, { dispatcher: other });
    await deleteWebhook(service, 1, { dispatcher: one });

    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 1, 2, 1]);
    expect(service.counts.connections).toBe(2);
  });

  it("says when the client went away before the answer", async () => {
    const service = await startService({ faults: [{ fault: { kind: "hold" } }] });
    const client = new AbortController();
    const received = service.nextRequest();
    const finished = service.nextRequest({ stage: "finished" });
    const creation = createWebhook(service, { signal: client.signal });
    expect((await received).outcome).toBe("pending");

    client.abort();

    await expect(creation).rejects.toThrow();
    expect(await finished).toMatchObject({ outcome: "disconnected", committed: false });
    expect(await finished).not.toHaveProperty("statusCode");
  });

  it("says when the client went away in the middle of its body", async () => {
    const service = await startService();
    const error = vi.spyOn(console, "error");
    const info = vi.spyOn(console, "info");
    const finished = service.nextRequest({ stage: "finished" });
    const socket = connect(service.port, "127.0.0.1");
    socket.write("POST /api/v1/bases/base_1/webhooks HTTP/1.1\r\nHost: localhost\r\n");
    socket.write('Content-Length: 99\r\n\r\n{"url":', () => socket.destroy());

    expect(await finished).toMatchObject({ outcome: "disconnected", committed: false });
    await createWebhook(service);
    expect([error.mock.calls, info.mock.calls]).toEqual([[], []]);
  });

  it("is a snapshot", async () => {
    const service = await startService();
    const before = service.requests;

    await createWebhook(service);

    expect(before).toEqual([]);
  });

  it("drops the oldest requests beyond its size, while the counts go on", async () => {
    const service = await startService({ maxRequests: 2 });

    await createWebhook(service);
    await deleteWebhook(service, 1);
    await createWebhook(service);
    await send(service, { path: "/elsewhere" });

    expect(service.requests.map(({ number }) => number)).toEqual([3, 4]);
    expect(service.counts).toMatchObject({
      requests: 4,
      posts: 2,
      deletes: 1,
      created: 2,
      deleted: 1,
    });
  });

  it("can be cleared, while the counts go on", async () => {
    const service = await startService();
    await createWebhook(service);

    service.clearRequests();
    await createWebhook(service);

    expect(service.requests.map(({ number }) => number)).toEqual([2]);
    expect(service.counts.requests).toBe(2);
  });
});

describe("the counts", () => {
  it("tell creations that took effect from requests, and count removals from outside", async () => {
    const service = await startService();
    await createWebhook(service);
    await createWebhook(service);
    await createWebhook(service, { body: {} });
    await deleteWebhook(service, 1);
    await deleteWebhook(service, 1);

    service.removeWebhook(2);

    expect(service.counts).toMatchObject({ posts: 3, deletes: 2, created: 2, deleted: 2 });
  });

  it("start at 0", async () => {
    const { counts } = await startService();

    expect(counts).toEqual({
      requests: 0,
      posts: 0,
      deletes: 0,
      connections: 0,
      created: 0,
      deleted: 0,
      pending: 0,
    });
  });
});

describe("waiting for a request", () => {
  it("ends with the next one, read and not yet worked on", async () => {
    const service = await startService();
    await createWebhook(service, { databaseId: "earlier" });
    const hold = service.inject({ fault: { kind: "hold" } });

    const next = service.nextRequest();
    const creation = createWebhook(service);

    expect(await next).toMatchObject({ number: 2, body: webhookBody(), committed: false });
    hold.release();
    await creation;
  });

  it("can go on until it has taken effect", async () => {
    const service = await startService();
    const hold = service.inject({ fault: { kind: "hold", commit: true } });

    const committed = service.nextRequest({ stage: "committed" });
    const creation = createWebhook(service);

    expect(await committed).toMatchObject({ committed: true, webhookId: "1", outcome: "pending" });
    expect(service.webhooks).toHaveLength(1);
    hold.release();
    await creation;
  });

  it("can go on until it is finished", async () => {
    const service = await startService();

    const finished = service.nextRequest({ stage: "finished" });
    await createWebhook(service);

    expect(await finished).toMatchObject({ outcome: "answered", statusCode: 201 });
  });

  it("passes over requests that do not match, or have no effect", async () => {
    const service = await startService();
    const deletion = service.nextRequest({ on: "DELETE" });
    const ofDatabase = service.nextRequest({ databaseId: "base_2" });
    const withTable = service.nextRequest({ where: ({ body }) => "tableId" in Object(body) });
    const effective = service.nextRequest({ stage: "committed" });

    await createWebhook(service, { body: {} });
    await createWebhook(service, { databaseId: "base_2" });
    await createWebhook(service, { body: webhookBody({ tableId: "tbl_1" }) });
    await deleteWebhook(service, 2);

    expect((await effective).number).toBe(2);
    expect((await ofDatabase).number).toBe(2);
    expect((await withTable).number).toBe(3);
    expect((await deletion).number).toBe(4);
  });

  it("does not end with a request that was received before", async () => {
    const service = await startService();
    const hold = service.inject({ fault: { kind: "hold" }, times: 1 });
    const received = service.nextRequest();
    const first = createWebhook(service);
    await received;

    const next = service.nextRequest();
    hold.release();
    await first;
    await createWebhook(service);

    expect((await next).number).toBe(2);
  });

  it("asks its condition no more once it has ended", async () => {
    const service = await startService();
    const where = vi.fn(() => true);
    const next = service.nextRequest({ where });

    await createWebhook(service);
    await createWebhook(service);

    await next;
    expect(where).toHaveBeenCalledTimes(1);
  });

  it("ends for every one who waits", async () => {
    const service = await startService();

    const waits = [service.nextRequest(), service.nextRequest()];
    await createWebhook(service);

    expect(await Promise.all(waits)).toMatchObject([{ number: 1 }, { number: 1 }]);
  });

  it("also ends with a request that is refused unread", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 1 }, now: () => 0 });
    await createWebhook(service);

    const next = service.nextRequest();
    await createWebhook(service);

    expect(await next).toMatchObject({ statusCode: 429, body: undefined });
  });

  it("fails when the service closes first", async () => {
    const service = await startService();
    const next = service.nextRequest();

    await service.close();

    await expect(next).rejects.toThrow("closed before such a request came");
  });

  it("fails at once when the service is closed", async () => {
    const service = await startService();
    await service.close();

    await expect(service.nextRequest()).rejects.toThrow("closed before such a request came");
    await expect(service.nextDelivery()).rejects.toThrow("closed before");
  });

  it("fails silently when nobody looks at it any more", async () => {
    const service = await startService();
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    void service.nextRequest();

    await service.close();

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
  });

  it("refuses connections afterwards", async () => {
    const service = await startService();
    await createWebhook(service);

    await service.close();

    await expect(createWebhook(service)).rejects.toThrow();
  });

  it("keeps the log", async () => {
    const service = await startService();
    await createWebhook(service);

    await service.close();

    expect(service.requests).toHaveLength(1);
  });

  it("has no effect the second time", async () => {
    const service = await startService();

    await Promise.all([service.close(), service.close()]);

    await expect(service.close()).resolves.toBeUndefined();
  });

  it("happens when an `await using` goes out of scope", async () => {
    const service = await startLocalService();

    await service[Symbol.asyncDispose]();

    await expect(createWebhook(service)).rejects.toThrow();
  });
});
