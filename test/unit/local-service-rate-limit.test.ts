import { describe, expect, it } from "vitest";
import type { LocalService, RateLimit } from "../../src/local-service/index.js";
import { createWebhook, deleteWebhook, startService } from "../helpers/local-service.js";

// Wed, 01 Jan 2025 00:00:00 GMT
const newYearMs = 1_735_689_600_000;

describe("the rate limit", () => {
  it.each<[RateLimit, ...steps: [afterMs: number, answers: string][]]>([
    [{ requestsPerSecond: 2 }, [0, "201 201 429"], [499, "429"], [1, "201 429"]],
    [{ requestsPerSecond: 10, burst: 2 }, [0, "201 201 429"], [3_600_000, "201 201 429"]],
    [{ requestsPerSecond: 0.1 }, [0, "201 429"], [10_000, "201 429"]],
  ])("of %j lets a burst pass, then one request for each new token", async (limit, ...steps) => {
    const { service, clock } = await startLimited(limit);

    for (const [afterMs, answers] of steps) {
      clock.ms += afterMs;
      for (const statusCode of answers.split(" ").map(Number)) {
        expect(await createWebhook(service)).toMatchObject({ statusCode });
      }
    }
  });

  it("counts each known key by itself, every method, and all unknown keys together", async () => {
    const { service } = await startLimited({ requestsPerSecond: 1 });

    const answers = [
      await createWebhook(service),
      await createWebhook(service, { apiKey: "other" }),
      await deleteWebhook(service, 1),
      await createWebhook(service, { apiKey: "unknown" }),
      await createWebhook(service, { apiKey: "also unknown" }),
    ];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 429, 401, 429]);
  });

  it("refuses before faults are played, and stores nothing", async () => {
    const { service } = await startLimited({ requestsPerSecond: 1 });
    await createWebhook(service);
    const rule = service.inject({ fault: { kind: "respond", statusCode: 500 } });

    const { json } = await createWebhook(service);

    expect(json).toEqual({
      error: { code: "TOO_MANY_REQUESTS", message: "More than 1 requests per second." },
    });
    expect(rule.requests).toEqual([]);
    expect(service.webhooks).toHaveLength(1);
    expect(service.requests[1]).toMatchObject({ statusCode: 429, committed: false });
  });

  it.each<[number, RateLimit["retryAfter"], string | undefined]>([
    [0.4, undefined, "3"],
    [1, "seconds", "1"],
    [0.4, "http-date", "Wed, 01 Jan 2025 00:00:03 GMT"],
    [1, "absent", undefined],
    [1, { value: "31536000" }, "31536000"],
  ])("of %d with %j says in Retry-After: %s", async (requestsPerSecond, retryAfter, said) => {
    const { service } = await startLimited({
      requestsPerSecond,
      ...(retryAfter && { retryAfter }),
    });
    await createWebhook(service);

    const { statusCode, headers } = await createWebhook(service);

    expect([statusCode, headers["retry-after"]]).toEqual([429, said]);
  });

  it("is off by default", async () => {
    const service = await startService({ now: () => newYearMs });
    const creations = Array.from({ length: 100 }, () => createWebhook(service));

    expect(new Set((await Promise.all(creations)).map(({ statusCode }) => statusCode))).toEqual(
      new Set([201]),
    );
  });
});

async function startLimited(
  rateLimit: RateLimit,
): Promise<{ service: LocalService; clock: { ms: number } }> {
  const clock = { ms: newYearMs };
  const apiKeys = ["local-api-key", "other"];
  return { service: await startService({ apiKeys, rateLimit, now: () => clock.ms }), clock };
}
