import { expect, it } from "vitest";
import { logLine, recordOf } from "../../src/cli/serve-log.ts";
import { refusedAddress, refusedUrl, startServer } from "../helpers/http-server.ts";
import { startService } from "../helpers/local-service.ts";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const webhooksPath = "/api/v1/bases/base_1/webhooks";
const recordCreated = { type: "record.created", databaseId: "base_1", id: "evt_1" };

/** Starts a local service, and collects the records that `serve` would log. */
async function startLoggedService() {
  const records: ReturnType<typeof recordOf>[] = [];
  const service = await startService({
    apiKeys: [apiKey],
    deliveries: { retryWaitsSeconds: [0.01] },
    onLog: (entry) => records.push(recordOf(entry, [apiKey])),
  });
  return { service, records };
}

it("The log of serve has a line for every request, every event and every attempt of a delivery", async () => {
  const { service, records } = await startLoggedService();
  const refused = refusedAddress;
  await using receiver = await startServer();

  await service.subscribe(`http://${refused}`);
  await service.emit(recordCreated).finished;
  const id = service.webhooks[0]?.id ?? 0;
  service.updateWebhook(id, { url: receiver.url });
  await service.emit(recordCreated).finished;
  await service.delete(id);
  await service.delete(id);
  await service.emit(recordCreated).finished;

  expect(records.map(logLine)).toEqual([
    `POST ${webhooksPath} 201: created webhook ${id}`,
    `event record.created evt_1 in base_1, for webhooks: ${id}`,
    `delivery of evt_1 to webhook ${id} at ${refused}, attempt 1: no response (ECONNREFUSED), retry in 0.01 s`,
    `delivery of evt_1 to webhook ${id} at ${refused}, attempt 2: no response (ECONNREFUSED), failed`,
    `event record.created evt_1 in base_1, for webhooks: ${id}`,
    `delivery of evt_1 to webhook ${id} at ${new URL(receiver.url).host}, attempt 1: 200, delivered`,
    `DELETE ${webhooksPath}/${id} 200: deleted webhook ${id}`,
    `DELETE ${webhooksPath}/${id} 404: Webhook ${id} not found`,
    "event record.created evt_1 in base_1, for webhooks: none",
  ]);
});

it("The log of serve holds no API key, secret, path of a receiver or query, and cuts texts to 300 characters", async () => {
  const { service, records } = await startLoggedService();
  const secret = await service.subscribe(`${refusedUrl}/T0KEN?q=T0KEN`);

  await service.emit(recordCreated).finished;
  await service.create({ databaseId: `base-${apiKey}` });
  await service.send({ path: "/nothing?query=T0KEN" });
  await service.send({ path: `/${secret}` });
  await service.send({ path: `/${"x".repeat(1_000)}` });

  const text = JSON.stringify(records);
  for (const hidden of [apiKey, "T0KEN", secret]) {
    expect(text).not.toContain(hidden);
  }
  expect(text).toContain(`"/${"x".repeat(298)}…"`);
});
