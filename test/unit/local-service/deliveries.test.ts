import { createRequire } from "node:module";
import net, { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventTypes } from "../../../src/common/event-types.ts";
import type { LocalServiceOptions, NewEvent } from "../../../src/local-service/index.ts";
import {
  notificationHeaders,
  pathsIn,
  problemsOfNotification,
  schemas,
} from "../../helpers/api-document.ts";
import { changeWebhook } from "../../helpers/faults/faults.mts";
import { refusedUrl } from "../../helpers/http-server.ts";
import { startService, statusCodesOf, webhookBody } from "../../helpers/local-service.ts";
import { signatureOf, startReceiver } from "../../helpers/receiver.ts";
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

it("An emission sends the documented headers and body, and the user info of the webhook's URL", async () => {
  const { receiver, service, webhookId, secret } = await startWithReceiver();
  changeWebhook(service, webhookId, { url: receiver.url.replace("://", "://us%C3%A9r:p%40ss@") });
  const data = { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] };

  const { id } = await service.emit({ ...recordCreated, tableId: "tbl_1", data, id: "evt_given" });

  const { headers, body, rawBody } = onlyOne(receiver.notifications);
  const webhook = { webhookId, organizationId: 1, baseId: "base_1" };
  expect(id).toBe("evt_given");
  const ofEveryRequest = ["authorization", "connection", "content-length", "content-type", "host"];
  const names = [...ofEveryRequest, "user-agent", ...notificationHeaders];
  // A secret in any other header would be a leak.
  expect(Object.keys(headers).toSorted()).toEqual(names.toSorted());
  expect(headers).toMatchObject({
    authorization: `Basic ${Buffer.from("usér:p@ss").toString("base64")}`,
    "content-type": "application/json",
    "user-agent": "pulumi-dbwebhooks-local-service",
    "x-webhook-event": "record.created",
    "x-webhook-id": id,
    "x-webhook-signature": signatureOf(rawBody, secret),
  });
  expect(body).toEqual({
    id,
    type: "record.created",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    data: { tableId: "tbl_1", ...data },
    metadata: { ...webhook, attempt: 1, source: "public_api" },
  });
});

it("A notification is verified by its bytes, and by its parsed body that JavaScript writes anew", async () => {
  const { receiver, service, secret } = await startWithReceiver();
  const data = { z: 'a\n {"b":1}', 2: "ü✓\u2028\ud800", none: {}, tiny: 1e-7, zero: -0 };

  await service.emit({ ...recordCreated, data });

  const { headers, body, rawBody } = onlyOne(receiver.notifications);
  const signatures = [rawBody, JSON.stringify(body)].map((text) => signatureOf(text, secret));
  const given = headers["x-webhook-signature"];
  expect(signatures).toEqual([given, given]);
});

it("A notification of 256 KB arrives complete", async () => {
  const { receiver, service, secret } = await startWithReceiver();

  const { deliveries } = await service.emit({
    ...recordCreated,
    data: { text: "x".repeat(256_000) },
  });

  const { headers, rawBody } = onlyOne(receiver.notifications);
  expect(deliveries).toMatchObject([{ delivered: true }]);
  expect(headers["x-webhook-signature"]).toBe(signatureOf(rawBody, secret));
});

it.each(eventTypes)("A notification of %s has the described fields and a new id", async (type) => {
  await using receiver = await startReceiver();
  const service = await startService();
  const secret = await service.subscribe(receiver.url, { events: [type] });
  const event = { type, databaseId: "base_1", tableId: "tbl_1" };
  const startedAt = new Date().toISOString();

  const emitted = [await service.emit(event), await service.emit(event)];

  const ids = emitted.map(({ id }) => id);
  const { notifications } = receiver;
  const uuid = /^evt_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
  expect(new Set(ids).size).toBe(2);
  expect(ids).toEqual(Array(2).fill(expect.stringMatching(uuid)));
  expect(notifications.map(({ body }) => body.id)).toEqual(ids);
  expect(notifications.flatMap(problemsOfNotification)).toEqual([]);
  for (const { headers, body, rawBody } of notifications) {
    expect(body.timestamp >= startedAt).toBe(true);
    const names = Object.keys(body.data);
    expect(body.data.tableId).toBe("tbl_1");
    expect(names.some((name) => name.startsWith("previous"))).toBe(type.endsWith("updated"));
    // As the documentation of the named service verifies, and as the pages recommend.
    const signatures = [JSON.stringify(body), rawBody].map((text) => signatureOf(text, secret));
    expect(signatures).toEqual(Array(2).fill(headers["x-webhook-signature"]));
  }
});

it.each(["record", "table", "field"])(
  "The events of a %s have one form, besides the values before an update",
  async (subject) => {
    const types = ["created", "updated", "deleted"].map((change) => `${subject}.${change}`);
    const bodies = await Promise.all(types.map((type) => bodyOf({ type })));

    const names = bodies.map(({ data }) =>
      Object.keys(data).filter((name) => !name.startsWith("previous")),
    );
    expect(names).toEqual(Array(3).fill(names[0]));
    expect(names[0]).toContain(subject === "record" ? "records" : subject);
  },
);

it("An update has the ids of its subject, and values before it that differ", async () => {
  const dataOf = async (type: string) => (await bodyOf({ type })).data;
  const records = await dataOf("record.updated");
  const { tableId, table, previousTable } = await dataOf("table.updated");
  const { fieldId, field, previousField } = await dataOf("field.updated");

  const [id] = records.recordIds;
  expect([records.records, records.previousRecords]).toMatchObject([[{ id }], [{ id }]]);
  expect([table, previousTable]).toMatchObject([{ id: tableId }, { id: tableId }]);
  const type = "single_line_text";
  expect([field, previousField]).toMatchObject(Array(2).fill({ id: fieldId, type }));
  expect(records.previousRecords).not.toEqual(records.records);
  expect(previousTable).not.toEqual(table);
  expect(previousField).not.toEqual(field);
});

it("The notifications of all events have every field that the document describes", async () => {
  const bodies = await Promise.all(eventTypes.map((type) => bodyOf({ type })));

  const sent = new Set(bodies.flatMap(pathsOf));
  // The values of a record have the names of its fields.
  const isOfValues = (path: string) => /ecords\.data\./.test(path);
  expect([...sent].filter((path) => !isOfValues(path)).toSorted()).toEqual(
    pathsIn(schemas.Notification).toSorted(),
  );
});

it("Emitting an event rejects with a TypeError that names every invalid field of the event", async () => {
  const service = await startService();
  const event = { type: "record.creatd", databaseId: "", tableId: "", data: 7, id: "evt 1" };

  const emitted = service.emit(event as object as NewEvent);

  await expect(emitted).rejects.toThrow(TypeError);
  await expect(emitted).rejects.toThrow(
    /type .*record\.created, .*; databaseId must.*; tableId .*; data .*; id must/,
  );
});

it("Emitting an event rejects if its type cannot be sent in a header", async () => {
  const service = await startService({ allowUnknownEvents: true });

  const emitted = service.emit({ ...recordCreated, type: "no.event\n" });

  await expect(emitted).rejects.toThrow("type must be an event type");
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

it.each([
  ["holds a BigInt", { large: 1n }],
  ["is nested too deep", JSON.parse(`${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`)],
])("A delivery says that its data cannot be sent if it %s", async (_case, data) => {
  const { service, receiver } = await startWithReceiver();

  const { deliveries } = await service.emit({ ...recordCreated, data });

  const problem = expect.stringMatching("data cannot be sent");
  expect(deliveries).toMatchObject([{ delivered: false, problem }]);
  expect(receiver.notifications).toEqual([]);
});

it("A delivery fails when the receiver has not responded for 30 s", async () => {
  const { receiver, service, webhookId } = await startWithReceiver(never);
  useFakeClock();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const hasEnded = vi.fn();
  const emitted = service.emit(recordCreated).finally(hasEnded);
  await expect.poll(() => receiver.notifications).toHaveLength(1);

  await vi.advanceTimersByTimeAsync(29_900);
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
    const { type } = await bodyOf({ type: "no.event" }, { allowUnknownEvents: true });

    expect(type).toBe("no.event");
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

  it.each([
    { userInfo: "token", credentials: "token:" },
    // A percent sign that encodes nothing.
    { userInfo: "user:100%", credentials: "user:100%" },
  ])("carries the user info $userInfo of a receiver's URL", async ({ userInfo, credentials }) => {
    const { receiver, service, webhookId } = await startWithReceiver();
    changeWebhook(service, webhookId, { url: receiver.url.replace("://", `://${userInfo}@`) });

    await service.emit(recordCreated);

    const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
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

/** Returns the path of every field of a value, without those of lists. */
function pathsOf(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(pathsOf);
  }
  return typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, one]) => [
        name,
        ...pathsOf(one).map((path) => `${name}.${path}`),
      ]);
}

function onlyOne<Element>(list: readonly Element[]): Element {
  expect(list).toHaveLength(1);
  return list[0] as Element;
}
