import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import type { LocalServiceOptions, LogEntry } from "../../src/local-service/index.js";
import { refusedUrl } from "../helpers/http-server.js";
import { startService, webhookBody } from "../helpers/local-service.js";
import { type ReceivedNotification, startReceiver } from "../helpers/receiver.js";

type Respond = Parameters<typeof startReceiver>[0];

const created = { type: "record.created", databaseId: "base_1" };
const soon = { retryWaitsSeconds: [0.01, 0.02] };
const never = () => new Promise<number>(() => {});
const failOnce = (_: unknown, count: number) => (count === 1 ? 500 : 200);

describe("Emitting an event", () => {
  it("reaches every active webhook of the database that selects it, by the table rule", async () => {
    const { receiver, service } = await startBoth();
    const webhooks: [object, string?][] = [
      [{ tableId: "tbl_1" }],
      [{ tableId: "tbl_2" }],
      [{ events: ["record.deleted"] }],
      [{ events: ["record.deleted", "record.created"] }],
      [{}, "base_2"],
      [{}],
    ];
    for (const [changes, databaseId = "base_1"] of webhooks) {
      const body = webhookBody({ url: receiver.url, ...changes });
      await service.create({ databaseId, body });
    }
    service.updateWebhook(7, { active: false });

    await service.emit({ ...created, tableId: "tbl_1" }).finished;
    await service.emit(created).finished;

    expect(service.deliveries.map(({ webhookId }) => webhookId)).toEqual([1, 2, 5, 1, 5]);
    expect(receiver.notifications).toHaveLength(5);
  });

  it("sends a POST with the event as JSON, signed with each secret by Standard Webhooks", async () => {
    const { receiver, service, secret } = await startBoth();
    const url = `${receiver.url.replace("://", "://us%C3%A9r:p%40ss@")}/hooks`;
    const secrets = [secret, await service.subscribe(url)];
    const data = { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] };

    const event = service.emit({ ...created, tableId: "tbl_1", data, id: "evt_again" });
    await event.finished;

    const authorization = `Basic ${Buffer.from("usér:p@ss").toString("base64")}`;
    expect(receiver.notifications).toHaveLength(2);
    for (const notification of receiver.notifications) {
      const { headers, path, body } = notification;
      const { webhookId } = body.metadata;
      expect(headers["content-type"]).toBe("application/json");
      expect(headers.authorization).toBe(path === "/hooks" ? authorization : undefined);
      expect(verified(notification, secrets[webhookId - 1])).toEqual({
        ...{ id: "evt_again", type: "record.created", timestamp: event.timestamp },
        data: { tableId: "tbl_1", ...data },
        metadata: {
          ...{ webhookId, organizationId: "org_local", baseId: "base_1", attempt: 1 },
          source: "local-service",
        },
      });
      expect(() => verified(notification, secrets[2 - webhookId])).toThrow();
    }
  });

  it("has a sample of data, in its table or a made-up one", async () => {
    const service = await startService();
    const dataOf = (type: string, tableId?: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: its fields depend on the type.
      service.emit({ ...created, type, tableId }).data as any;

    const { tableId, recordIds, records } = dataOf("record.created");
    const changed = dataOf("field.updated");

    expect([tableId, recordIds, records[0].id]).toEqual([id("tbl"), [id("rec")], recordIds[0]]);
    expect(changed.previousField).toEqual({ ...changed.field, name: "An older name" });
    for (const type of eventTypes) {
      expect(dataOf(type, "tbl_1").tableId).toBe("tbl_1");
      expect(Object.keys(dataOf(type)).join()).toContain(`,${type.split(".")[0]}`);
    }
  });

  it("is refused when its kind is unknown, unless that is allowed", async () => {
    const lenient = await startService({ allowUnknownEvents: true });
    const event = { ...created, type: "view.created" };

    expect(lenient.emit(event)).toMatchObject({ ...event, data: {}, deliveries: [] });
    expect((await startService()).emit.bind(undefined, event)).toThrow(TypeError);
  });
});

describe("Emitting an event over HTTP", () => {
  const path = "/_local/bases/base_1/events";
  const event = { type: "record.created" };
  const post = (query: string, body: unknown, changes = {}) =>
    ({ method: "POST", path: path + query, body, ...changes }) as const;

  it("gives 200 with the deliveries when they are over within the time to wait, else 202", async () => {
    const respond = ({ path }: { path: string }) => (path === "/never" ? 500 : 204);
    const { receiver, service } = await startBoth(respond);
    await service.subscribe(`${receiver.url}/never`, { events: ["record.deleted"] });

    const delivered = await service.send(post("?wait=60", event));
    const late = await service.send(post("?wait=0.1", { type: "record.deleted" }));
    const hurried = await service.send(post("", { type: "record.deleted" }));

    expect(delivered.statusCode).toBe(200);
    expect(delivered.json).toEqual({
      id: receiver.notifications[0]?.body.id,
      deliveries: [{ webhookId: 1, outcome: "delivered", attempts: 1, statusCode: 204 }],
    });
    for (const { statusCode, json } of [late, hurried]) {
      expect([statusCode, json.deliveries]).toMatchObject([202, [{ outcome: "pending" }]]);
    }
  });

  it.each<[number, string, object, string?]>([
    [400, "type is unknown; did you mean record.created?", { body: { type: "record.creatd" } }],
    [400, "type must be an event kind", { body: "not JSON" }],
    [400, "data must be a JSON object", { body: { ...event, data: 7 } }],
    [400, "tableId must be a non-empty string", { body: { ...event, tableId: "" } }],
    [400, "id must be 1 to 256 visible ASCII characters", { body: { ...event, id: "evt 1" } }],
    [400, "wait must be a number of seconds, 0 to 600", {}, "?wait=601"],
    [401, "a known API key", { apiKey: "wrong" }],
    [404, "Database base_1 not found", { apiKey: "some" }],
  ])("is refused with %i: %s", async (statusCode, problem, changes, query = "") => {
    const service = await startService({ apiKeys: { all: "*", some: ["base_2"] } });

    const response = await service.send(post(query, event, changes));

    expect(response.statusCode).toBe(statusCode);
    expect(response.json.error.message).toContain(problem);
    expect(service.requests).toMatchObject([{ databaseId: "base_1", statusCode }]);
    expect(service.deliveries).toEqual([]);
  });

  it("meets no rate limit and no faults, and takes the database from its path", async () => {
    const databases: string[] = [];
    const service = await startService({
      rateLimit: { requestsPerSecond: 0.001 },
      faults: [{ fault: { kind: "respond", statusCode: 500 } }],
      onLog: (entry) => entry.type === "event" && databases.push(entry.event.databaseId),
    });

    await service.send(post("", { ...event, databaseId: "base_2" }));
    const { statusCode } = await service.send(post("", event));

    expect([statusCode, databases]).toEqual([200, ["base_1", "base_1"]]);
  });
});

describe("A delivery", () => {
  it.each([
    [299, "delivered", 1],
    [302, "failed", 3],
    [410, "failed", 3],
  ])("whose response is %i is %s after %i attempts", async (statusCode, outcome, attempts) => {
    const { service, receiver } = await startBoth(() => statusCode, { deliveries: soon });

    const [delivery] = await service.emit(created).finished;

    expect(delivery).toMatchObject({ outcome, attempts, statusCode, url: receiver.url });
    expect(receiver.notifications).toHaveLength(attempts);
  });

  it("has the same id and a new timestamp in each attempt, at the url of that moment", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const respond = (_: unknown, count: number) => {
      vi.setSystemTime(1_000_000 + count * 1_000);
      service.updateWebhook(1, { url: `${receiver.url}/moved` });
      return count < 3 ? 503 : 200;
    };
    const { receiver, service, secret } = await startBoth(respond, { deliveries: soon });

    const { id, finished } = service.emit(created);
    await finished;

    const { notifications } = receiver;
    const bodies = notifications.map((notification) => verified(notification, secret));
    const times = notifications.map(({ headers }) => headers["webhook-timestamp"]);
    expect(bodies).toMatchObject([1, 2, 3].map((attempt) => ({ id, metadata: { attempt } })));
    expect(times).toEqual(["1000", "1001", "1002"]);
    expect(notifications.map(({ path }) => path)).toEqual(["/", "/moved", "/moved"]);
  });

  it("says why there was no response, without the address", async () => {
    const deliveries = { retryWaitsSeconds: [] };
    const patient = await startService({ deliveries });
    await patient.subscribe(`${await refusedUrl()}/secret-path`);
    const hasty = await startBoth(never, { deliveries: { ...deliveries, timeoutSeconds: 0.05 } });

    const ended = [patient, hasty.service].map((service) => service.emit(created).finished);

    expect((await Promise.all(ended)).flat()).toMatchObject([
      { outcome: "failed", problem: "no response (ECONNREFUSED)" },
      { outcome: "failed", problem: "no response within 0.05 s" },
    ]);
  });

  it("has at most maxConcurrent attempts in flight", async () => {
    const gate = Promise.withResolvers<number>();
    const { receiver, service } = await startBoth(() => gate.promise, {
      deliveries: { maxConcurrent: 3 },
    });

    const events = Array.from({ length: 10 }, () => service.emit(created));
    await expect.poll(() => receiver.notifications).toHaveLength(3);
    await service.list();
    const inFlight = receiver.notifications.length;
    gate.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect([inFlight, receiver.notifications.length]).toEqual([3, 10]);
  });

  it("is dropped for good when its webhook is switched off, unless it is in flight", async () => {
    const gate = Promise.withResolvers<number>();
    const answer = (_: unknown, count: number) => (count === 1 ? 500 : gate.promise);
    const deliveries = { maxConcurrent: 1, retryWaitsSeconds: [60] };
    const { receiver, service } = await startBoth(answer, { deliveries });
    const events = Array.from({ length: 3 }, () => service.emit(created));
    await expect.poll(() => receiver.notifications).toHaveLength(2);

    service.updateWebhook(1, { active: false });
    service.updateWebhook(1, { active: true });
    events.push(service.emit(created));
    gate.resolve(200);
    const ended = await Promise.all(events.map(({ finished }) => finished));

    const attempts = ended.map(([delivery]) => `${delivery?.outcome} ${delivery?.attempts}`);
    expect(attempts).toEqual(["dropped 1", "delivered 1", "dropped 0", "delivered 1"]);
    expect(receiver.notifications).toHaveLength(3);
  });

  it("goes with deliverTo to another origin, with the path and query of the webhook", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ deliveries: { deliverTo: receiver.url } });
    await service.subscribe("https://hooks.invalid//host/orders/1?key=2");

    await service.emit(created).finished;

    expect(receiver.notifications).toMatchObject([{ path: "//host/orders/1?key=2" }]);
  });

  it("fails alone when the url of its webhook is none", async () => {
    const { service } = await startBoth(undefined, { deliveries: { retryWaitsSeconds: [] } });
    await service.create({ body: webhookBody() });
    service.updateWebhook(2, { url: "no URL" });

    const deliveries = await service.emit(created).finished;

    const failed = { outcome: "failed", problem: "no response (ERR_INVALID_URL)" };
    expect(deliveries).toMatchObject([{ outcome: "delivered" }, failed]);
  });

  it("can be waited for", async () => {
    const gate = Promise.withResolvers<number>();
    const { receiver, service } = await startBoth(() => gate.promise);
    await service.subscribe(receiver.url, { events: ["record.deleted"] });
    const waits = [
      service.nextDelivery({ type: "record.deleted" }),
      service.nextDelivery({ webhookId: 2 }),
      service.nextDelivery({ where: ({ event }) => event.tableId === "tbl_1" }),
    ];
    const changes = [{}, { type: "record.deleted" }, { tableId: "tbl_1" }];

    for (const change of changes) {
      service.emit({ ...created, ...change });
    }
    gate.resolve(200);

    expect((await Promise.all(waits)).map(({ number }) => number)).toEqual([2, 2, 3]);
  });

  it("is kept up to maxRequests, and is pending until it is over", async () => {
    const gate = Promise.withResolvers<number>();
    const { service } = await startBoth(() => gate.promise, { maxRequests: 2 });

    const events = [1, 2, 3].map(() => service.emit(created));
    const { pending } = service.counts;
    gate.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect(service.deliveries.map(({ number }) => number)).toEqual([2, 3]);
    expect([pending, service.counts.pending]).toEqual([3, 0]);
  });

  it("ends with the service: its promises are rejected", async () => {
    const { receiver, service } = await startBoth(never);
    const inFlight = service.emit(created);
    await expect.poll(() => receiver.notifications).toHaveLength(1);
    const next = service.nextDelivery();

    await service.close();

    await expect(inFlight.finished).rejects.toThrow("closed before the delivery was over");
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("onLog", () => {
  it("is called with each request, event and attempt, in their order", async () => {
    const log: LogEntry[] = [];
    const texts: string[] = [];
    const textOf = (entry: LogEntry) => {
      switch (entry.type) {
        case "request":
          return `${entry.request.method} ${entry.request.statusCode}`;
        case "event":
          return `event for ${entry.event.deliveries.length}`;
        case "delivery":
          return `attempt ${entry.delivery.attempts} ${entry.delivery.outcome}`;
      }
    };
    const onLog = (entry: LogEntry) => {
      log.push(entry);
      texts.push(textOf(entry));
    };
    const { service } = await startBoth(failOnce, { deliveries: soon, onLog });

    await service.emit(created).finished;

    const attempts = ["attempt 1 pending", "attempt 2 delivered"];
    expect(texts).toEqual(["POST 201", "event for 1", ...attempts]);
    expect(log[0]).toEqual({ type: "request", request: service.requests[0] });
  });
});

/** Starts a receiver, and a service with a webhook for it. */
async function startBoth(respond?: Respond, options?: LocalServiceOptions) {
  const receiver = await startReceiver(respond);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const service = await startService(options);
  return { receiver, service, secret: await service.subscribe(receiver.url) };
}

function verified({ rawBody, headers }: ReceivedNotification, secret = "") {
  return new Webhook(secret).verify(rawBody, headers as Record<string, string>);
}

function id(prefix: string): unknown {
  return expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{24}$`));
}
