import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import type { LocalService, LocalServiceOptions } from "../../src/local-service/index.js";
import { createWebhook, send, startService, webhookBody } from "../helpers/local-service.js";
import { type ReceivedNotification, startReceiver } from "../helpers/receiver.js";

const created = { type: "record.created", databaseId: "base_1" };

describe("emitting an event", () => {
  it("reaches every active webhook of the database that selects it, by the table rule", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    const webhooks: [string, object, string?][] = [
      ["all-tables", {}],
      ["this-table", { tableId: "tbl_1" }],
      ["other-table", { tableId: "tbl_2" }],
      ["other-event", { events: ["record.deleted"] }],
      ["both-events", { events: ["record.deleted", "record.created"] }],
      ["other-database", {}, "base_2"],
      ["inactive", {}],
    ];
    for (const [path, changes, databaseId = "base_1"] of webhooks) {
      const body = webhookBody({ url: `${receiver.url}/${path}`, ...changes });
      await createWebhook(service, { databaseId, body });
    }
    service.updateWebhook(7, { active: false });
    const pathsAfter = async (event: typeof created & { tableId?: string }) => {
      const before = receiver.notifications.length;
      await service.emit(event).finished;
      return receiver.notifications
        .slice(before)
        .map(({ path }) => path)
        .sort();
    };

    expect(await pathsAfter({ ...created, tableId: "tbl_1" })).toEqual([
      "/all-tables",
      "/both-events",
      "/this-table",
    ]);
    expect(await pathsAfter(created)).toEqual(["/all-tables", "/both-events"]);
    expect(service.deliveries.map(({ webhookId }) => webhookId)).toEqual([1, 2, 5, 1, 5]);
  });

  it("sends a POST with the event as JSON, signed with each secret by Standard Webhooks", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    const secrets = [
      await subscribe(service, receiver.url),
      await subscribe(service, receiver.url),
    ];
    const data = { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] };

    const event = service.emit({ ...created, tableId: "tbl_1", data });
    await event.finished;

    expect(event.id).toMatch(/^evt_[0-9a-f]{24}$/);
    for (const [index, secret] of secrets.entries()) {
      const ofWebhook = (id: number) =>
        receiver.notifications.find(({ body }) => body.metadata.webhookId === id);
      const notification = ofWebhook(index + 1);
      expect(notification?.headers).toMatchObject({
        "content-type": "application/json",
        "webhook-id": event.id,
      });
      expect(verified(secret, notification)).toEqual({
        id: event.id,
        type: "record.created",
        timestamp: new Date(event.timestamp).toISOString(),
        data: { tableId: "tbl_1", ...data },
        metadata: {
          webhookId: index + 1,
          organizationId: "org_local",
          baseId: "base_1",
          attempt: 1,
          source: "local-service",
        },
      });
      expect(() => verified(secret, ofWebhook(2 - index))).toThrow("No matching signature");
    }
  });

  describe.each([undefined, "tbl_1"])("without data, about table %s", (tableId) => {
    const field = { id: id("fld"), name: expect.any(String), type: "text" };
    const records = {
      recordIds: [id("rec")],
      records: [{ id: id("rec"), data: expect.any(Object) }],
    };
    const table = { table: { id: tableId ?? id("tbl"), name: "A sample" } };

    it.each([
      ["record.created", records],
      ["record.updated", records],
      ["record.deleted", { recordIds: [id("rec")] }],
      ["table.created", table],
      ["table.updated", table],
      ["table.deleted", table],
      ["field.created", { fieldId: id("fld"), field }],
      ["field.updated", { fieldId: id("fld"), field, previousField: field }],
      ["field.deleted", { fieldId: id("fld"), field }],
    ])("has a whole sample for %s", async (type, data) => {
      const service = await startService();

      const event = service.emit({ ...created, type, ...(tableId && { tableId }) });

      // biome-ignore lint/suspicious/noExplicitAny: its fields depend on the type.
      const sample = event.data as any;
      expect(sample).toEqual({ tableId: tableId ?? id("tbl"), ...data });
      expect(sample.records?.[0].id).toBe(sample.records && sample.recordIds[0]);
      expect(sample.table?.id).toBe(sample.table && sample.tableId);
      for (const { id } of [sample.field, sample.previousField].filter(Boolean)) {
        expect(id).toBe(sample.fieldId);
      }
      expect(sample.previousField?.name).not.toBe(sample.field?.name ?? null);
    });
  });

  it("takes an id and a clock of the caller's", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ now: () => Date.UTC(2030, 0, 1) });
    await subscribe(service, receiver.url);

    const event = service.emit({ ...created, id: "evt_again" });
    await event.finished;

    expect(event).toMatchObject({ id: "evt_again", timestamp: "2030-01-01T00:00:00.000Z" });
    expect(receiver.notifications).toMatchObject([
      {
        body: { id: "evt_again" },
        headers: { "webhook-id": "evt_again", "webhook-timestamp": "1893456000" },
      },
    ]);
  });

  it.each([
    [{ type: "record.exploded" }, "type is not an event kind of this service; the nearest is re"],
    [{ type: undefined }, "type must be an event kind"],
    [{ databaseId: "" }, "databaseId must be a non-empty string"],
    [{ tableId: "" }, "tableId must be a non-empty string"],
    [{ data: [] }, "data must be a JSON object"],
    [{ id: "evt 1" }, "id must be 1 to 256 visible ASCII characters"],
    [{ id: "" }, "id must be 1 to 256 visible ASCII characters"],
  ])("refuses %j and delivers nothing", async (changes, problem) => {
    const service = await startService();
    await createWebhook(service);

    expect(() => service.emit({ ...created, ...changes } as typeof created)).toThrow(problem);
    expect(service.deliveries).toEqual([]);
  });

  it("takes an event kind outside the interface with allowUnknownEvents", async () => {
    const service = await startService({ allowUnknownEvents: true });

    const event = service.emit({ ...created, type: "view.created" });

    expect(event).toMatchObject({ type: "view.created", data: {}, deliveries: [] });
  });
});

describe("emitting an event over HTTP", () => {
  const path = "/_local/bases/base_1/events";
  const event = { type: "record.created" };

  it("answers 200 with the deliveries when they are over in the time to wait", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ pathPrefix: "/tables/eu" });
    await subscribe(service, `${receiver.url}/secret-path`);

    const { statusCode, json } = await post(service, `${path}?wait=60`, event);

    expect([statusCode, json]).toEqual([
      200,
      {
        id: receiver.notifications[0]?.body.id,
        deliveries: [{ webhookId: 1, outcome: "delivered", attempts: 1, statusCode: 204 }],
      },
    ]);
  });

  it("answers 202 at once without a time to wait, and then delivers", async () => {
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => gate.promise);
    const service = await startService();
    await subscribe(service, receiver.url);

    const { statusCode, json } = await post(service, path, event);
    const delivery = service.nextDelivery();
    gate.resolve(200);

    expect([statusCode, json.deliveries]).toMatchObject([202, [{ outcome: "pending" }]]);
    expect(await delivery).toMatchObject({ outcome: "delivered" });
  });

  it("answers 202 when the time to wait is over first", async () => {
    await using receiver = await startReceiver(() => 500);
    const service = await startService();
    await subscribe(service, receiver.url);

    const { statusCode, json } = await post(service, `${path}?wait=0.2`, event);

    expect([statusCode, json.deliveries]).toMatchObject([202, [{ outcome: "pending" }]]);
  });

  const someKey = { apiKeys: { all: "*", some: ["base_2"] } } as const;
  const badWait = "wait must be a number of seconds, 0 to 600.";
  const badClock = () => {
    throw new Error("a bad clock");
  };

  it.each<[number, string, unknown, string?, string?, LocalServiceOptions?]>([
    [400, "Invalid event: type is not an event kind of this service; the ne", { type: "record.c" }],
    [400, "Invalid event: type must be an event kind.", "not JSON"],
    [400, "Invalid event: data must be a JSON object.", { ...event, data: 7 }],
    [400, badWait, event, "?wait=-1"],
    [400, badWait, event, "?wait=601"],
    [400, badWait, event, "?wait=soon"],
    [401, "A known API key is required", event, "", "wrong", someKey],
    [404, "Webhook not found", event, "", "some", someKey],
    [500, "The local service failed: a bad clock", event, "", "local-api-key", { now: badClock }],
  ])(
    "refuses with %i %s, and tells onRequest alone",
    async (status, problem, body, query = "", apiKey = undefined, options = {}) => {
      const heard: unknown[] = [];
      const service = await startService({
        ...options,
        onRequest: (request) => heard.push(request),
      });

      const { statusCode, json } = await post(service, path + query, body, apiKey);

      expect(statusCode).toBe(status);
      expect(json.error.message).toContain(problem);
      expect(heard).toMatchObject([
        {
          number: 0,
          method: "POST",
          path: path + query,
          databaseId: "base_1",
          statusCode: status,
          outcome: "answered",
        },
      ]);
      expect([service.deliveries, service.requests, service.counts.requests]).toEqual([[], [], 0]);
    },
  );

  it("is no request of the interface: not logged, not limited, without faults; its path decides", async () => {
    const heard: unknown[] = [];
    const service = await startService({
      rateLimit: { requestsPerSecond: 0.001 },
      faults: [{ fault: { kind: "respond", statusCode: 500 } }],
      onRequest: (request) => heard.push(request),
      onEvent: ({ databaseId }) => heard.push(databaseId),
    });

    await post(service, path, { ...event, databaseId: "base_2" });
    const { statusCode, json } = await post(service, path, event);

    expect([statusCode, json.deliveries]).toEqual([200, []]);
    expect(heard).toEqual(["base_1", "base_1"]);
    expect([service.requests, service.counts.requests]).toEqual([[], 0]);
  });
});

async function subscribe(service: LocalService, url: string): Promise<string> {
  return (await createWebhook(service, { body: webhookBody({ url }) })).json.secret;
}

function verified(secret: string, notification: ReceivedNotification | undefined): unknown {
  const headers = notification?.headers as Record<string, string>;
  return new Webhook(secret).verify(notification?.rawBody ?? "", headers);
}

function post(service: LocalService, path: string, body: unknown, apiKey = service.apiKey) {
  return send(service, { method: "POST", path, body, apiKey });
}

function id(prefix: string): unknown {
  return expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{24}$`));
}
