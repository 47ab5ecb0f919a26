import { createRequire } from "node:module";
import net, { Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { LocalServiceOptions, NewEvent } from "../../../src/local-service/index.ts";
import { changeWebhook } from "../../helpers/faults/faults.mts";
import { refusedUrl } from "../../helpers/http-server.ts";
import { startService, statusCodesOf, webhookBody } from "../../helpers/local-service.ts";
import { type ReceivedNotification, startReceiver } from "../../helpers/receiver.ts";
import { pendingWork, useFakeClock } from "../../helpers/transport.ts";

/** The clock of the timeouts of connections. */
const clockOfUndici = createRequire(__filename)("undici/lib/util/timers.js");

const recordCreated = { type: "record.created", databaseId: "base_1" };
const path = "/_local/bases/base_1/events";
const emission = { method: "POST", path, body: { type: "record.created" } } as const;
const never = () => new Promise<number>(() => {});

it("Emitting an event delivers it to the active webhooks of its database, event type and table", async () => {
  const { receiver, service, webhookId } = await startWithReceiver();
  changeWebhook(service, webhookId, { active: false });
  await service.subscribe(`${receiver.url}/all-tables`);
  await service.subscribe(`${receiver.url}/tbl_1`, { tableId: "tbl_1" });
  await service.subscribe(`${receiver.url}/tbl_2`, { tableId: "tbl_2" });
  await service.subscribe(`${receiver.url}/deletions`, { events: ["record.deleted"] });
  await service.create({ databaseId: "base_2", body: webhookBody({ url: receiver.url }) });
  const receivedPaths = () => receiver.notifications.map(({ path }) => path).toSorted();

  await service.emit(recordCreated);
  const withoutTable = receivedPaths();
  await service.emit({ ...recordCreated, tableId: "tbl_1" });

  expect(withoutTable).toEqual(["/all-tables"]);
  expect(receivedPaths()).toEqual(["/all-tables", "/all-tables", "/tbl_1"]);
});

it("The table of an event decides which webhooks get it, whatever table its data names", async () => {
  const { receiver, service } = await startWithReceiver();
  await service.subscribe(`${receiver.url}/tbl_1`, { tableId: "tbl_1" });
  await service.subscribe(`${receiver.url}/tbl_2`, { tableId: "tbl_2" });

  await service.emit({ ...recordCreated, tableId: "tbl_1", data: { tableId: "tbl_2" } });

  expect(receiver.notifications.map(({ path }) => path).toSorted()).toEqual(["/", "/tbl_1"]);
});

it("An emission sends JSON with a Standard Webhooks signature, and the user info of the webhook's URL", async () => {
  const { receiver, service, webhookId, secret } = await startWithReceiver();
  changeWebhook(service, webhookId, { url: receiver.url.replace("://", "://us%C3%A9r:p%40ss@") });
  const data = { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] };

  const { id } = await service.emit({ ...recordCreated, tableId: "tbl_1", data, id: "evt_given" });

  const [received] = receiver.notifications;
  const authorization = `Basic ${Buffer.from("usér:p@ss").toString("base64")}`;
  const webhook = { webhookId, organizationId: "org_local", baseId: "base_1" };
  expect(id).toBe("evt_given");
  expect(received?.headers).toMatchObject({ "content-type": "application/json", authorization });
  expect(verified(received, secret)).toEqual({
    id,
    type: "record.created",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    data: { tableId: "tbl_1", ...data },
    metadata: { ...webhook, attempt: 1, source: "local-service" },
  });
});

it("Only the bytes of a notification match its signature, so that a receiver of its parsed JSON fails", async () => {
  const { receiver, service, secret } = await startWithReceiver();

  await service.emit({ ...recordCreated, data: { text: 'a\n {"b":1}', none: {} } });

  const [received] = receiver.notifications;
  const body = JSON.stringify(received?.body);
  expect(verified(received, secret)).toEqual(received?.body);
  expect(() => verified(received && { ...received, rawBody: body }, secret)).toThrow();
  expect(received?.rawBody).toContain('"data": {"text": "a\\n {\\"b\\":1}","none": {}}');
});

it.each(["record.created", "table.created", "field.created"])(
  "An event has sample data and a new id by default: %s",
  async (type) => {
    await using receiver = await startReceiver();
    const service = await startService();
    await service.subscribe(receiver.url, { events: [type] });
    const event = { type, databaseId: "base_1", tableId: "tbl_1" };
    const [subject = ""] = type.split(".");

    const emitted = [await service.emit(event), await service.emit(event)];

    const ids = emitted.map(({ id }) => id);
    const bodies = receiver.notifications.map(({ body }) => body);
    expect(ids[0]).not.toBe(ids[1]);
    expect(bodies.map(({ id }) => id)).toEqual(ids);
    const { tableId, ...sample } = bodies[0].data;
    expect(tableId).toBe("tbl_1");
    // Such as `recordIds` for a record, `table` for a table and `fieldId` for a field.
    expect(Object.keys(sample).join()).toContain(subject);
  },
);

it("Emitting an event rejects with a TypeError that names every invalid field of the event", async () => {
  const service = await startService();
  const event = { type: "record.creatd", databaseId: "", tableId: "", data: 7, id: "evt 1" };

  const emitted = service.emit(event as object as NewEvent);

  await expect(emitted).rejects.toThrow(TypeError);
  await expect(emitted).rejects.toThrow(
    /type .*record\.created, .*; databaseId must.*; tableId .*; data .*; id must/,
  );
});

it("An emission over HTTP is for the database in its path, and returns deliveries", async () => {
  const service = await startService();
  await service.subscribe(`${refusedUrl}/T0KEN`);
  const webhookId = service.webhooks[0]?.id;

  const response = await service.send({ ...emission, body: { ...emission.body, databaseId: "b" } });

  const delivery = { webhookId, delivered: false, problem: "no response (ECONNREFUSED)" };
  expect(response.statusCode).toBe(200);
  expect(response.json).toEqual({ id: expect.stringMatching(/^evt_/), deliveries: [delivery] });
  expect(response.text).toMatch(/}\n$/);
});

it("An emission over HTTP needs a valid event of at most 1 MiB, and a known key", async () => {
  const service = await startService();

  const responses = [
    await service.send({ ...emission, body: "x".repeat(1024 * 1024) }),
    await service.send({ ...emission, body: "x".repeat(1024 * 1024 + 1) }),
    await service.send({ ...emission, apiKey: "unknown" }),
  ];

  expect(statusCodesOf(responses)).toEqual([400, 413, 401]);
});

it.each([
  { statusCode: 299, delivered: true },
  { statusCode: 302, delivered: false },
  { statusCode: 503, delivered: false },
])("A delivery is one request, and has the outcome $delivered after $statusCode", async (row) => {
  const { service, receiver, webhookId } = await startWithReceiver(() => row.statusCode);

  const { deliveries } = await service.emit(recordCreated);

  expect(deliveries).toEqual([{ webhookId, ...row }]);
  expect(receiver.notifications).toHaveLength(1);
});

it("A delivery fails when the receiver has not responded for 15 s", async () => {
  const { receiver, service, webhookId } = await startWithReceiver(never);
  useFakeClock();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const hasEnded = vi.fn();
  const emitted = service.emit(recordCreated).finally(hasEnded);
  await expect.poll(() => receiver.notifications).toHaveLength(1);

  await vi.advanceTimersByTimeAsync(14_900);
  await pendingWork();
  const endsBefore = hasEnded.mock.calls.length;
  await vi.advanceTimersByTimeAsync(200);

  expect(endsBefore).toBe(0);
  expect((await emitted).deliveries).toMatchObject([{ webhookId, delivered: false }]);
});

it("A delivery goes to the origin in deliverTo, with its user info, and with the path and query of the webhook's URL", async () => {
  await using receiver = await startReceiver();
  const { host } = new URL(receiver.url);
  const service = await startService({ deliverTo: `http://user:word@${host}/unused` });
  // A path that begins with "//" must not be taken for a host.
  await service.subscribe("https://hooks.invalid//host/orders/1?key=2");

  await service.emit(recordCreated);

  const authorization = `Basic ${Buffer.from("user:word").toString("base64")}`;
  const path = "//host/orders/1?key=2";
  expect(receiver.notifications).toMatchObject([{ path, headers: { authorization } }]);
});

it("A delivery in flight ends when the service closes, and says so", async () => {
  const { receiver, service } = await startWithReceiver(never);
  const emitted = service.emit(recordCreated);
  await expect.poll(() => receiver.notifications).toHaveLength(1);

  await service.close();

  const problem = "no response (UND_ERR_DESTROYED)";
  expect((await emitted).deliveries).toMatchObject([{ delivered: false, problem }]);
});

describe("A notification", () => {
  it("has an event type that is not documented if the service allows such types", async () => {
    const { type } = await bodyOf({ type: "view.created" }, { allowUnknownEvents: true });

    expect(type).toBe("view.created");
  });

  it("of record.updated has the records in its sample data", async () => {
    const { data } = await bodyOf({ type: "record.updated" });

    expect(data.records).toEqual([{ id: data.recordIds[0], data: expect.any(Object) }]);
  });

  it.each([{ tableId: "tbl_1" }, {}])(
    "has one table in its sample data, that of the event if it has one: %j",
    async (table) => {
      const { data } = await bodyOf({ type: "table.created", ...table });

      expect(data).toMatchObject({ ...table, table: { id: data.tableId } });
    },
  );

  it("names the table of its data, even if the event names another", async () => {
    const data = { tableId: "tbl_2" };

    const body = await bodyOf({ type: "record.created", tableId: "tbl_1", data });

    expect(body.data).toEqual(data);
  });

  it("carries the user name of a receiver's URL that has no password", async () => {
    const { receiver, service, webhookId } = await startWithReceiver();
    changeWebhook(service, webhookId, { url: receiver.url.replace("://", "://token@") });

    await service.emit(recordCreated);

    const authorization = `Basic ${Buffer.from("token:").toString("base64")}`;
    expect(receiver.notifications).toMatchObject([{ headers: { authorization } }]);
  });

  it("waits for a receiver that takes 12 s to accept the connection", async () => {
    const { receiver, service } = await startWithReceiver();
    const socket = new Socket();
    using connect = vi.spyOn(net, "connect").mockReturnValue(socket);

    const emitted = service.emit(recordCreated);
    await expect.poll(() => connect.mock.calls).toHaveLength(1);
    // The first tick starts the timeout of the connection.
    clockOfUndici.tick();
    clockOfUndici.tick(12_000);
    await pendingWork();
    socket.connect(Number(new URL(receiver.url).port), "127.0.0.1");

    expect((await emitted).deliveries).toMatchObject([{ delivered: true }]);
  });
});

/** Emits an event to a receiver that subscribes to its type, and returns the body that it gets. */
async function bodyOf(event: Omit<NewEvent, "databaseId">, options?: LocalServiceOptions) {
  await using receiver = await startReceiver();
  const service = await startService(options);
  await service.subscribe(receiver.url, { events: [event.type] });
  await service.emit({ ...event, databaseId: "base_1" });
  return receiver.notifications[0]?.body;
}

/**
 * Starts a receiver, and a service with a webhook that subscribes the receiver to `record.created`.
 */
async function startWithReceiver(respond?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver(respond);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const service = await startService();
  const secret = await service.subscribe(receiver.url);
  return { receiver, service, secret, webhookId: service.webhooks[0]?.id ?? 0 };
}

/** Returns the body of a notification if its signature is valid. */
function verified(notification: ReceivedNotification | undefined, secret: string): unknown {
  const { rawBody = "", headers } = notification ?? {};
  return new Webhook(secret).verify(rawBody, headers as Record<string, string>);
}
