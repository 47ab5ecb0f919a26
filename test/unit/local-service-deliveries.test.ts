import { createServer, type Server } from "node:net";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DeliveryStore } from "../../src/local-service/data/delivery-store.js";
import { type LocalService, startLocalService } from "../../src/local-service/index.js";
import { temporaryDirectory } from "../helpers/directory.js";
import { refusedUrl } from "../helpers/http-server.js";
import {
  createWebhook,
  deleteWebhook,
  startService,
  webhookBody,
} from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

const soon = [0.01, 0.02];

describe("delivering", () => {
  it.each([200, 204, 299])("is over when the receiver answers %i", async (statusCode) => {
    await using receiver = await startReceiver(() => statusCode);
    const service = await startService();
    await subscribe(service, receiver.url);

    const deliveries = await service.emit(created).finished;

    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 1, statusCode }]);
    expect(deliveries[0]?.url).toBe(receiver.url);
  });

  it.each([302, 400, 401, 410, 429, 500, 503])("is tried again after %i", async (statusCode) => {
    await using receiver = await startReceiver((_, count) => (count < 3 ? statusCode : 200));
    const service = await startService({ deliveries: { retryWaitsSeconds: soon } });
    const secret = await subscribe(service, receiver.url);

    const deliveries = await service.emit(created).finished;

    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 3, statusCode: 200 }]);
    const { notifications } = receiver;
    expect(notifications.map(({ body }) => body.metadata.attempt)).toEqual([1, 2, 3]);
    expect(new Set(notifications.map(({ body }) => body.id)).size).toBe(1);
    for (const { rawBody, headers } of notifications) {
      new Webhook(secret).verify(rawBody, headers as Record<string, string>);
    }
  });

  it("is given up when no attempt is left", async () => {
    await using receiver = await startReceiver(() => 500);
    const service = await startService({ deliveries: { retryWaitsSeconds: soon } });
    await subscribe(service, receiver.url);

    const deliveries = await service.emit(created).finished;

    expect(deliveries).toMatchObject([{ outcome: "failed", attempts: 3, statusCode: 500 }]);
    expect(receiver.notifications).toHaveLength(3);
  });

  it("says why there was no answer, without the address", async () => {
    const service = await startService({ deliveries: { retryWaitsSeconds: [] } });
    await subscribe(service, `${await refusedUrl()}/secret-path`);

    const deliveries = await service.emit(created).finished;

    expect(deliveries).toMatchObject([{ outcome: "failed", problem: "no answer (ECONNREFUSED)" }]);
    expect(deliveries[0]).not.toHaveProperty("statusCode");
  });

  it("gives up on an attempt that gets no answer in time", async () => {
    await using receiver = await startReceiver((_, count) =>
      count === 1 ? new Promise(() => {}) : 200,
    );
    const service = await startService({
      deliveries: { timeoutSeconds: 0.05, retryWaitsSeconds: soon },
    });
    await subscribe(service, receiver.url);
    const attempted = service.nextDelivery({ stage: "attempted" });

    const event = service.emit(created);
    const { problem } = { ...(await attempted) };
    const [delivery] = await event.finished;

    expect(problem).toBe("no answer within 0.05 s");
    expect(delivery).toMatchObject({ outcome: "delivered", attempts: 2 });
  });

  it("follows no redirect", async () => {
    await using elsewhere = await startReceiver();
    await using receiver = await startReceiver(() => ({
      statusCode: 307,
      headers: { location: elsewhere.url },
    }));
    const service = await startService({ deliveries: { retryWaitsSeconds: [] } });
    await subscribe(service, receiver.url);

    await service.emit(created).finished;

    expect(receiver.notifications).toHaveLength(1);
    expect(elsewhere.notifications).toEqual([]);
  });

  it("sends the user info of the url as Basic authorization", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    await subscribe(service, receiver.url.replace("://", "://us%C3%A9r:p%40ss@"));

    await service.emit(created).finished;

    const encoded = Buffer.from("usér:p@ss").toString("base64");
    expect(receiver.notifications[0]?.headers.authorization).toBe(`Basic ${encoded}`);
  });

  it("goes to another origin with deliverTo, with path and query", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ deliveries: { deliverTo: receiver.url } });
    await subscribe(service, "https://hooks.invalid/orders/1?key=2");

    const deliveries = await service.emit(created).finished;

    expect(deliveries).toMatchObject([{ outcome: "delivered" }]);
    expect(receiver.notifications[0]?.path).toBe("/orders/1?key=2");
  });

  it("never lets one receiver wait for another that says nothing", async () => {
    const mute = await muteServer();
    await using receiver = await startReceiver();
    const service = await startService({ deliveries: { maxConcurrent: 1 } });
    await subscribe(service, mute.url);
    await subscribe(service, receiver.url);
    await subscribe(service, `${receiver.url}/other`);

    const events = Array.from({ length: 50 }, () => service.emit(created));
    const toLiving = events.flatMap(({ deliveries }) => deliveries.slice(1));
    while (toLiving.some(({ outcome }) => outcome === "pending")) {
      await service.nextDelivery();
    }

    expect(new Set(toLiving.map(({ outcome }) => outcome))).toEqual(new Set(["delivered"]));
    expect(events.map(({ deliveries }) => deliveries[0]?.outcome)).toEqual(
      Array(50).fill("pending"),
    );
    expect(mute.connections).toBe(1);
  });

  it("lets no slow path of a host delay another path of it", async () => {
    await using receiver = await startReceiver(({ path }) =>
      path === "/slow" ? new Promise(() => {}) : 200,
    );
    const service = await startService({ deliveries: { maxConcurrent: 1 } });
    await subscribe(service, `${receiver.url}/slow`);
    await subscribe(service, `${receiver.url}/quick`);
    const quick = service.nextDelivery({ webhookId: 2 });

    service.emit(created);

    expect(await quick).toMatchObject({ outcome: "delivered" });
  });

  it("never has more attempts under way at one url than maxConcurrent", async () => {
    const gate = Promise.withResolvers<number>();
    const full = Promise.withResolvers<void>();
    await using receiver = await startReceiver((_, count) => {
      if (count === 3) {
        full.resolve();
      }
      return gate.promise;
    });
    await using other = await startReceiver();
    const service = await startService({ deliveries: { maxConcurrent: 3 } });
    await subscribe(service, receiver.url);
    await subscribe(service, receiver.url);
    await subscribe(service, other.url);

    const events = Array.from({ length: 10 }, () => service.emit(created));
    await full.promise;
    while (other.notifications.length < 10) {
      await service.nextDelivery({ webhookId: 3 });
    }
    const underWay = receiver.notifications.length;
    gate.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect(underWay).toBe(3);
    expect(receiver.notifications).toHaveLength(20);
  });

  it.each([
    ["deleted", async (service: LocalService) => void (await deleteWebhook(service, 1))],
    ["removed by somebody", async (service: LocalService) => service.removeWebhook(1)],
    ["switched off", async (service: LocalService) => service.updateWebhook(1, { active: false })],
  ])("is dropped when its subscription is %s", async (_, end) => {
    await using receiver = await startReceiver(() => 500);
    const service = await startService({ deliveries: { retryWaitsSeconds: [60] } });
    await subscribe(service, receiver.url);
    const attempted = service.nextDelivery({ stage: "attempted" });
    const event = service.emit(created);
    await attempted;

    await end(service);

    expect(await event.finished).toMatchObject([{ outcome: "dropped", attempts: 1 }]);
    expect(receiver.notifications).toHaveLength(1);
  });

  it("drops what stands in the queue of a deleted subscription, and ends what is under way", async () => {
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => {
      arrived.resolve();
      return gate.promise;
    });
    const service = await startService({ deliveries: { maxConcurrent: 1 } });
    await subscribe(service, receiver.url);
    const [underWay, ...queued] = [1, 2, 3].map(() => service.emit(created));
    await arrived.promise;

    await deleteWebhook(service, 1);
    const dropped = await Promise.all(queued.map(({ finished }) => finished));
    gate.resolve(200);
    const ended = await underWay?.finished;

    expect(dropped.flat()).toMatchObject(Array(2).fill({ outcome: "dropped", attempts: 0 }));
    expect(ended).toMatchObject([{ outcome: "delivered" }]);
    expect(receiver.notifications).toHaveLength(1);
  });

  it("stays dropped when its subscription is switched on again", async () => {
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => {
      arrived.resolve();
      return gate.promise;
    });
    const service = await startService({ deliveries: { maxConcurrent: 1 } });
    await subscribe(service, receiver.url);
    const [first, second] = [service.emit(created), service.emit(created)];
    await arrived.promise;

    service.updateWebhook(1, { active: false });
    service.updateWebhook(1, { active: true });
    const third = service.emit(created);
    gate.resolve(200);
    await third.finished;

    expect(await second.finished).toMatchObject([{ outcome: "dropped" }]);
    expect(receiver.notifications.map(({ body }) => body.id)).toEqual([first.id, third.id]);
  });

  it("goes to the new url of a subscription that moved", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ deliveries: { retryWaitsSeconds: soon } });
    await subscribe(service, await refusedUrl());
    const attempted = service.nextDelivery({ stage: "attempted" });
    const event = service.emit(created);
    await attempted;

    service.updateWebhook(1, { url: receiver.url });

    expect(await event.finished).toMatchObject([{ outcome: "delivered", url: receiver.url }]);
  });

  it.each([
    { timeoutSeconds: 0 },
    { maxConcurrent: 0 },
    { maxConcurrent: 1.5 },
    { retryWaitsSeconds: [-1] },
    { retryWaitsSeconds: [Number.NaN] },
    { deliverTo: "http://127.0.0.1:9000/path" },
    { deliverTo: "http://user:password@127.0.0.1:9000" },
    { deliverTo: "http://127.0.0.1:9000?query" },
    { deliverTo: "http://127.0.0.1:9000/?query=1" },
    { deliverTo: "http://127.0.0.1:9000#part" },
  ])("refuses the options %j", async (deliveries) => {
    await expect(startLocalService({ deliveries })).rejects.toThrow(/^deliveries: /);
  });
});

describe("waiting for a delivery", () => {
  it("ends with the first that matches", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    await subscribe(service, receiver.url);
    await subscribe(service, receiver.url, ["record.deleted"]);
    const any = service.nextDelivery();
    const ofType = service.nextDelivery({ type: "record.deleted" });
    const ofWebhook = service.nextDelivery({ webhookId: 2 });
    const ofCondition = service.nextDelivery({ where: ({ event }) => event.tableId === "tbl_1" });

    await service.emit(created).finished;
    await service.emit({ ...created, type: "record.deleted" }).finished;
    await service.emit({ ...created, tableId: "tbl_1" }).finished;

    const waits = await Promise.all([any, ofType, ofWebhook, ofCondition]);
    expect(waits.map(({ number }) => number)).toEqual([1, 2, 2, 3]);
    expect(service.deliveries.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it("fails when its condition does, or when the service closes first", async () => {
    await using receiver = await startReceiver();
    const service = await startService();
    await subscribe(service, receiver.url);
    const failing = service.nextDelivery({
      where: () => {
        throw new Error("a bad condition");
      },
    });
    await service.emit(created).finished;
    const late = service.nextDelivery();

    await service.close();

    await expect(failing).rejects.toThrow("a bad condition");
    await expect(late).rejects.toThrow("was closed before the delivery was over");
  });

  it("forgets the oldest deliveries beyond maxRequests", async () => {
    await using receiver = await startReceiver();
    const service = await startService({ maxRequests: 2 });
    await subscribe(service, receiver.url);

    for (let count = 0; count < 3; count++) {
      await service.emit(created).finished;
    }

    expect(service.deliveries.map(({ number }) => number)).toEqual([2, 3]);
  });
});

describe("the listeners of the options", () => {
  it("hear of each request, event and attempt", async () => {
    const heard: string[] = [];
    await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));
    const service = await startService({
      deliveries: { retryWaitsSeconds: soon },
      onRequest: ({ method, statusCode }) => heard.push(`${method} ${statusCode}`),
      onEvent: ({ type, deliveries }) => heard.push(`${type} for ${deliveries.length}`),
      onDelivery: ({ attempts, outcome }) => heard.push(`${attempts} ${outcome}`),
    });
    await subscribe(service, receiver.url);

    await service.emit(created).finished;

    expect(heard).toEqual(["POST 201", "record.created for 1", "1 pending", "2 delivered"]);
  });

  it.each([
    ["throw", failing],
    ["reject", async () => failing()],
  ])("disturb nothing when they %s", async (_, listener) => {
    const errors: string[] = [];
    await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));
    const service = await startService({
      deliveries: { retryWaitsSeconds: soon },
      onRequest: listener,
      onEvent: listener,
      onDelivery: listener,
      onError: ({ message }) => errors.push(message),
    });
    await subscribe(service, receiver.url);
    const over = service.nextDelivery();

    const deliveries = await service.emit(created).finished;

    expect(deliveries).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
    expect(await over).toBe(deliveries[0]);
    expect(errors).toEqual(Array(4).fill("a bad listener"));
  });

  it("become a warning of the process without onError, and when onError throws", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const service = await startService({ onEvent: failing });
    const other = await startService({ onEvent: failing, onError: failing });

    service.emit(created);
    other.emit(created);

    expect(warn.mock.calls).toEqual(Array(2).fill([new Error("a bad listener")]));
  });
});

describe("a delivery that cannot be recorded", () => {
  it.each(["delete", "postpone"] as const)("goes on after a failing %s", async (statement) => {
    const errors: string[] = [];
    failOnce(statement);
    await using receiver = await startReceiver((_, count) => (count === 1 ? 500 : 200));
    const service = await startService({
      deliveries: { retryWaitsSeconds: soon },
      onError: ({ message }) => errors.push(message),
    });
    await subscribe(service, receiver.url);

    const { id, finished } = service.emit(created);

    expect(await finished).toMatchObject([{ outcome: "delivered", attempts: 2 }]);
    expect(errors).toEqual([
      `The delivery of ${id} to webhook 1 could not be recorded, and may be repeated after a restart: disk is full`,
    ]);
  });

  it("is repeated after a restart", async () => {
    const directory = temporaryDirectory();
    onTestFinished(() => directory.remove());
    const data = `${directory.path}/service.db`;
    failOnce("delete");
    await using receiver = await startReceiver();
    const first = await startLocalService({ data, onError: () => {} });
    await subscribe(first, receiver.url);
    await first.emit(created).finished;
    await first.close();

    const second = await startService({ data });
    await second.nextDelivery();

    expect(new Set(receiver.notifications.map(({ body }) => body.id)).size).toBe(1);
    expect(receiver.notifications).toHaveLength(2);
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

describe("the number of pending deliveries", () => {
  it("includes those that the log has no room for, and follows them", async () => {
    const gate = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => gate.promise);
    const service = await startService({ maxRequests: 1 });
    await subscribe(service, receiver.url);
    const events = [1, 2, 3].map(() => service.emit(created));

    const before = service.counts.pending;
    gate.resolve(200);
    await Promise.all(events.map(({ finished }) => finished));

    expect([before, service.counts.pending]).toEqual([3, 0]);
  });
});

describe("closing with deliveries under way", () => {
  it("breaks them off, and keeps them in the file for the next start", async () => {
    const directory = temporaryDirectory();
    onTestFinished(() => directory.remove());
    const options = {
      data: `${directory.path}/service.db`,
      deliveries: { retryWaitsSeconds: [0] },
    };
    const mute = await muteServer();
    await using receiver = await startReceiver();
    const first = await startLocalService(options);
    await subscribe(first, mute.url);
    const event = first.emit(created);
    await mute.connected;

    await first.close();
    const finished = event.finished;
    const second = await startService({
      ...options,
      deliveries: { deliverTo: receiver.url },
    });
    await second.nextDelivery();

    await expect(finished).rejects.toThrow("was closed before the delivery was over");
    expect(receiver.notifications.map(({ body }) => body.id)).toEqual([event.id]);
    expect(second.deliveries).toMatchObject([{ number: 1, outcome: "delivered" }]);
  });

  it("delivers nothing again that was delivered, and uses no number again", async () => {
    const directory = temporaryDirectory();
    onTestFinished(() => directory.remove());
    const data = `${directory.path}/service.db`;
    await using receiver = await startReceiver();
    const first = await startLocalService({ data });
    await subscribe(first, receiver.url);
    await first.emit(created).finished;
    await first.close();

    const second = await startService({ data });
    await second.emit(created).finished;

    expect(second.deliveries.map(({ number }) => number)).toEqual([2]);
    expect(receiver.notifications).toHaveLength(2);
  });
});

function failing(): never {
  throw new Error("a bad listener");
}

function failOnce(statement: "delete" | "postpone"): void {
  const method = vi.spyOn(DeliveryStore.prototype, statement).mockImplementationOnce(() => {
    throw new Error("disk is full");
  });
  onTestFinished(() => method.mockRestore());
}

const created = { type: "record.created", databaseId: "base_1" };

async function subscribe(service: LocalService, url: string, events = ["record.created"]) {
  const { json } = await createWebhook(service, { body: webhookBody({ url, events }) });
  return json.secret as string;
}

/** Takes connections and says nothing. */
async function muteServer() {
  const connected = Promise.withResolvers<void>();
  const counted = { connections: 0 };
  const server: Server = createServer((socket) => {
    counted.connections += 1;
    connected.resolve();
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    connected: connected.promise,
    get connections() {
      return counted.connections;
    },
  };
}
