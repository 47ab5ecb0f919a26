import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import type { LocalServiceOptions } from "../../src/local-service/index.js";
import { refusedUrl } from "../helpers/http-server.js";
import { startService, webhookBody } from "../helpers/local-service.js";
import { type ReceivedNotification, startReceiver } from "../helpers/receiver.js";

const recordCreated = { type: "record.created", databaseId: "base_1" };
// In floating point, 16.1 s are not a whole number of milliseconds.
const twoQuickRetries = { retryWaitsSeconds: [0.01, 0.02], timeoutSeconds: 16.1 };
const noRetries = { retryWaitsSeconds: [] };
const never = () => new Promise<number>(() => {});

describe("Emitting an event", () => {
  it.each([
    { name: "an event of a table", tableId: "tbl_1", reached: ["/of-all-tables", "/of-tbl_1"] },
    { name: "an event without a table", tableId: undefined, reached: ["/of-all-tables"] },
  ])("delivers $name to the active webhooks that subscribe to it", async ({ tableId, reached }) => {
    const { receiver, service } = await startWithReceiver();
    await service.subscribe(`${receiver.url}/of-all-tables`);
    await service.subscribe(`${receiver.url}/of-tbl_1`, { tableId: "tbl_1" });
    await service.subscribe(`${receiver.url}/of-tbl_2`, { tableId: "tbl_2" });
    await service.subscribe(`${receiver.url}/of-deletions`, { events: ["record.deleted"] });
    await service.create({ databaseId: "base_2", body: webhookBody({ url: receiver.url }) });
    service.updateWebhook(1, { active: false });

    await service.emit({ ...recordCreated, tableId }).finished;

    expect(receiver.notifications.map(({ path }) => path).toSorted()).toEqual(reached);
  });

  it("sends the event as JSON in a POST that is signed according to Standard Webhooks", async () => {
    const { receiver, service, secret } = await startWithReceiver();
    const data = { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] };

    const event = service.emit({ ...recordCreated, tableId: "tbl_1", data, id: "evt_again" });
    await event.finished;

    const [notification] = receiver.notifications;
    expect(notification?.headers["content-type"]).toBe("application/json");
    expect(verified(notification, secret)).toEqual({
      id: "evt_again",
      type: "record.created",
      timestamp: event.timestamp,
      data: { tableId: "tbl_1", ...data },
      metadata: {
        webhookId: 1,
        organizationId: "org_local",
        baseId: "base_1",
        attempt: 1,
        source: "local-service",
      },
    });
  });

  it("sends the user info of the webhook's URL as basic authentication", async () => {
    const { receiver, service } = await startWithReceiver();
    service.updateWebhook(1, { url: receiver.url.replace("://", "://us%C3%A9r:p%40ss@") });

    await service.emit(recordCreated).finished;

    const authorization = `Basic ${Buffer.from("usér:p@ss").toString("base64")}`;
    expect(receiver.notifications[0]?.headers).toMatchObject({ authorization });
  });

  it.each(eventTypes)("sends sample data by default: %s", async (type) => {
    const service = await startService();
    const [subject = ""] = type.split(".");

    const { data } = service.emit({ type, databaseId: "base_1", tableId: "tbl_1" });

    expect(data.tableId).toBe("tbl_1");
    expect(Object.keys(data).some((name) => name.startsWith(subject))).toBe(true);
  });

  it("throws a TypeError when the event type is unknown", async () => {
    const service = await startService();

    expect(() => service.emit({ ...recordCreated, type: "view.created" })).toThrow(TypeError);
  });
});

describe("Emitting an event over HTTP", () => {
  const event = { type: "record.created" };
  const post = (query: string, body: unknown = event) =>
    ({ method: "POST", path: `/_local/bases/base_1/events${query}`, body }) as const;

  it("returns 200 and the deliveries when they finish within `wait` seconds", async () => {
    const { receiver, service } = await startWithReceiver();

    const { statusCode, json } = await service.send(post("?wait=60"));

    expect(statusCode).toBe(200);
    expect(json).toEqual({
      id: receiver.notifications[0]?.body.id,
      deliveries: [{ webhookId: 1, outcome: "delivered", attempts: 1, statusCode: 204 }],
    });
  });

  it.each(["", "?wait=0.1"])("returns 202 while a delivery is pending: %j", async (query) => {
    const { service } = await startWithReceiver(never);

    const { statusCode, json } = await service.send(post(query));

    expect(statusCode).toBe(202);
    expect(json.deliveries).toMatchObject([{ outcome: "pending" }]);
  });

  it.each([
    { status: 400, problem: "did you mean record.c", request: post("", { type: "record.creatd" }) },
    { status: 400, problem: "type must be an event type", request: post("", "not JSON") },
    { status: 400, problem: "data must be a JSON", request: post("", { ...event, data: 7 }) },
    { status: 400, problem: "id must be 1 to 256", request: post("", { ...event, id: "evt 1" }) },
    { status: 400, problem: "wait must be a number", request: post("?wait=601") },
    { status: 401, problem: "a known API key", request: { ...post(""), apiKey: "wrong" } },
    { status: 404, problem: "base_1 not found", request: { ...post(""), apiKey: "key-of-base_2" } },
  ])("returns $status: $problem", async ({ status, problem, request }) => {
    const apiKeys = { all: "*", "key-of-base_2": ["base_2"] } as const;
    const { service } = await startWithReceiver(undefined, { apiKeys });

    const response = await service.send(request);

    expect(response.statusCode).toBe(status);
    expect(response.json.error.message).toContain(problem);
    expect(service.deliveries).toEqual([]);
  });

  it("is not subject to the rate limit and to faults", async () => {
    const service = await startService({
      rateLimit: { requestsPerSecond: 0.001 },
      faults: [{ fault: { kind: "respond", statusCode: 500 } }],
    });

    await service.send(post(""));

    expect((await service.send(post(""))).statusCode).toBe(200);
  });
});

describe("A delivery", () => {
  it.each([
    { statusCode: 299, outcome: "delivered", attempts: 1 },
    { statusCode: 302, outcome: "failed", attempts: 3 },
    { statusCode: 410, outcome: "failed", attempts: 3 },
  ])("ends as $outcome after $attempts attempts that get $statusCode", async (expected) => {
    const { service, receiver } = await startWithReceiver(() => expected.statusCode, {
      deliveries: twoQuickRetries,
    });

    const [delivery] = await service.emit(recordCreated).finished;

    expect(delivery).toMatchObject({ ...expected, url: receiver.url });
    expect(receiver.notifications).toHaveLength(expected.attempts);
  });

  it("has the same id and a new signed timestamp in each attempt", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const failAfterOneSecond = (_notification: unknown, count: number) => {
      vi.setSystemTime(1_000_000 + count * 1_000);
      return 503;
    };
    const { receiver, service, secret } = await startWithReceiver(failAfterOneSecond, {
      deliveries: twoQuickRetries,
    });

    const { id, finished } = service.emit(recordCreated);
    await finished;

    const { notifications } = receiver;
    const bodies = notifications.map((notification) => verified(notification, secret));
    const times = notifications.map(({ headers }) => headers["webhook-timestamp"]);
    expect(bodies).toMatchObject([1, 2, 3].map((attempt) => ({ id, metadata: { attempt } })));
    expect(times).toEqual(["1000", "1001", "1002"]);
  });

  it("goes in each attempt to the URL that the webhook then has", async () => {
    const move = () => {
      service.updateWebhook(1, { url: `${receiver.url}/moved` });
      return 503;
    };
    const { receiver, service } = await startWithReceiver(move, { deliveries: twoQuickRetries });

    await service.emit(recordCreated).finished;

    expect(receiver.notifications.map(({ path }) => path)).toEqual(["/", "/moved", "/moved"]);
  });

  it("says why the connection failed, without the URL", async () => {
    const service = await startService({ deliveries: noRetries });
    await service.subscribe(`${await refusedUrl()}/secret-path`);

    const [delivery] = await service.emit(recordCreated).finished;

    expect(delivery).toMatchObject({ outcome: "failed", problem: "no response (ECONNREFUSED)" });
  });

  it("says how long it waited for a response", async () => {
    const deliveries = { ...noRetries, timeoutSeconds: 0.05 };
    const { service } = await startWithReceiver(never, { deliveries });

    const [delivery] = await service.emit(recordCreated).finished;

    expect(delivery).toMatchObject({ outcome: "failed", problem: "no response within 0.05 s" });
  });

  it("has no status code when its last attempt gets no response", async () => {
    const failFirst = (_: unknown, count: number) => (count === 1 ? 503 : never());
    const deliveries = { retryWaitsSeconds: [0.01], timeoutSeconds: 0.5 };
    const { service } = await startWithReceiver(failFirst, { deliveries });

    const [delivery] = await service.emit(recordCreated).finished;

    expect(delivery).toMatchObject({ attempts: 2, outcome: "failed" });
    expect(delivery).not.toHaveProperty("statusCode");
  });

  it("has at most maxConcurrent attempts in flight", async () => {
    const response = Promise.withResolvers<number>();
    const deliveries = { maxConcurrent: 3 };
    const { receiver, service } = await startWithReceiver(() => response.promise, { deliveries });

    const events = Array.from({ length: 10 }, () => service.emit(recordCreated));
    await expect.poll(() => receiver.notifications).toHaveLength(3);
    // The response shows that the service has had time to begin a fourth attempt.
    await service.list();
    const inFlight = receiver.notifications.length;
    response.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect(inFlight).toBe(3);
    expect(receiver.notifications).toHaveLength(10);
  });

  it("is dropped for good when its webhook is switched off, unless an attempt is in flight", async () => {
    const response = Promise.withResolvers<number>();
    const failFirst = (_: unknown, count: number) => (count === 1 ? 500 : response.promise);
    const deliveries = { maxConcurrent: 1, retryWaitsSeconds: [60] };
    const { receiver, service } = await startWithReceiver(failFirst, { deliveries });
    // One attempt at a time: the first fails, the second is in flight, and the third has not begun.
    const waitingForRetry = service.emit(recordCreated);
    const inFlight = service.emit(recordCreated);
    const queued = service.emit(recordCreated);
    await expect.poll(() => receiver.notifications).toHaveLength(2);

    service.updateWebhook(1, { active: false });
    service.updateWebhook(1, { active: true });
    const later = service.emit(recordCreated);
    response.resolve(200);

    expect(await waitingForRetry.finished).toMatchObject([{ outcome: "dropped", attempts: 1 }]);
    expect(await inFlight.finished).toMatchObject([{ outcome: "delivered", attempts: 1 }]);
    expect(await queued.finished).toMatchObject([{ outcome: "dropped", attempts: 0 }]);
    expect(await later.finished).toMatchObject([{ outcome: "delivered", attempts: 1 }]);
  });

  it("is dropped when its webhook is deleted", async () => {
    const deliveries = { retryWaitsSeconds: [60] };
    const { receiver, service } = await startWithReceiver(() => 500, { deliveries });
    const { finished } = service.emit(recordCreated);
    await expect.poll(() => receiver.notifications).toHaveLength(1);

    await service.delete(1);

    expect(await finished).toMatchObject([{ outcome: "dropped" }]);
  });

  it("goes to the origin in deliverTo, with the path and query of the webhook's URL", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ deliveries: { deliverTo: receiver.url } });
    await service.subscribe("https://hooks.invalid//host/orders/1?key=2");

    await service.emit(recordCreated).finished;

    expect(receiver.notifications).toMatchObject([{ path: "//host/orders/1?key=2" }]);
  });

  it("can be waited for by its event, its webhook and a condition", async () => {
    const response = Promise.withResolvers<number>();
    const { receiver, service } = await startWithReceiver(() => response.promise);
    await service.subscribe(receiver.url, { events: ["record.deleted"] });
    const byEvent = service.nextDelivery({ type: "record.deleted" });
    const byWebhook = service.nextDelivery({ webhookId: 2 });
    const byCondition = service.nextDelivery({ where: ({ event }) => event.tableId === "tbl_1" });

    service.emit(recordCreated);
    service.emit({ ...recordCreated, type: "record.deleted" });
    service.emit({ ...recordCreated, tableId: "tbl_1" });
    response.resolve(200);

    expect(await byEvent).toMatchObject({ number: 2 });
    expect(await byWebhook).toMatchObject({ number: 2 });
    expect(await byCondition).toMatchObject({ number: 3 });
  });

  it("counts as pending until it finishes, even when maxRequests newer ones replace it in the list", async () => {
    const response = Promise.withResolvers<number>();
    const { service } = await startWithReceiver(() => response.promise, { maxRequests: 2 });

    const events = [1, 2, 3].map(() => service.emit(recordCreated));
    const { pending } = service.counts;
    response.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect(service.deliveries).toMatchObject([{ number: 2 }, { number: 3 }]);
    expect(pending).toBe(3);
    expect(service.counts.pending).toBe(0);
  });

  it("rejects its promise when the service closes before it finishes", async () => {
    const { receiver, service } = await startWithReceiver(never);
    const { finished } = service.emit(recordCreated);
    await expect.poll(() => receiver.notifications).toHaveLength(1);

    await service.close();

    await expect(finished).rejects.toThrow("closed before the delivery finished");
  });
});

/** Starts a receiver, and a service with a webhook that subscribes the receiver to `record.created`. */
async function startWithReceiver(
  respond?: Parameters<typeof startReceiver>[0],
  options?: LocalServiceOptions,
) {
  const receiver = await startReceiver(respond);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const service = await startService(options);
  return { receiver, service, secret: await service.subscribe(receiver.url) };
}

/** Returns the body of a notification if its signature is valid. */
function verified(notification: ReceivedNotification | undefined, secret: string): unknown {
  const { rawBody = "", headers } = notification ?? {};
  return new Webhook(secret).verify(rawBody, headers as Record<string, string>);
}
