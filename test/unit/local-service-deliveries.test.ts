import { Webhook } from "standardwebhooks";
import { expect, it, onTestFinished, vi } from "vitest";
import { eventTypes } from "../../src/common/event-types.ts";
import {
  type LocalServiceOptions,
  type NewEvent,
  respondWith,
} from "../../src/local-service/index.ts";
import { refusedUrl } from "../helpers/http-server.ts";
import { startService, statusCodesOf, webhookBody } from "../helpers/local-service.ts";
import { type ReceivedNotification, startReceiver } from "../helpers/receiver.ts";

const recordCreated = { type: "record.created", databaseId: "base_1" };
const path = "/_local/bases/base_1/events";
const emission = { method: "POST", path, body: { type: "record.created" } } as const;
// 16.1 * 1000 is no integer in floating point, and such a timeout must work too.
const twoQuickRetries = { deliveries: { retryWaitsSeconds: [0.01, 0.02], timeoutSeconds: 16.1 } };
const never = () => new Promise<number>(() => {});

it("Emitting an event delivers it to the active webhooks of its database, event type and table", async () => {
  const { receiver, service, webhookId } = await startWithReceiver();
  service.updateWebhook(webhookId, { active: false });
  await service.subscribe(`${receiver.url}/all-tables`);
  await service.subscribe(`${receiver.url}/tbl_1`, { tableId: "tbl_1" });
  await service.subscribe(`${receiver.url}/tbl_2`, { tableId: "tbl_2" });
  await service.subscribe(`${receiver.url}/deletions`, { events: ["record.deleted"] });
  await service.create({ databaseId: "base_2", body: webhookBody({ url: receiver.url }) });
  const receivedPaths = () => receiver.notifications.map(({ path }) => path).toSorted();

  await service.emit(recordCreated).finished;
  const withoutTable = receivedPaths();
  await service.emit({ ...recordCreated, tableId: "tbl_1" }).finished;

  expect(withoutTable).toEqual(["/all-tables"]);
  expect(receivedPaths()).toEqual(["/all-tables", "/all-tables", "/tbl_1"]);
});

it("Emitting an event sends JSON with a Standard Webhooks signature, and the user info of the webhook's URL", async () => {
  const { receiver, service, webhookId, secret } = await startWithReceiver();
  service.updateWebhook(webhookId, { url: receiver.url.replace("://", "://us%C3%A9r:p%40ss@") });
  const data = { recordIds: ["rec_1"], records: [{ id: "rec_1", data: { Name: "Größe ✓" } }] };

  const event = service.emit({ ...recordCreated, tableId: "tbl_1", data, id: "evt_given" });
  await event.finished;

  const [received] = receiver.notifications;
  const authorization = `Basic ${Buffer.from("usér:p@ss").toString("base64")}`;
  const webhook = { webhookId, organizationId: "org_local", baseId: "base_1" };
  expect(received?.headers).toMatchObject({ "content-type": "application/json", authorization });
  expect(verified(received, secret)).toEqual({
    id: "evt_given",
    type: "record.created",
    timestamp: event.timestamp,
    data: { tableId: "tbl_1", ...data },
    metadata: { ...webhook, attempt: 1, source: "local-service" },
  });
});

it.each(eventTypes)("An event has sample data and a new id by default: %s", async (type) => {
  const service = await startService();
  const event = { type, databaseId: "base_1", tableId: "tbl_1" };
  const [subject = ""] = type.split(".");

  const { id, data } = service.emit(event);

  expect(id).not.toBe(service.emit(event).id);
  const { tableId, ...sample } = data;
  expect(tableId).toBe("tbl_1");
  // Such as `recordIds` for a record, `table` for a table and `fieldId` for a field.
  expect(Object.keys(sample).join()).toContain(subject);
});

it("Emitting an event throws a TypeError that names every invalid field of the event", async () => {
  const service = await startService();
  const event = { type: "record.creatd", databaseId: "", tableId: "", data: 7, id: "evt 1" };

  const emit = () => service.emit(event as object as NewEvent);

  expect(emit).toThrow(TypeError);
  expect(emit).toThrow(
    /type .*record\.created\?\); databaseId must.*; tableId .*; data .*; id must/,
  );
});

it("An emission over HTTP is for the database of its path, and no rate limit or interceptor applies to it", async () => {
  const service = await startService({ rateLimit: { requestsPerSecond: 0.001 } });
  await service.subscribe(refusedUrl);
  const webhookId = service.webhooks[0]?.id;
  service.use(respondWith(500));

  const response = await service.send({ ...emission, body: { ...emission.body, databaseId: "b" } });

  expect(response).toMatchObject({ statusCode: 202, json: { deliveries: [{ webhookId }] } });
});

it("An emission over HTTP needs a valid event of at most 1 MiB, and a key with access", async () => {
  const service = await startService({ apiKeys: { "of-all": "*", "of-base_2": ["base_2"] } });

  const responses = [
    await service.send({ ...emission, body: "x".repeat(1024 * 1024) }),
    await service.send({ ...emission, body: "x".repeat(1024 * 1024 + 1) }),
    await service.send({ ...emission, apiKey: "of-base_2" }),
  ];

  // A key without access to a database gets the same response as for one that does not exist.
  expect(statusCodesOf(responses)).toEqual([400, 413, 404]);
});

it.each([
  { statusCode: 299, outcome: "delivered", attempts: 1 },
  { statusCode: 302, outcome: "failed", attempts: 3 },
])("A delivery that gets $statusCode is $outcome in attempt $attempts", async (expected) => {
  const { service, receiver } = await startWithReceiver(() => expected.statusCode, twoQuickRetries);

  const [delivery] = await service.emit(recordCreated).finished;

  expect(delivery).toMatchObject({ ...expected, url: receiver.url });
  expect(receiver.notifications).toHaveLength(expected.attempts);
});

it("A delivery has the same id in each attempt, the time of the attempt and the webhook's new URL", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const moveAndFail = () => {
    vi.setSystemTime(Date.now() + 1_000);
    service.updateWebhook(webhookId, { url: `${receiver.url}/moved` });
    return 503;
  };
  const started = await startWithReceiver(moveAndFail, twoQuickRetries);
  const { receiver, service, webhookId, secret } = started;

  const { id, finished } = service.emit(recordCreated);
  await finished;

  const attempts = receiver.notifications.map((notification) => ({
    id: notification.headers["webhook-id"],
    path: notification.path,
    sentAt: notification.headers["webhook-timestamp"],
    body: verified(notification, secret),
  }));
  expect(attempts).toMatchObject([
    { id, path: "/", sentAt: "1000", body: { id, metadata: { attempt: 1 } } },
    { id, path: "/moved", sentAt: "1001", body: { id, metadata: { attempt: 2 } } },
    { id, path: "/moved", sentAt: "1002", body: { id, metadata: { attempt: 3 } } },
  ]);
});

it("A delivery has the problem of its last attempt, and not the status code of an earlier one", async () => {
  const failFirst = (_: unknown, count: number) => (count === 1 ? 503 : never());
  const deliveries = { retryWaitsSeconds: [0.01], timeoutSeconds: 0.5 };
  const { service } = await startWithReceiver(failFirst, { deliveries });

  const [delivery] = await service.emit(recordCreated).finished;

  expect(delivery).toMatchObject({ outcome: "failed", problem: "no response within 0.5 s" });
  expect(delivery).not.toHaveProperty("statusCode");
});

it("A delivery is dropped for good when its webhook is switched off, unless an attempt is in flight", async () => {
  const response = Promise.withResolvers<number>();
  const failFirst = (_: unknown, count: number) => (count === 1 ? 500 : response.promise);
  const deliveries = { retryWaitsSeconds: [60] };
  const started = await startWithReceiver(failFirst, { deliveries });
  const { receiver, service, webhookId } = started;
  const waitingForRetry = service.emit(recordCreated);
  await expect.poll(() => service.deliveries[0]?.retryInSeconds).toBe(60);
  const inFlight = service.emit(recordCreated);
  await expect.poll(() => receiver.notifications).toHaveLength(2);

  service.updateWebhook(webhookId, { active: false });
  service.updateWebhook(webhookId, { active: true });
  const later = service.emit(recordCreated);
  response.resolve(200);

  expect(await waitingForRetry.finished).toMatchObject([{ outcome: "dropped", attempts: 1 }]);
  expect(await inFlight.finished).toMatchObject([{ outcome: "delivered", attempts: 1 }]);
  expect(await later.finished).toMatchObject([{ outcome: "delivered", attempts: 1 }]);
});

it("A delivery is dropped when its webhook is deleted", async () => {
  const deliveries = { retryWaitsSeconds: [60] };
  const started = await startWithReceiver(() => 500, { deliveries });
  const { receiver, service, webhookId } = started;
  await service.subscribe(receiver.url);
  const { finished } = service.emit(recordCreated);
  await expect.poll(() => receiver.notifications).toHaveLength(2);

  await service.delete(webhookId);
  service.removeWebhook(webhookId + 1);

  expect(await finished).toMatchObject([{ outcome: "dropped" }, { outcome: "dropped" }]);
});

it("A delivery goes to the origin in deliverTo, with the path and query of the webhook's URL", async () => {
  await using receiver = await startReceiver();
  const service = await startService({ deliveries: { deliverTo: receiver.url } });
  // A path that begins with "//" must not be taken for a host.
  await service.subscribe("https://hooks.invalid//host/orders/1?key=2");

  await service.emit(recordCreated).finished;

  expect(receiver.notifications).toMatchObject([{ path: "//host/orders/1?key=2" }]);
});

it("nextDelivery waits for the end of a delivery that matches", async () => {
  const { receiver, service, webhookId } = await startWithReceiver();
  await service.subscribe(receiver.url, { events: ["record.deleted"] });
  const deliveries = Promise.all([
    service.nextDelivery((delivery) => delivery.webhookId === webhookId + 1),
    service.nextDelivery(({ event }) => event.tableId === "tbl_1"),
  ]);

  await service.emit(recordCreated).finished;
  await service.emit({ ...recordCreated, type: "record.deleted" }).finished;
  await service.emit({ ...recordCreated, tableId: "tbl_1" }).finished;

  // Delivery 2 goes to the second webhook, and deliveries 1 and 3 go to the first.
  expect(await deliveries).toMatchObject([{ number: 2 }, { number: 3 }]);
});

it("The promise `finished` of an event rejects when the service closes before the delivery finishes", async () => {
  const { receiver, service } = await startWithReceiver(never);
  const { finished } = service.emit(recordCreated);
  await expect.poll(() => receiver.notifications).toHaveLength(1);

  await service.close();

  await expect(finished).rejects.toThrow("closed before the delivery finished");
});

/** Starts a receiver, and a service with a webhook that subscribes the receiver to `record.created`. */
async function startWithReceiver(
  respond?: Parameters<typeof startReceiver>[0],
  options?: LocalServiceOptions,
) {
  const receiver = await startReceiver(respond);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const service = await startService(options);
  const secret = await service.subscribe(receiver.url);
  return { receiver, service, secret, webhookId: service.webhooks[0]?.id ?? 0 };
}

/** Returns the body of a notification if its signature is valid. */
function verified(notification: ReceivedNotification | undefined, secret: string): unknown {
  const { rawBody = "", headers } = notification ?? {};
  return new Webhook(secret).verify(rawBody, headers as Record<string, string>);
}
