import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DeliveryStore } from "../../src/local-service/data/delivery-store.js";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "../../src/local-service/index.js";
import { refusedUrl, startRawServer } from "../helpers/http-server.js";
import { listWebhooks, startService, subscribe, temporaryFile } from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

const created = { type: "record.created", databaseId: "base_1" };
const soon = { retryWaitsSeconds: [0.01, 0.02] };
const once = { retryWaitsSeconds: [] };
const never = () => new Promise<number>(() => {});

describe("delivering", () => {
  it.each([
    [200, "delivered", 1],
    [299, "delivered", 1],
    [302, "failed", 3],
    [410, "failed", 3],
    [500, "failed", 3],
  ])(
    "to a receiver that answers %i is %s after %i attempts",
    async (statusCode, outcome, count) => {
      await using receiver = await startReceiver(() => statusCode);
      const { url, notifications } = receiver;

      const deliveries = await deliver(url, soon);

      expect(deliveries).toMatchObject([{ outcome, attempts: count, statusCode, url }]);
      expect(notifications).toHaveLength(count);
    },
  );

  it("signs each attempt, repeats the id of the event, and follows a webhook that moves", async () => {
    await using receiver = await startReceiver((_, count) => (count < 3 ? 503 : 200));
    let ms = Date.now() - 60_000;
    const now = () => {
      ms += 1_000;
      return ms;
    };
    const service = await startService({ deliveries: soon, now });
    const secret = await subscribe(service, receiver.url);

    const { id, finished, timestamp } = service.emit(created);
    await service.nextDelivery({ stage: "attempted" });
    service.updateWebhook(1, { url: `${receiver.url}/moved` });

    expect(await finished).toMatchObject([{ outcome: "delivered", attempts: 3, statusCode: 200 }]);
    const bodies = receiver.notifications.map(({ rawBody, headers }) =>
      new Webhook(secret).verify(rawBody, headers as Record<string, string>),
    );
    const times = receiver.notifications.map(({ headers }) => headers["webhook-timestamp"]);
    expect(bodies).toMatchObject([1, 2, 3].map((attempt) => ({ id, metadata: { attempt } })));
    expect(new Set(times).size).toBe(3);
    expect(receiver.notifications.map(({ path }) => path)).toEqual(["/", "/moved", "/moved"]);
    expect(Date.parse(timestamp)).toBeLessThan(ms);
  });

  it("says why there was no answer, also in time, without the address", async () => {
    await using mute = await startReceiver(never);

    const [refused] = await deliver(`${await refusedUrl()}/secret-path`, once);
    const [unanswered] = await deliver(mute.url, { timeoutSeconds: 0.05, ...once });

    expect(refused).toMatchObject({ outcome: "failed", problem: "no answer (ECONNREFUSED)" });
    expect(refused).not.toHaveProperty("statusCode");
    expect(unanswered).toMatchObject({ outcome: "failed", problem: "no answer within 0.05 s" });
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

  it("is dropped unless it is in flight when its webhook is switched off, and for good", async () => {
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver((_, count) => {
      if (count === 2) {
        arrived.resolve();
      }
      return count === 1 ? 500 : gate.promise;
    });
    const deliveries = { maxConcurrent: 1, retryWaitsSeconds: [60] };
    const service = await startService({ deliveries });
    await subscribe(service, receiver.url);
    const events = Array.from({ length: 3 }, () => service.emit(created));
    await arrived.promise;

    service.updateWebhook(1, { active: false });
    service.updateWebhook(1, { active: true });
    events.push(service.emit(created));
    gate.resolve(200);
    const ended = await Promise.all(events.map(({ finished }) => finished));

    expect(ended.flat()).toMatchObject([
      { outcome: "dropped", attempts: 1 },
      { outcome: "delivered" },
      { outcome: "dropped", attempts: 0 },
      { outcome: "delivered" },
    ]);
    expect(receiver.notifications).toHaveLength(3);
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
    const failing = service.nextDelivery({ where: () => fail("a bad condition") });
    const changes = [{}, { type: "record.deleted" }, { tableId: "tbl_1" }];

    const emitted = changes.map((change) => service.emit({ ...created, ...change }));
    const { pending } = service.counts;
    gate.resolve(200);

    expect((await Promise.all(waits)).map(({ number }) => number)).toEqual([2, 2, 3]);
    await expect(failing).rejects.toThrow("a bad condition");
    await Promise.all(emitted.map(({ finished }) => finished));
    expect(service.deliveries.map(({ number }) => number)).toEqual([2, 3]);
    expect([pending, service.counts.pending]).toEqual([3, 0]);
  });
});

describe("the listeners of the options", () => {
  it("are called with each request, event and attempt, and disturb nothing when they fail", async () => {
    const heard: string[] = [];
    await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));

    const deliveries = await deliver(receiver.url, soon, {
      onRequest: ({ method, statusCode }) => fail(`${method} ${statusCode}`),
      // TypeScript takes an async function, too.
      onEvent: async ({ type, deliveries }) => fail(`${type} for ${deliveries.length}`),
      onDelivery: ({ attempts, outcome }) => fail(`${attempts} ${outcome}`),
      onError: ({ message }) => heard.push(message),
    });

    expect(heard).toEqual(["POST 201", "record.created for 1", "1 pending", "2 delivered"]);
    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
  });
});

describe("a delivery that cannot go on", () => {
  it("is given up, and others are not", async () => {
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

    const problem = "the local service failed";
    expect(await finished).toMatchObject([
      { outcome: "failed", problem },
      { outcome: "delivered" },
    ]);
    expect(errors).toEqual([`The delivery of ${id} to webhook 1 cannot go on: Invalid URL`]);
  });

  it.each(["delete", "postpone"] as const)(
    "is over in spite of a failing %s, and is repeated after a restart",
    async (statement) => {
      const data = temporaryFile();
      const errors: string[] = [];
      const onError = ({ message }: Error) => errors.push(message);
      const method = vi.spyOn(DeliveryStore.prototype, statement).mockImplementationOnce(() => {
        throw new Error("disk is full");
      });
      onTestFinished(() => method.mockRestore());
      await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));
      const first = await startLocalService({ data, onError, deliveries: soon });
      await subscribe(first, receiver.url);
      const { finished } = first.emit(created);
      const deliveries = await finished;
      await first.close();

      const isRepeated = statement === "delete";
      const second = await startService({ data });
      const [repeated] = await Promise.all([isRepeated && second.nextDelivery()]);

      expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
      expect(errors).toEqual([expect.stringMatching(/ could not be recorded, .*: disk is full$/)]);
      expect(repeated).toEqual(isRepeated && expect.objectContaining({ number: 1 }));
      expect(await second.emit(created).finished).toMatchObject([{ number: 2 }]);
      expect(receiver.notifications).toHaveLength(isRepeated ? 4 : 3);
    },
  );
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
    await listWebhooks(service);

    await service.close();

    expect(await finished).toMatchObject([{ outcome: "delivered" }]);
    expect(service.counts.pending).toBe(0);
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

function fail(message: string): never {
  throw new Error(message);
}
