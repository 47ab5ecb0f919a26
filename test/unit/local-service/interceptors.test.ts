import { describe, expect, it } from "vitest";
import type { Interceptor } from "../../../src/local-service/index.ts";
import { hold } from "../../helpers/faults/faults.mts";
import { startFaultyService, statusCodesOf, webhookBody } from "../../helpers/local-service.ts";
import { recordRequests } from "../../helpers/recorder.mts";

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

    expect(order).toEqual(["outer", "inner", "inner 200", "outer 299"]);
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
      { ...sent, path: `${path}?a=1`, body, headers: { "x-trace": "one" }, statusCode: 200 },
      { ...deletion, body: undefined, statusCode: 404 },
      { ...refused, statusCode: 401 },
      { ...refused, statusCode: 421 },
      { ...refused, statusCode: 403 },
      { ...refused, statusCode: 413 },
      { path: "/_local/bases/base_1/events", body: {}, statusCode: 400 },
      { method: "GET", path: "/", statusCode: 200 },
    ]);
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
