import { describe, expect, it } from "vitest";
import type { LocalService, RateLimit } from "../../src/local-service/index.js";
import { createWebhook, deleteWebhook, startService } from "../helpers/local-service.js";

// Wed, 01 Jan 2025 00:00:00 GMT
const newYearMs = 1_735_689_600_000;

describe("the rate limit", () => {
  it("lets a burst pass, then one request each time a token has come", async () => {
    const { service, clock } = await startLimited({ requestsPerSecond: 2 });
    expect(await statusCodes(service, 3)).toEqual([201, 201, 429]);

    clock.ms += 499;
    expect(await statusCodes(service, 1)).toEqual([429]);

    clock.ms += 1;
    expect(await statusCodes(service, 2)).toEqual([201, 429]);
  });

  it("saves up no more than a burst", async () => {
    const { service, clock } = await startLimited({ requestsPerSecond: 10, burst: 3 });
    expect(await statusCodes(service, 4)).toEqual([201, 201, 201, 429]);

    clock.ms += 3_600_000;

    expect(await statusCodes(service, 4)).toEqual([201, 201, 201, 429]);
  });

  it("can be under one request per second", async () => {
    const { service, clock } = await startLimited({ requestsPerSecond: 0.1 });
    expect(await statusCodes(service, 2)).toEqual([201, 429]);

    clock.ms += 10_000;

    expect(await statusCodes(service, 2)).toEqual([201, 429]);
  });

  it("counts each key by itself", async () => {
    const { service } = await startLimited({ requestsPerSecond: 1 });

    expect((await createWebhook(service)).statusCode).toBe(201);
    expect((await createWebhook(service, { apiKey: "other" })).statusCode).toBe(201);
    expect((await createWebhook(service)).statusCode).toBe(429);
  });

  it("counts every method", async () => {
    const { service } = await startLimited({ requestsPerSecond: 1 });

    await createWebhook(service);

    expect((await deleteWebhook(service, 1)).statusCode).toBe(429);
    expect(service.webhooks).toHaveLength(1);
  });

  it("answers with the error body and stores nothing", async () => {
    const { service } = await startLimited({ requestsPerSecond: 1 });
    await createWebhook(service);

    const { json } = await createWebhook(service);

    expect(json).toEqual({
      error: { code: "TOO_MANY_REQUESTS", message: "More than 1 requests per second." },
    });
    expect(service.webhooks).toHaveLength(1);
    expect(service.requests[1]).toMatchObject({ statusCode: 429, committed: false });
  });

  it("comes before faults, which it does not use up", async () => {
    const { service } = await startLimited({ requestsPerSecond: 1 });
    await createWebhook(service);
    const rule = service.inject({ fault: { kind: "respond", statusCode: 500 } });

    expect((await createWebhook(service)).statusCode).toBe(429);
    expect(rule.requests).toEqual([]);
  });

  it.each([
    ["whole seconds, rounded up", 0.4, undefined, "3"],
    ["whole seconds when asked", 1, "seconds", "1"],
    ["an HTTP date, rounded up", 0.4, "http-date", "Wed, 01 Jan 2025 00:00:03 GMT"],
    ["nothing", 1, "absent", undefined],
    ["a year", 1, { value: "31536000" }, "31536000"],
    ["nonsense", 1, { value: "soon" }, "soon"],
  ] as const)("says in Retry-After: %s", async (_, requestsPerSecond, retryAfter, said) => {
    const { service } = await startLimited({
      requestsPerSecond,
      ...(retryAfter && { retryAfter }),
    });
    await createWebhook(service);

    const { statusCode, headers } = await createWebhook(service);

    expect(statusCode).toBe(429);
    expect(headers["retry-after"]).toBe(said);
  });

  it("is off by default", async () => {
    const service = await startService({ now: () => newYearMs });

    expect(await statusCodes(service, 100)).not.toContain(429);
  });
});

async function startLimited(rateLimit: RateLimit) {
  const clock = { ms: newYearMs };
  const apiKeys = ["local-api-key", "other"];
  const service = await startService({ apiKeys, rateLimit, now: () => clock.ms });
  return { service, clock };
}

async function statusCodes(service: LocalService, count: number): Promise<number[]> {
  const statuses = [];
  for (let i = 0; i < count; i += 1) {
    statuses.push((await createWebhook(service)).statusCode);
  }
  return statuses;
}
