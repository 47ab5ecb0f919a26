import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import type { LocalService, LocalServiceOptions } from "../../src/local-service/index.js";
import {
  createWebhook,
  send,
  startService,
  subscribe,
  webhookBody,
} from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

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

    await service.emit({ ...created, tableId: "tbl_1" }).finished;
    const paths = receiver.notifications.map(({ path }) => path).sort();
    await service.emit(created).finished;

    expect(paths).toEqual(["/all-tables", "/both-events", "/this-table"]);
    expect(service.deliveries.map(({ webhookId }) => webhookId)).toEqual([1, 2, 5, 1, 5]);
  });

  it("sends a POST with the event as JSON, signed with each secret by Standard Webhooks", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    const url = receiver.url.replace("://", "://us%C3%A9r:p%40ss@");
    const secrets = [await subscribe(service, url), await subscribe(service, url)];
    const data = { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] };

    const event = service.emit({ ...created, tableId: "tbl_1", data, id: "evt_again" });
    await event.finished;

    expect(receiver.notifications).toHaveLength(2);
    for (const { rawBody, body, headers } of receiver.notifications) {
      const { webhookId } = body.metadata;
      const verify = (secret = "") =>
        new Webhook(secret).verify(rawBody, headers as Record<string, string>);
      expect(headers).toMatchObject({
        ...{ "content-type": "application/json", "webhook-id": "evt_again" },
        authorization: `Basic ${Buffer.from("usér:p@ss").toString("base64")}`,
      });
      expect(verify(secrets[webhookId - 1])).toEqual({
        ...{ id: "evt_again", type: "record.created", timestamp: event.timestamp },
        data: { tableId: "tbl_1", ...data },
        metadata: {
          ...{ webhookId, organizationId: "org_local", baseId: "base_1", attempt: 1 },
          source: "local-service",
        },
      });
      expect(() => verify(secrets[2 - webhookId])).toThrow("No matching signature");
    }
  });

  const field = { id: id("fld"), name: expect.any(String), type: "text" };
  const record = { id: id("rec"), data: expect.any(Object) };
  const table = { table: { id: id("tbl"), name: "A sample" } };

  it.each([
    ["record.created", { recordIds: [id("rec")], records: [record] }],
    ["record.updated", { recordIds: [id("rec")], records: [record] }],
    ["record.deleted", { recordIds: [id("rec")] }],
    ["table.created", table],
    ["table.updated", table],
    ["table.deleted", table],
    ["field.created", { fieldId: id("fld"), field }],
    ["field.updated", { fieldId: id("fld"), field, previousField: field }],
    ["field.deleted", { fieldId: id("fld"), field }],
  ])(
    "has a whole sample for %s without data, in its table or a made-up one",
    async (type, data) => {
      const service = await startService();

      for (const tableId of [undefined, `tbl_${"a".repeat(24)}`]) {
        // biome-ignore lint/suspicious/noExplicitAny: its fields depend on the type.
        const { data: sample, ...event } = service.emit({ ...created, type, tableId }) as any;
        expect(event.id).toEqual(id("evt"));
        expect(sample).toEqual({ tableId: tableId ?? id("tbl"), ...data });
        const ids = [sample.field, sample.previousField, sample.records?.[0], sample.table];
        const named = [sample.fieldId, sample.fieldId, sample.recordIds?.[0], sample.tableId];
        expect(ids.map((one, at) => one === undefined || one.id === named[at])).not.toContain(
          false,
        );
        expect(sample.previousField?.name).not.toBe(sample.field?.name ?? null);
      }
    },
  );

  it("is refused with a TypeError when it does not fit, unknown kinds without allowUnknownEvents", async () => {
    const service = await startService();
    const lenient = await startService({ allowUnknownEvents: true });
    const event = { ...created, type: "view.created" };

    expect(() => service.emit(event)).toThrow(TypeError);
    expect(lenient.emit(event)).toMatchObject({ ...event, data: {}, deliveries: [] });
  });
});

describe("emitting an event over HTTP", () => {
  const path = "/_local/bases/base_1/events";
  const event = { type: "record.created" };
  const post = (service: LocalService, query: string, body: unknown, changes = {}) =>
    send(service, { method: "POST", path: path + query, body, ...changes });

  it("answers 200 with the deliveries when they are over in the time to wait, else 202", async () => {
    await using receiver = await startReceiver(({ path }) => (path === "/never" ? 500 : 204));
    const service = await startService({ pathPrefix: "/tables/eu" });
    await subscribe(service, `${receiver.url}/secret-path`);
    await subscribe(service, `${receiver.url}/never`, { events: ["record.deleted"] });

    const delivered = await post(service, "?wait=60", event);
    const late = await post(service, "?wait=0.1", { type: "record.deleted" });
    const hurried = await post(service, "", { type: "record.deleted" });

    expect([delivered.statusCode, delivered.json]).toEqual([
      200,
      {
        id: receiver.notifications[0]?.body.id,
        deliveries: [{ webhookId: 1, outcome: "delivered", attempts: 1, statusCode: 204 }],
      },
    ]);
    for (const { statusCode, json } of [late, hurried]) {
      expect([statusCode, json.deliveries]).toMatchObject([202, [{ outcome: "pending" }]]);
    }
  });

  const someKey = { apiKeys: { all: "*", some: ["base_2"] } } as const;
  const badClock = () => {
    throw new Error("a bad clock");
  };

  it.each<[number, string, object, string?, LocalServiceOptions?]>([
    [400, "type is not an event kind of this service; the ne", { body: { type: "record.c" } }],
    [400, "type must be an event kind.", { body: "not JSON" }],
    [400, "data must be a JSON object.", { body: { ...event, data: 7 } }],
    [400, "tableId must be a non-empty string.", { body: { ...event, tableId: "" } }],
    [400, "id must be 1 to 256 visible ASCII characters.", { body: { ...event, id: "evt 1" } }],
    [400, "wait must be a number of seconds, 0 to 600.", {}, "?wait=601"],
    [400, "wait must be a number of seconds, 0 to 600.", {}, "?wait=soon"],
    [401, "A known API key is required", { apiKey: "wrong" }, "", someKey],
    [404, "Webhook not found", { apiKey: "some" }, "", someKey],
    [500, "The local service failed: a bad clock", {}, "", { now: badClock }],
  ])(
    "refuses with %i %s, and tells onRequest alone",
    async (statusCode, problem, changes, query = "", options = {}) => {
      const heard: unknown[] = [];
      const onRequest = (request: unknown) => heard.push(request);
      const service = await startService({ ...options, onRequest });

      const answer = await post(service, query, event, changes);

      expect(answer.statusCode).toBe(statusCode);
      expect(answer.json.error.message).toContain(problem);
      const refused = { number: 0, method: "POST", path: path + query, databaseId: "base_1" };
      expect(heard).toMatchObject([{ ...refused, statusCode, outcome: "answered" }]);
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

    await post(service, "", { ...event, databaseId: "base_2" });
    const { statusCode, json } = await post(service, "", event);

    expect([statusCode, json.deliveries]).toEqual([200, []]);
    expect(heard).toEqual(["base_1", "base_1"]);
    expect([service.requests, service.counts.requests]).toEqual([[], 0]);
  });
});

function id(prefix: string): unknown {
  return expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{24}$`));
}
