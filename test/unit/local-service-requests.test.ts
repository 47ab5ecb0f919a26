import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ReceivedRequest } from "../../src/local-service/index.ts";
import { hold } from "../helpers/faults/faults.mts";
import { refusedUrl } from "../helpers/http-server.ts";
import { startService, statusCodesOf, webhookBody } from "../helpers/local-service.ts";

it("The request log holds the fields of every request and its outcome, without the body of an unauthorized one", async () => {
  const service = await startService();
  const body = webhookBody({ tableId: "tbl_1" });
  const databaseId = "a/b c?ü%2F";
  const path = "/api/v1/bases/a%2Fb%20c%3F%C3%BC%252F/webhooks";

  const creation = await service.create({ databaseId, body, headers: { "X-Trace": "one" } });
  await service.delete("a/b", { databaseId });
  await service.create({ databaseId, apiKey: "wrong" });

  const entry = { databaseId, authorized: true, outcome: "responded" };
  const webhookId = String(creation.json.id);
  const created = { method: "POST", path, webhookId, statusCode: 201, committed: true };
  const notFound = { method: "DELETE", webhookId: "a/b", statusCode: 404, committed: false };
  const unauthorized = { authorized: false, body: undefined, statusCode: 401, committed: false };
  expect(service.requests).toMatchObject([
    { ...entry, number: 1, headers: { "x-trace": "one" }, body, ...created },
    { ...entry, number: 2, ...notFound },
    { ...entry, number: 3, ...unauthorized },
  ]);
});

it("The request log holds the newest maxRequests requests, as the list of deliveries does", async () => {
  const service = await startService({ maxRequests: 1 });
  await service.subscribe(refusedUrl);
  await service.delete(7);

  service.emit({ type: "record.created", databaseId: "base_1" });
  service.emit({ type: "record.created", databaseId: "base_1" });

  expect(service.requests).toMatchObject([{ number: 2 }]);
  expect(service.deliveries).toMatchObject([{ number: 2 }]);
  // The delivery that has left the list still counts.
  expect(service.counts.pending).toBe(2);
});

it("The request log forgets the oldest request when another one begins, and not when one ends", async () => {
  const service = await startService({ maxRequests: 1 });
  const { holdRequest, release } = hold();
  service.use(holdRequest);
  const begin = async (id: number) => {
    const received = service.nextRequest(() => true);
    const responded = service.delete(id);
    await received;
    return { responded, newest: service.requests.map(({ number }) => number) };
  };

  const [first, second] = [await begin(1), await begin(2)];
  release();
  await Promise.all([first.responded, second.responded]);

  expect([first.newest, second.newest]).toEqual([[1], [2]]);
  expect(service.requests).toMatchObject([{ number: 2, outcome: "responded" }]);
});

it("The counts tell requests from their effects, and do not change when the request log is cleared", async () => {
  const service = await startService();
  const { id } = (await service.create()).json;
  await service.create();
  await service.create({ body: {} });
  await service.delete(id);
  service.removeWebhook(id + 1);

  service.clearRequests();
  await service.create();

  expect(service.requests).toMatchObject([{ number: 5 }]);
  const totals = { requests: 5, posts: 4, deletes: 1, created: 3, deleted: 2, pending: 0 };
  expect(service.counts).toMatchObject(totals);
});

it.each<{ name: string; matches: (request: ReceivedRequest) => boolean; number: number }>([
  { name: "has arrived", matches: () => true, number: 1 },
  { name: "has an effect", matches: ({ committed }) => committed, number: 2 },
  { name: "has an outcome", matches: ({ statusCode }) => statusCode === 404, number: 3 },
])("nextRequest ends with the first request that matches when it $name", async (row) => {
  const { matches, number } = row;
  const service = await startService();
  const next = service.nextRequest(matches);

  // Invalid, so it is never committed.
  await service.create({ body: {} });
  await service.create({ databaseId: "base_2" });
  await service.delete(1);

  expect(await next).toMatchObject({ number });
});

it("nextRequest and nextDelivery reject when the service closes or has closed, without an unhandled rejection", async () => {
  const service = await startService();
  const any = () => true;
  const promises: Promise<unknown>[] = [service.nextRequest(any), service.nextDelivery(any)];
  // Vitest fails the run if this promise becomes an unhandled rejection.
  void service.nextDelivery(any);

  await service.close();
  promises.push(service.nextDelivery(any));

  const rejected = { status: "rejected", reason: { name: "AbortError" } };
  expect(await Promise.allSettled(promises)).toMatchObject(Array(3).fill(rejected));
});

describe("The rate limit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it("by default allows the requests of one second at once, then one for each new token", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 2 } });

    const atOnce = [await service.create(), await service.create(), await service.create()];
    vi.setSystemTime(499);
    const beforeToken = await service.create();
    vi.setSystemTime(500);
    const withToken = [await service.create(), await service.create()];

    expect(statusCodesOf(atOnce)).toEqual([201, 201, 429]);
    expect(beforeToken.statusCode).toBe(429);
    expect(statusCodesOf(withToken)).toEqual([201, 429]);
  });

  it("counts the time since the last request once, also when it refused that request", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 1 } });
    await service.create();

    const refused = [];
    for (const atMs of [400, 800]) {
      vi.setSystemTime(atMs);
      refused.push(await service.create());
    }
    vi.setSystemTime(1_000);
    const allowed = await service.create();

    expect(statusCodesOf(refused)).toEqual([429, 429]);
    expect(allowed.statusCode).toBe(201);
  });

  it("allows one request after a pause if it is below one per second, and sends the wait in Retry-After", async () => {
    const service = await startService({ rateLimit: { requestsPerSecond: 0.4 } });
    await service.create();
    vi.setSystemTime(3_600_000);

    const afterPause = [await service.create(), await service.create()];

    expect(statusCodesOf(afterPause)).toEqual([201, 429]);
    // The next token comes after 2.5 s.
    expect(afterPause[1]?.headers["retry-after"]).toBe("3");
  });

  it("counts the requests of each known key separately, and of all unknown keys together", async () => {
    const rateLimit = { requestsPerSecond: 1 };
    const service = await startService({ apiKeys: ["key-1", "key-2"], rateLimit });

    const responses = [
      await service.create({ apiKey: "key-1" }),
      await service.create({ apiKey: "key-2" }),
      await service.create({ apiKey: "unknown-1" }),
      await service.create({ apiKey: "unknown-2" }),
    ];

    expect(statusCodesOf(responses)).toEqual([201, 201, 401, 429]);
  });
});
