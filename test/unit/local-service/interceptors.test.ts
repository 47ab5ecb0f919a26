import { describe, expect, it } from "vitest";
import type { Interceptor } from "../../../src/local-service/index.ts";
import {
  hold,
  isDelete,
  isPost,
  loseResponse,
  respondWith,
  times,
} from "../../helpers/faults/faults.mts";
import { startFaultyService, statusCodesOf, webhookBody } from "../../helpers/local-service.ts";
import { recordRequests } from "../../helpers/recorder.mts";

const inTable = (tableId: string) => ({ body: webhookBody({ tableId }) });

describe("Interceptors imitate a service", () => {
  it("whose response is lost for one table", async () => {
    const service = await startFaultyService();
    service.use(times(1, loseResponse, ({ body }) => body?.tableId === "tbl_orders"));
    const { requests } = recordRequests(service);

    const orders = service.create(inTable("tbl_orders"));
    const users = service.create(inTable("tbl_users"));

    await expect(orders).rejects.toThrow("ECONNRESET");
    expect((await users).statusCode).toBe(201);
    expect(service.webhooks).toHaveLength(2);
    expect(requests.map(({ statusCode }) => statusCode).toSorted()).toEqual([0, 201]);
  });

  it("that returns 429, then 503", async () => {
    const service = await startFaultyService();
    service.use(times(1, respondWith(503)));
    // Added last, so it is outermost.
    service.use(times(1, respondWith(429, { headers: { "retry-after": "1" } })));

    const responses = [await service.create(), await service.create(), await service.create()];

    expect(statusCodesOf(responses)).toEqual([429, 503, 201]);
    expect(responses[0]?.headers).toHaveProperty("retry-after", "1");
  });

  it("whose second creation fails", async () => {
    const service = await startFaultyService();
    let creations = 0;
    service.use((request, next) => {
      creations += Number(isPost(request));
      return isPost(request) && creations === 2 ? new Response(null, { status: 500 }) : next();
    });

    const responses = [await service.create(), await service.create(), await service.create()];

    expect(statusCodesOf(responses)).toEqual([201, 500, 201]);
  });

  it("that is idempotent", async () => {
    const service = await startFaultyService();
    const responses = new Map<string, Promise<Response>>();
    service.use(async (request, next) => {
      if (!isPost(request)) {
        return next();
      }
      const key = JSON.stringify([request.databaseId, request.body]);
      const response = responses.get(key) ?? next();
      responses.set(key, response);
      return (await response).clone();
    });

    const [first, repeated] = await Promise.all([service.create(), service.create()]);
    const other = await service.create(inTable("tbl_orders"));

    expect(repeated?.json).toEqual(first?.json);
    expect(other.json.id).not.toBe(first?.json.id);
    expect(service.webhooks).toHaveLength(2);
  });

  it("whose deletions fail until the fault is removed", async () => {
    const service = await startFaultyService();
    const { id } = (await service.create()).json;
    const removeFault = service.use(times(Number.POSITIVE_INFINITY, respondWith(503), isDelete));

    const failed = [await service.delete(id), await service.delete(id)];
    removeFault();
    const deleted = await service.delete(id);

    expect(statusCodesOf([...failed, deleted])).toEqual([503, 503, 200]);
  });

  it("that fails exactly once, even when another request arrives meanwhile", async () => {
    const service = await startFaultyService();
    const failSlowly: Interceptor = async () => {
      await expect.poll(() => requests).toHaveLength(2);
      return new Response(null, { status: 503 });
    };
    service.use(times(1, failSlowly));
    const { requests } = recordRequests(service);

    const responses = await Promise.all([service.create(), service.create()]);

    expect(statusCodesOf(responses).toSorted()).toEqual([201, 503]);
    expect(service.webhooks).toHaveLength(1);
  });

  it("behind a proxy that returns 404", async () => {
    const headers = { "content-type": "text/html" };
    const service = await startFaultyService();
    service.use(respondWith(404, { headers, body: "<h1>Not found</h1>" }));

    const response = await service.create();

    expect(response).toMatchObject({ statusCode: 404, headers, text: "<h1>Not found</h1>" });
    expect(service.webhooks).toEqual([]);
  });
});

describe("An interceptor", () => {
  it("is around those that were added before it, and gets their response", async () => {
    const service = await startFaultyService();
    const order: string[] = [];
    const noting = (name: string): Interceptor => {
      return async (_, next) => {
        order.push(name);
        const response = await next();
        order.push(`${name} ${response.status}`);
        return name === "inner" ? new Response("changed", { status: 299 }) : response;
      };
    };
    service.use(noting("inner"));
    service.use(noting("outer"));

    const response = await service.create();

    expect(order).toEqual(["outer", "inner", "inner 201", "outer 299"]);
    expect(response).toMatchObject({ statusCode: 299, text: "changed" });
  });

  it("that was added twice and removed once still runs once", async () => {
    const service = await startFaultyService();
    let runs = 0;
    const count: Interceptor = (_, next) => {
      runs += 1;
      return next();
    };
    const remove = service.use(count);
    service.use(count);

    // A second call must not remove the other one.
    remove();
    remove();
    await service.create();

    expect(runs).toBe(1);
  });

  it("gets every request with its fields, and without the body of one without a known key", async () => {
    const service = await startFaultyService();
    const { requests } = recordRequests(service);
    const databaseId = "a/b c?ü%2F";
    const path = "/api/v1/bases/a%2Fb%20c%3F%C3%BC%252F/webhooks";
    const body = webhookBody({ tableId: "tbl_1" });

    await service.create({ databaseId, body, path: `${path}?a=1`, headers: { "X-Trace": "one" } });
    await service.delete("a/b", { databaseId });
    await service.create({ databaseId, apiKey: "wrong" });
    await service.create({ databaseId, headers: { host: "192.0.2.1" } });
    await service.create({ databaseId, headers: { origin: "https://evil.example" } });
    await service.create({ databaseId, body: "x".repeat(1024 * 1024 + 1) });
    await service.send({ method: "POST", path: "/_local/bases/base_1/events", body: {} });
    await service.send({ apiKey: null });

    const sent = { method: "POST", path, databaseId };
    const refused = { ...sent, body: undefined };
    const deletion = { method: "DELETE", path: `${path}/a%2Fb`, databaseId, webhookId: "a/b" };
    expect(requests).toMatchObject([
      { ...sent, path: `${path}?a=1`, body, headers: { "x-trace": "one" }, statusCode: 201 },
      { ...deletion, body: undefined, statusCode: 404 },
      { ...refused, statusCode: 401 },
      { ...refused, statusCode: 421 },
      { ...refused, statusCode: 403 },
      { ...refused, statusCode: 413 },
      { path: "/_local/bases/base_1/events", body: {}, statusCode: 400 },
      { method: "GET", path: "/", statusCode: 200 },
    ]);
  });

  it("can replace a refusal, including its headers", async () => {
    const service = await startFaultyService();
    service.use(async (_, next) => new Response((await next()).headers.get("www-authenticate")));

    const replaced = await service.create({ apiKey: "wrong" });

    expect(replaced).toMatchObject({ statusCode: 200, text: "Bearer" });
    expect(replaced.headers).not.toHaveProperty("www-authenticate");
  });

  it("can hold requests back, and keeps those that it has when it is removed", async () => {
    const service = await startFaultyService();
    const { holdRequest, received, release } = hold();
    const remove = service.use(holdRequest);
    const held = service.create();
    await received;

    remove();
    const later = await service.create();
    const idsBeforeRelease = service.webhooks.map(({ id }) => id);
    await release();
    await held;

    expect(idsBeforeRelease).toEqual([later.json.id]);
    expect(service.webhooks).toHaveLength(2);
  });

  it("can pass on a connection reset of an inner one, also as a clone", async () => {
    const service = await startFaultyService();
    service.use(() => Response.error());
    service.use(async (_, next) => (await next()).clone());

    await expect(service.create()).rejects.toThrow("ECONNRESET");
    expect(service.webhooks).toEqual([]);
  });

  it("causes a response of 500 when it throws or returns no response", async () => {
    const service = await startFaultyService();
    service.use((() => {}) as unknown as Interceptor);
    const missing = await service.create();
    service.use(() => {
      throw new Error("out of luck");
    });

    const thrown = await service.create();

    expect(statusCodesOf([missing, thrown])).toEqual([500, 500]);
    expect(missing.json.error.message).toContain("Response");
    expect(thrown.json.error.message).toContain("out of luck");
  });

  it("has no effect on a request that it passes on when the service has closed", async () => {
    const service = await startFaultyService();
    const { holdRequest, received, release } = hold();
    service.use(holdRequest);
    const rejected = expect(service.create()).rejects.toThrow();
    await received;

    await service.close();
    await release();

    await rejected;
    expect(service.webhooks).toEqual([]);
  });
});
