import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import type { LocalService } from "../../src/local-service/index.js";
import { createWebhook, send, startService, webhookBody } from "../helpers/local-service.js";
import { type ReceivedNotification, startReceiver } from "../helpers/receiver.js";

describe("emitting an event", () => {
  it("tells every active subscription of the database that selects it, by the table rule", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    const subscribe = (name: string, changes: object, databaseId = "base_1") =>
      createWebhook(service, {
        databaseId,
        body: webhookBody({ url: `${receiver.url}/${name}`, ...changes }),
      });
    await subscribe("all-tables", {});
    await subscribe("this-table", { tableId: "tbl_1" });
    await subscribe("other-table", { tableId: "tbl_2" });
    await subscribe("other-event", { events: ["record.deleted"] });
    await subscribe("both-events", { events: ["record.deleted", "record.created"] });
    await subscribe("other-database", {}, "base_2");
    await subscribe("inactive", {});
    service.updateWebhook(7, { active: false });

    const deliveries = await service.emit({ ...created, tableId: "tbl_1" }).finished;
    const ofTable = pathsOf(receiver.notifications);
    await service.emit(created).finished;
    const ofNoTable = pathsOf(receiver.notifications.slice(ofTable.length));

    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual([1, 2, 5]);
    expect(ofTable).toEqual(["/all-tables", "/both-events", "/this-table"]);
    expect(ofNoTable).toEqual(["/all-tables", "/both-events"]);
  });

  it("sends a POST with the event as JSON", async () => {
    const { event, notification } = await emitOne({
      ...created,
      tableId: "tbl_1",
      data: { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] },
    });

    expect(notification.headers["content-type"]).toBe("application/json");
    expect(notification.body).toEqual({
      id: event.id,
      type: "record.created",
      timestamp: event.timestamp,
      data: {
        tableId: "tbl_1",
        recordIds: ["rec_1"],
        records: [{ id: "rec_1", data: { Name: "Größe ✓" } }],
      },
      metadata: {
        webhookId: 1,
        organizationId: "org_local",
        baseId: "base_1",
        attempt: 1,
        source: "local-service",
      },
    });
    expect(event.id).toMatch(/^evt_[0-9a-f]{24}$/);
    expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
  });

  it("signs the raw body with the secret of each subscription, by Standard Webhooks", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    const secrets = [
      await subscribe(service, receiver.url),
      await subscribe(service, receiver.url),
    ];

    const event = service.emit(created);
    await event.finished;

    const ofWebhook = (id: number) =>
      receiver.notifications.find(({ body }) => body.metadata.webhookId === id);
    for (const [index, secret] of secrets.entries()) {
      const notification = ofWebhook(index + 1);
      expect(notification?.headers["webhook-id"]).toBe(event.id);
      expect(verified(secret, notification)).toEqual(notification?.body);
      expect(() => verified(secret, ofWebhook(2 - index))).toThrow("No matching signature");
    }
  });

  describe.each([undefined, "tbl_1"])("without data, about table %s", (tableId) => {
    const field = { id: id("fld"), name: expect.any(String), type: "text" };

    it.each([
      [
        "record.created",
        { recordIds: [id("rec")], records: [{ id: id("rec"), data: anything() }] },
      ],
      [
        "record.updated",
        { recordIds: [id("rec")], records: [{ id: id("rec"), data: anything() }] },
      ],
      ["record.deleted", { recordIds: [id("rec")] }],
      ["table.created", { table: { id: tableId ?? id("tbl"), name: "A sample" } }],
      ["table.updated", { table: { id: tableId ?? id("tbl"), name: "A sample" } }],
      ["table.deleted", { table: { id: tableId ?? id("tbl"), name: "A sample" } }],
      ["field.created", { fieldId: id("fld"), field }],
      ["field.updated", { fieldId: id("fld"), field, previousField: field }],
      ["field.deleted", { fieldId: id("fld"), field }],
    ])("sends a whole sample for %s", async (type, data) => {
      const event = { ...created, type, ...(tableId && { tableId }) };
      const { notification } = await emitOne(event, [type]);

      const { data: sample } = notification.body;
      expect(sample).toEqual({ tableId: tableId ?? id("tbl"), ...data });
      expect(sample.records?.[0].id).toBe(sample.records && sample.recordIds[0]);
      expect(sample.table?.id).toBe(sample.table && sample.tableId);
      for (const { id } of [sample.field, sample.previousField].filter(Boolean)) {
        expect(id).toBe(sample.fieldId);
      }
      expect(sample.previousField?.name).not.toBe(sample.field?.name ?? null);
    });
  });

  it("takes an id of the caller's, for receivers that drop repetitions", async () => {
    const { event, notification } = await emitOne({ ...created, id: "evt_again" });

    expect([event.id, notification.body.id, notification.headers["webhook-id"]]).toEqual(
      Array(3).fill("evt_again"),
    );
  });

  it("takes a clock of the caller's", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ now: () => Date.UTC(2030, 0, 1) });
    await subscribe(service, receiver.url);

    const event = service.emit(created);
    await event.finished;

    expect(event.timestamp).toBe("2030-01-01T00:00:00.000Z");
    expect(receiver.notifications[0]?.headers["webhook-timestamp"]).toBe("1893456000");
  });

  it.each([
    [{ type: "record.exploded" }, "type is not an event kind of this service; the nearest is re"],
    [{ type: undefined }, "type must be an event kind"],
    [{ databaseId: "" }, "databaseId must be a non-empty string"],
    [{ tableId: "" }, "tableId must be a non-empty string"],
    [{ data: [] }, "data must be a JSON object"],
    [{ id: "evt 1" }, "id must be 1 to 256 visible ASCII characters"],
    [{ id: "" }, "id must be 1 to 256 visible ASCII characters"],
  ])("refuses %j and tells nobody", async (changes, problem) => {
    const service = await startService();
    await createWebhook(service);

    expect(() => service.emit({ ...created, ...changes } as typeof created)).toThrow(problem);
    expect(service.deliveries).toEqual([]);
  });

  it("takes an event kind outside the interface with allowUnknownEvents", async () => {
    const service = await startService({ allowUnknownEvents: true });

    expect(service.emit({ ...created, type: "view.created" })).toMatchObject({
      type: "view.created",
      data: {},
      deliveries: [],
    });
  });
});

describe("emitting an event over HTTP", () => {
  const path = "/_local/bases/base_1/events";

  it("answers 200 with the deliveries when they are over in the time to wait", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    await subscribe(service, `${receiver.url}/secret-path`);

    const answer = await post(service, `${path}?wait=60`, { type: "record.created" });

    expect(answer).toMatchObject({ statusCode: 200 });
    expect(answer.json).toEqual({
      id: receiver.notifications[0]?.body.id,
      deliveries: [{ webhookId: 1, outcome: "delivered", attempts: 1, statusCode: 204 }],
    });
  });

  it("answers 202 at once without a time to wait, and then delivers", async () => {
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => gate.promise);
    const service = await startService();
    await subscribe(service, receiver.url);

    const answer = await post(service, path, { type: "record.created" });
    const delivery = service.nextDelivery();
    gate.resolve(200);

    expect(answer.statusCode).toBe(202);
    expect(answer.json.deliveries).toMatchObject([{ webhookId: 1, outcome: "pending" }]);
    expect(await delivery).toMatchObject({ outcome: "delivered" });
  });

  it("answers 202 when the time to wait is over first", async () => {
    await using receiver = await startReceiver(() => 500);
    const service = await startService();
    await subscribe(service, receiver.url);

    const answer = await post(service, `${path}?wait=0.2`, { type: "record.created" });

    expect(answer.statusCode).toBe(202);
    expect(answer.json.deliveries).toMatchObject([{ outcome: "pending", statusCode: 500 }]);
  });

  it("answers 200 with no deliveries when nobody subscribed", async () => {
    const service = await startService();

    const { statusCode, json } = await post(service, path, { type: "record.created" });

    expect(statusCode).toBe(200);
    expect(json).toEqual({ id: expect.stringMatching(/^evt_/), deliveries: [] });
  });

  it.each([
    [{ type: "record.creatd" }, "Invalid event: type is not an event kind of this service; the ne"],
    ["not JSON", "Invalid event: type must be an event kind."],
    [{ type: "record.created", data: 7 }, "Invalid event: data must be a JSON object."],
  ])("refuses %j with 400", async (body, problem) => {
    const { statusCode, json } = await post(await startService(), path, body);

    expect(statusCode).toBe(400);
    expect(json.error.message).toContain(problem);
  });

  it.each(["-1", "601", "soon"])("refuses to wait %s seconds with 400", async (wait) => {
    const { statusCode, json } = await post(await startService(), `${path}?wait=${wait}`, {});

    expect(statusCode).toBe(400);
    expect(json.error.message).toBe("wait must be a number of seconds, 0 to 600.");
  });

  it("takes the database of the path, whatever the body says", async () => {
    const service = await startService({ apiKeys: { some: ["base_1"] } });
    await createWebhook(service);

    await post(service, path, { type: "record.created", databaseId: "base_2" });

    expect(service.deliveries[0]?.event.databaseId).toBe("base_1");
  });

  it("wants a key that may use the database", async () => {
    const service = await startService({ apiKeys: { all: "*", some: ["base_2"] } });
    await createWebhook(service);

    const unknown = await post(service, path, { type: "record.created" }, "wrong");
    const elsewhere = await post(service, path, { type: "record.created" }, "some");

    expect([unknown.statusCode, elsewhere.statusCode]).toEqual([401, 404]);
    expect(service.deliveries).toEqual([]);
  });

  it("is no request of the interface: not logged, not limited, without faults", async () => {
    const service = await startService({
      rateLimit: { requestsPerSecond: 0.001 },
      faults: [{ fault: { kind: "respond", statusCode: 500 } }],
    });

    await post(service, path, { type: "record.created" });
    const { statusCode } = await post(service, path, { type: "record.created" });

    expect(statusCode).toBe(200);
    expect(service.requests).toEqual([]);
    expect(service.counts.requests).toBe(0);
  });

  it("is told to onRequest when it is refused, and only then", async () => {
    const heard: unknown[] = [];
    const service = await startService({
      apiKeys: { some: ["base_1"] },
      onRequest: ({ number, method, path, databaseId, statusCode, outcome }) =>
        heard.push([number, method, path, databaseId, statusCode, outcome]),
    });
    const elsewhere = "/_local/bases/base_2/events";

    await post(service, path, { type: "record.created" });
    await post(service, path, { type: "record.created" }, "wrong");
    await post(service, elsewhere, { type: "record.created" });
    await post(service, path, { type: "record.creatd" });
    await post(service, `${path}?wait=soon`, { type: "record.created" });

    expect(heard).toEqual([
      [0, "POST", path, "base_1", 401, "answered"],
      [0, "POST", elsewhere, "base_2", 404, "answered"],
      [0, "POST", path, "base_1", 400, "answered"],
      [0, "POST", `${path}?wait=soon`, "base_1", 400, "answered"],
    ]);
    expect(service.requests).toEqual([]);
    expect(service.counts.requests).toBe(0);
  });

  it("is told to onRequest when the service fails", async () => {
    const heard: unknown[] = [];
    const service = await startService({
      now: () => {
        throw new Error("a bad clock");
      },
      onRequest: ({ statusCode }) => heard.push(statusCode),
    });

    await post(service, path, { type: "record.created" });

    expect(heard).toEqual([500]);
  });

  it("stands behind the path prefix", async () => {
    const service = await startService({ pathPrefix: "/tables/eu" });

    expect((await post(service, path, { type: "record.created" })).statusCode).toBe(200);
  });
});

const created = { type: "record.created", databaseId: "base_1" };

async function subscribe(service: LocalService, url: string, events = ["record.created"]) {
  const { json } = await createWebhook(service, { body: webhookBody({ url, events }) });
  return json.secret as string;
}

async function emitOne(newEvent: Parameters<LocalService["emit"]>[0], events?: string[]) {
  await using receiver = await startReceiver();
  const service = await startService();
  await subscribe(service, receiver.url, events);
  const event = service.emit(newEvent);
  await event.finished;
  return { event, notification: receiver.notifications[0] as ReceivedNotification };
}

function verified(secret: string, notification: ReceivedNotification | undefined): unknown {
  const headers = notification?.headers as Record<string, string>;
  return new Webhook(secret).verify(notification?.rawBody ?? "", headers);
}

function post(service: LocalService, path: string, body: unknown, apiKey = service.apiKey) {
  return send(service, { method: "POST", path, body, apiKey });
}

function pathsOf(notifications: readonly ReceivedNotification[]): string[] {
  return notifications.map(({ path }) => path).sort();
}

function id(prefix: string): unknown {
  return expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{24}$`));
}

function anything(): unknown {
  return expect.any(Object);
}
