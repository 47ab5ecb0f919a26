import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { DeliveryStore } from "../../src/local-service/data/delivery-store.js";
import type { LocalServiceOptions } from "../../src/local-service/index.js";
import { refusedUrl, startRawServer } from "../helpers/http-server.js";
import { startService, temporaryFile, webhookBody } from "../helpers/local-service.js";
import { type ReceivedNotification, startReceiver } from "../helpers/receiver.js";

type Answer = Parameters<typeof startReceiver>[0];

const created = { type: "record.created", databaseId: "base_1" };
const soon = { retryWaitsSeconds: [0.01, 0.02] };
const never = () => new Promise<number>(() => {});
const failOnce = (_: unknown, count: number) => (count === 1 ? 500 : 200);

describe("emitting an event", () => {
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

describe("emitting an event over HTTP", () => {
  const path = "/_local/bases/base_1/events";
  const event = { type: "record.created" };
  const post = (query: string, body: unknown, changes = {}) =>
    ({ method: "POST", path: path + query, body, ...changes }) as const;

  it("answers 200 with the deliveries when they are over in the time to wait, else 202", async () => {
    const answer = ({ path }: { path: string }) => (path === "/never" ? 500 : 204);
    const { receiver, service } = await startBoth(answer, { pathPrefix: "/tables/eu" });
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

  const someKey = { apiKeys: { all: "*", some: ["base_2"] } } as const;

  it.each<[number, string, object, string?, LocalServiceOptions?]>([
    [400, "type is not an event kind of this service; the ne", { body: { type: "record.c" } }],
    [400, "type must be an event kind.", { body: "not JSON" }],
    [400, "data must be a JSON object.", { body: { ...event, data: 7 } }],
    [400, "tableId must be a non-empty string.", { body: { ...event, tableId: "" } }],
    [400, "id must be 1 to 256 visible ASCII characters.", { body: { ...event, id: "evt 1" } }],
    [400, "wait must be a number of seconds, 0 to 600.", {}, "?wait=601"],
    [401, "A known API key is required", { apiKey: "wrong" }, "", someKey],
    [404, "Webhook not found", { apiKey: "some" }, "", someKey],
    [500, "The local service failed: Expected", {}, "", { now: () => JSON.parse("{") }],
  ])("refuses with %i %s", async (statusCode, problem, changes, query = "", options = {}) => {
    const heard: unknown[] = [];
    const onRequest = (request: unknown) => heard.push(request);
    const service = await startService({ ...options, onRequest });

    const answer = await service.send(post(query, event, changes));

    expect(answer.statusCode).toBe(statusCode);
    expect(answer.json.error.message).toContain(problem);
    const refused = { number: 0, method: "POST", path: path + query, databaseId: "base_1" };
    expect(heard).toMatchObject([{ ...refused, statusCode, outcome: "answered" }]);
    expect([service.deliveries, service.requests, service.counts.requests]).toEqual([[], [], 0]);
  });

  it("is no request of the interface: not logged, not limited, without faults; its path decides", async () => {
    const heard: unknown[] = [];
    const service = await startService({
      rateLimit: { requestsPerSecond: 0.001 },
      faults: [{ fault: { kind: "respond", statusCode: 500 } }],
      onRequest: (request) => heard.push(request),
      onEvent: ({ databaseId }) => heard.push(databaseId),
    });

    await service.send(post("", { ...event, databaseId: "base_2" }));
    const { statusCode, json } = await service.send(post("", event));

    expect([statusCode, json.deliveries]).toEqual([200, []]);
    expect(heard).toEqual(["base_1", "base_1"]);
    expect([service.requests, service.counts.requests]).toEqual([[], 0]);
  });
});

describe("delivering", () => {
  it.each([
    [299, "delivered", 1],
    [302, "failed", 3],
    [410, "failed", 3],
  ])("ends, when the answer is %i, as %s at attempt %i", async (statusCode, outcome, attempts) => {
    const { service, receiver } = await startBoth(() => statusCode, { deliveries: soon });

    const [delivery] = await service.emit(created).finished;

    expect(delivery).toMatchObject({ outcome, attempts, statusCode, url: receiver.url });
    expect(receiver.notifications).toHaveLength(attempts);
  });

  it("signs each attempt, repeats the id of the event, and follows a webhook that moves", async () => {
    let ms = Date.now() - 60_000;
    const now = () => {
      ms += 1_000;
      return ms;
    };
    const answer = (_: unknown, count: number) => (count < 3 ? 503 : 200);
    const { receiver, service, secret } = await startBoth(answer, { deliveries: soon, now });

    const { id, finished } = service.emit(created);
    await service.nextDelivery({ stage: "attempted" });
    service.updateWebhook(1, { url: `${receiver.url}/moved` });

    await finished;
    const { notifications } = receiver;
    const bodies = notifications.map((notification) => verified(notification, secret));
    const times = notifications.map(({ headers }) => headers["webhook-timestamp"]);
    expect(bodies).toMatchObject([1, 2, 3].map((attempt) => ({ id, metadata: { attempt } })));
    expect(new Set(times).size).toBe(3);
    expect(notifications.map(({ path }) => path)).toEqual(["/", "/moved", "/moved"]);
  });

  it("says why there was no answer, also in time, without the address", async () => {
    const deliveries = { retryWaitsSeconds: [] };
    const patient = await startService({ deliveries });
    await patient.subscribe(`${await refusedUrl()}/secret-path`);
    const hasty = await startBoth(never, { deliveries: { ...deliveries, timeoutSeconds: 0.05 } });

    const ended = [patient, hasty.service].map((service) => service.emit(created).finished);

    expect((await Promise.all(ended)).flat()).toMatchObject([
      { outcome: "failed", problem: "no answer (ECONNREFUSED)" },
      { outcome: "failed", problem: "no answer within 0.05 s" },
    ]);
  });

  it("has at most maxConcurrent attempts at one url, and no url waits for another", async () => {
    const gate = Promise.withResolvers<number>();
    const answer = ({ path }: { path: string }) => (path === "/b" ? 204 : gate.promise);
    const { receiver, service } = await startBoth(answer, { deliveries: { maxConcurrent: 3 } });
    await service.subscribe(receiver.url);
    await service.subscribe(`${receiver.url}/b`);
    const countOf = (path: string) =>
      receiver.notifications.filter((one) => one.path === path).length;

    const events = Array.from({ length: 10 }, () => service.emit(created));
    await expect.poll(() => [countOf("/"), countOf("/b")]).toEqual([3, 10]);
    gate.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect(countOf("/")).toBe(20);
  });

  it("is dropped unless it is in flight when its webhook is switched off, and for good", async () => {
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

  it("goes to another origin with deliverTo, and is given up, alone, when that is impossible", async () => {
    const errors: string[] = [];
    const onError = ({ message }: Error) => errors.push(message);
    await using receiver = await startReceiver();
    const service = await startService({ deliveries: { deliverTo: receiver.url }, onError });
    await service.subscribe(receiver.url);
    await service.subscribe("https://hooks.invalid//host/orders/1?key=2");
    service.updateWebhook(1, { url: "no URL" });

    const { id, finished } = service.emit(created);

    const failed = { outcome: "failed", problem: "the local service failed" };
    expect(await finished).toMatchObject([failed, { outcome: "delivered" }]);
    expect(receiver.notifications).toMatchObject([{ path: "//host/orders/1?key=2" }]);
    expect(errors).toEqual([`The delivery of ${id} to webhook 1 cannot go on: Invalid URL`]);
  });

  it("calls the listeners of the options, and goes on when they fail", async () => {
    const heard: string[] = [];
    const fail = (message: string) => {
      throw new Error(message);
    };
    const { service } = await startBoth(failOnce, {
      deliveries: soon,
      onRequest: ({ method, statusCode }) => fail(`${method} ${statusCode}`),
      // TypeScript takes an async function, too.
      onEvent: async ({ type, deliveries }) => fail(`${type} for ${deliveries.length}`),
      onDelivery: ({ attempts, outcome }) => fail(`${attempts} ${outcome}`),
      onError: ({ message }) => heard.push(message),
    });

    const deliveries = await service.emit(created).finished;

    expect(heard).toEqual(["POST 201", "record.created for 1", "1 pending", "2 delivered"]);
    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
  });

  it("can be waited for; the log keeps the newest, the counts all", async () => {
    const gate = Promise.withResolvers<number>();
    const { receiver, service } = await startBoth(() => gate.promise, { maxRequests: 2 });
    await service.subscribe(receiver.url, { events: ["record.deleted"] });
    const waits = [
      service.nextDelivery({ type: "record.deleted" }),
      service.nextDelivery({ webhookId: 2 }),
      service.nextDelivery({ where: ({ event }) => event.tableId === "tbl_1" }),
    ];
    const failing = service.nextDelivery({ where: () => JSON.parse("{") });
    const changes = [{}, { type: "record.deleted" }, { tableId: "tbl_1" }];

    const emitted = changes.map((change) => service.emit({ ...created, ...change }));
    const { pending } = service.counts;
    gate.resolve(200);

    expect((await Promise.all(waits)).map(({ number }) => number)).toEqual([2, 2, 3]);
    await expect(failing).rejects.toThrow(SyntaxError);
    await Promise.all(emitted.map(({ finished }) => finished));
    expect(service.deliveries.map(({ number }) => number)).toEqual([2, 3]);
    expect([pending, service.counts.pending]).toEqual([3, 0]);
  });
});

describe("closing", () => {
  it("leaves what is in flight to the next start with the file, under its number", async () => {
    const data = temporaryFile();
    await using mute = await startReceiver(never);
    await using receiver = await startReceiver();
    const first = await startService({ data, deliveries: { retryWaitsSeconds: [0] } });
    await first.subscribe(mute.url);
    const event = first.emit(created);
    await expect.poll(() => mute.notifications).toHaveLength(1);
    const late = first.nextDelivery();

    await first.close();
    const second = await startService({ data, deliveries: { deliverTo: receiver.url } });
    await second.nextDelivery();

    await expect(event.finished).rejects.toThrow("was closed before the delivery was over");
    await expect(late).rejects.toThrow("was closed before the delivery was over");
    expect(receiver.notifications.map(({ body }) => body.id)).toEqual([event.id]);
    expect(second.deliveries).toMatchObject([{ number: 1, outcome: "delivered" }]);
  });

  it.each([
    ["delete", [1, 2]],
    ["postpone", [2]],
  ] as const)("leaves to it after a failing %s the deliveries %j", async (statement, left) => {
    const data = temporaryFile();
    const errors: string[] = [];
    const onError = ({ message }: Error) => errors.push(message);
    const method = vi.spyOn(DeliveryStore.prototype, statement).mockImplementationOnce(() => {
      throw new Error("disk is full");
    });
    onTestFinished(() => method.mockRestore());
    const { service } = await startBoth(failOnce, { data, onError, deliveries: soon });
    const deliveries = await service.emit(created).finished;
    await service.close();

    const second = await startService({ data });
    await second.emit(created).finished;

    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
    expect(errors).toEqual([expect.stringMatching(/ could not be recorded, .*: disk is full$/)]);
    expect(second.deliveries.map(({ number }) => number)).toEqual(left);
  });

  it("counts a 2xx that has begun as delivered", async () => {
    await using receiver = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n.");
    });
    const service = await startService();
    await service.subscribe(receiver.url);
    const { finished } = service.emit(created);
    await expect.poll(() => receiver.requests).toHaveLength(1);
    // The service reads the head of the answer in a turn of its own.
    await service.list();

    await service.close();

    expect(await finished).toMatchObject([{ outcome: "delivered" }]);
    expect(service.counts.pending).toBe(0);
  });
});

/** Starts a receiver, and a service with a webhook for it. */
async function startBoth(answer?: Answer, options?: LocalServiceOptions) {
  const receiver = await startReceiver(answer);
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
