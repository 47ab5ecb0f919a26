import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DeliveryStore } from "../../src/local-service/data/delivery-store.js";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../../src/local-service/index.js";
import { refusedUrl, startRawServer } from "../helpers/http-server.js";
import { deleteWebhook, startService, subscribe, temporaryFile } from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

const created = { type: "record.created", databaseId: "base_1" };
const soon = { retryWaitsSeconds: [0.01, 0.02] };
const once = { retryWaitsSeconds: [] };
const never = () => new Promise<number>(() => {});

describe("delivering", () => {
  it.each([200, 299])("is over when the receiver answers %i", async (statusCode) => {
    await using receiver = await startReceiver(() => statusCode);
    const { url } = receiver;

    expect(await deliver(url)).toMatchObject([
      { outcome: "delivered", attempts: 1, statusCode, url },
    ]);
  });

  it.each([302, 410, 500])("is tried again after %i, then given up", async (statusCode) => {
    await using receiver = await startReceiver(() => statusCode);

    expect(await deliver(receiver.url, soon)).toMatchObject([
      { outcome: "failed", attempts: 3, statusCode },
    ]);
    expect(receiver.notifications).toHaveLength(3);
  });

  it("signs each attempt, and repeats the id of the event", async () => {
    await using receiver = await startReceiver((_, count) => (count < 3 ? 503 : 200));
    let now = Date.now() - 60_000;
    const service = await startService({ deliveries: soon, now: () => (now += 1_000) });
    const secret = await subscribe(service, receiver.url);

    const { id, finished } = service.emit(created);

    expect(await finished).toMatchObject([{ outcome: "delivered", attempts: 3, statusCode: 200 }]);
    const bodies = receiver.notifications.map(({ rawBody, headers }) =>
      new Webhook(secret).verify(rawBody, headers as Record<string, string>),
    );
    const times = receiver.notifications.map(({ headers }) => headers["webhook-timestamp"]);
    expect(bodies).toMatchObject([1, 2, 3].map((attempt) => ({ id, metadata: { attempt } })));
    expect(new Set(times).size).toBe(3);
  });

  it("says why there was no answer, also in time, without the address", async () => {
    await using mute = await startReceiver(never);

    const [refused] = await deliver(`${await refusedUrl()}/secret-path`, once);
    const [unanswered] = await deliver(mute.url, { timeoutSeconds: 0.05, ...once });

    expect(refused).toMatchObject({ outcome: "failed", problem: "no answer (ECONNREFUSED)" });
    expect(refused).not.toHaveProperty("statusCode");
    expect(unanswered).toMatchObject({ outcome: "failed", problem: "no answer within 0.05 s" });
  });

  it("sends the user info of the url as Basic authorization", async () => {
    await using receiver = await startReceiver();

    await deliver(receiver.url.replace("://", "://us%C3%A9r:p%40ss@"));

    const encoded = Buffer.from("usér:p@ss").toString("base64");
    expect(receiver.notifications[0]?.headers.authorization).toBe(`Basic ${encoded}`);
  });

  it("goes to another origin with deliverTo, with path and query", async () => {
    await using receiver = await startReceiver();

    await deliver("https://hooks.invalid//host/orders/1?key=2", { deliverTo: receiver.url });

    expect(receiver.notifications[0]?.path).toBe("//host/orders/1?key=2");
  });

  it("has at most maxConcurrent attempts at one url, and no url waits for another", async () => {
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(({ path }) =>
      path === "/held" ? gate.promise : 204,
    );
    const service = await startService({ deliveries: { maxConcurrent: 3 } });
    for (const path of ["/held", "/held", "/b"]) {
      await subscribe(service, receiver.url + path);
    }
    const countOf = (path: string) =>
      receiver.notifications.filter((one) => one.path === path).length;

    const events = Array.from({ length: 10 }, () => service.emit(created));
    await expect.poll(() => [countOf("/held"), countOf("/b")]).toEqual([3, 10]);
    gate.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect(countOf("/held")).toBe(20);
  });

  it("is dropped between two attempts when its webhook goes or is switched off", async () => {
    await using receiver = await startReceiver(() => 500);
    const service = await startService({ deliveries: { retryWaitsSeconds: [60] } });
    const attempted = [1, 2, 3].map((webhookId) =>
      service.nextDelivery({ webhookId, stage: "attempted" }),
    );
    for (const _ of attempted) {
      await subscribe(service, receiver.url);
    }
    const event = service.emit(created);
    await Promise.all(attempted);

    await deleteWebhook(service, 1);
    service.removeWebhook(2);
    service.updateWebhook(3, { active: false });

    const dropped = { outcome: "dropped", attempts: 1 };
    expect(await event.finished).toMatchObject([dropped, dropped, dropped]);
    expect(receiver.notifications).toHaveLength(3);
  });

  it("is dropped in the queue, and stays so when its webhook is switched on again", async () => {
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => {
      arrived.resolve();
      return gate.promise;
    });
    const service = await startService({ deliveries: { maxConcurrent: 1 } });
    await subscribe(service, receiver.url);
    const [inFlight, queued] = [service.emit(created), service.emit(created)];
    await arrived.promise;

    service.updateWebhook(1, { active: false });
    service.updateWebhook(1, { active: true });
    const third = service.emit(created);
    expect(await queued.finished).toMatchObject([{ outcome: "dropped", attempts: 0 }]);
    gate.resolve(200);
    await third.finished;

    expect(await inFlight.finished).toMatchObject([{ outcome: "delivered" }]);
    expect(receiver.notifications.map(({ body }) => body.id)).toEqual([inFlight.id, third.id]);
  });

  it("goes to the new url of a webhook that moved", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ deliveries: soon });
    await subscribe(service, await refusedUrl());
    const attempted = service.nextDelivery({ stage: "attempted" });
    const event = service.emit(created);
    await attempted;

    service.updateWebhook(1, { url: receiver.url });

    expect(await event.finished).toMatchObject([{ outcome: "delivered", url: receiver.url }]);
  });
});

describe("waiting for a delivery", () => {
  it("ends with the first that matches; the log keeps the newest, the counts all", async () => {
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => gate.promise);
    const service = await startService({ maxRequests: 2 });
    await subscribe(service, receiver.url);
    await subscribe(service, receiver.url, { events: ["record.deleted"] });
    const waits = [
      service.nextDelivery({ type: "record.deleted" }),
      service.nextDelivery({ webhookId: 2 }),
      service.nextDelivery({ where: ({ event }) => event.tableId === "tbl_1" }),
    ];
    const failing = service.nextDelivery({ where: () => fail() });
    const changes = [{}, { type: "record.deleted" }, { tableId: "tbl_1" }];

    const emitted = changes.map((change) => service.emit({ ...created, ...change }));
    const { pending } = service.counts;
    gate.resolve(200);

    expect((await Promise.all(waits)).map(({ number }) => number)).toEqual([2, 2, 3]);
    await expect(failing).rejects.toThrow("a bad listener");
    await Promise.all(emitted.map(({ finished }) => finished));
    expect(service.deliveries.map(({ number }) => number)).toEqual([2, 3]);
    expect([pending, service.counts.pending]).toEqual([3, 0]);
  });
});

describe("the listeners of the options", () => {
  it("are called with each request, event and attempt", async () => {
    const heard: string[] = [];
    await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));

    await deliver(receiver.url, soon, {
      onRequest: ({ method, statusCode }) => heard.push(`${method} ${statusCode}`),
      onEvent: ({ type, deliveries }) => heard.push(`${type} for ${deliveries.length}`),
      onDelivery: ({ attempts, outcome }) => heard.push(`${attempts} ${outcome}`),
    });

    expect(heard).toEqual(["POST 201", "record.created for 1", "1 pending", "2 delivered"]);
  });

  it.each([
    ["throw", fail],
    ["reject", async () => fail()],
  ])("disturb nothing when they %s", async (_, listener) => {
    const errors: string[] = [];
    await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));

    const deliveries = await deliver(receiver.url, soon, {
      ...{ onRequest: listener, onEvent: listener, onDelivery: listener },
      onError: ({ message }) => errors.push(message),
    });

    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
    expect(errors).toEqual(Array(4).fill("a bad listener"));
  });

  it("become a warning of the process without onError, and when onError throws", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => warn.mockRestore());

    for (const onError of [{}, { onError: fail }]) {
      (await startService({ onEvent: fail, ...onError })).emit(created);
    }

    expect(warn.mock.calls).toEqual(Array(2).fill([new Error("a bad listener")]));
  });
});

describe("a delivery that cannot be recorded", () => {
  it.each(["delete", "postpone"] as const)("goes on after a failing %s", async (statement) => {
    const errors: string[] = [];
    failOnce(statement);
    await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));
    const onError = ({ message }: Error) => errors.push(message);

    const deliveries = await deliver(receiver.url, soon, { onError });

    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
    expect(errors).toEqual([
      expect.stringMatching(/ to webhook 1 could not be recorded, .*: disk is full$/),
    ]);
  });

  it("is given up, and others are not, when its webhook cannot be used", async () => {
    const errors: string[] = [];
    await using receiver = await startReceiver();
    const service = await startService({
      deliveries: { deliverTo: receiver.url },
      onError: ({ message }) => errors.push(message),
    });
    await subscribe(service, receiver.url);
    await subscribe(service, receiver.url);
    service.updateWebhook(1, { url: "no URL" });

    const { id, finished } = service.emit(created);

    expect(await finished).toMatchObject([
      { outcome: "failed", problem: "the local service failed" },
      { outcome: "delivered" },
    ]);
    expect(errors).toEqual([`The delivery of ${id} to webhook 1 cannot go on: Invalid URL`]);
  });
});

describe("closing", () => {
  it("leaves what is in flight to the next start with the file, under its number", async () => {
    const data = temporaryFile();
    const arrived = Promise.withResolvers<void>();
    await using mute = await startReceiver(() => {
      arrived.resolve();
      return never();
    });
    await using receiver = await startReceiver();
    const first = await startLocalService({ data, deliveries: { retryWaitsSeconds: [0] } });
    await subscribe(first, mute.url);
    const event = first.emit(created);
    await arrived.promise;
    const late = first.nextDelivery();

    await first.close();
    const second = await startService({ data, deliveries: { deliverTo: receiver.url } });
    await second.nextDelivery();

    await expect(event.finished).rejects.toThrow("was closed before the delivery was over");
    await expect(late).rejects.toThrow("was closed before the delivery was over");
    expect(receiver.notifications.map(({ body }) => body.id)).toEqual([event.id]);
    expect(second.deliveries).toMatchObject([{ number: 1, outcome: "delivered" }]);
  });

  it("counts a 2xx that has begun as delivered", async () => {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    await using receiver = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n.", () => resolve());
    });
    const service = await startService();
    await subscribe(service, receiver.url);
    const { finished } = service.emit(created);
    await answered;
    // The service reads the head of the answer in a turn of its own.
    await deleteWebhook(service, 99);

    await service.close();

    expect(await finished).toMatchObject([{ outcome: "delivered" }]);
    expect(service.counts.pending).toBe(0);
  });

  it.each([
    ["nothing that was delivered", false, 1],
    ["what was delivered and could not be recorded", true, 2],
  ])("makes the next start repeat %s, and use no number again", async (_case, fails, notified) => {
    const data = temporaryFile();
    if (fails) {
      failOnce("delete");
    }
    await using receiver = await startReceiver();
    const first = await startLocalService({ data, onError: () => {} });
    await subscribe(first, receiver.url);
    const { id, finished } = first.emit(created);
    await finished;
    await first.close();

    const second = await startService({ data });
    await Promise.all([fails && second.nextDelivery({ where: ({ number }) => number === 1 })]);
    const again = await second.emit(created).finished;

    expect(again).toMatchObject([{ number: 2 }]);
    expect(receiver.notifications.filter(({ body }) => body.id === id)).toHaveLength(notified);
  });
});

/** Lets an event happen for one webhook of a new service, and waits for the end of its delivery. */
async function deliver(
  url: string,
  deliveries: NonNullable<LocalServiceOptions["deliveries"]> = {},
  options: LocalServiceOptions = {},
) {
  const service: LocalService = await startService({ deliveries, ...options });
  await subscribe(service, url);
  return service.emit(created).finished;
}

function fail(): never {
  throw new Error("a bad listener");
}

function failOnce(statement: "delete" | "postpone"): void {
  const method = vi.spyOn(DeliveryStore.prototype, statement).mockImplementationOnce(() => {
    throw new Error("disk is full");
  });
  onTestFinished(() => method.mockRestore());
}
