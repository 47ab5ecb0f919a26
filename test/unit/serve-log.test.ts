import { describe, expect, it } from "vitest";
import { logLine, recordOf } from "../../src/cli/serve-log.js";
import { refusedUrl } from "../helpers/http-server.js";
import { startService } from "../helpers/local-service.js";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const webhooksPath = "/api/v1/bases/base_1/webhooks";

/** Starts a local service, and collects the records that `serve` would log. */
async function startLoggedService() {
  const records: ReturnType<typeof recordOf>[] = [];
  const service = await startService({
    apiKeys: [apiKey],
    deliveries: { retryWaitsSeconds: [0.01] },
    onLog: (entry) => records.push(recordOf(entry, [apiKey])),
  });
  const emit = (type: string) => service.emit({ type, databaseId: "base_1", id: "evt_1" });
  return { service, emit, records, lines: () => records.map(logLine) };
}

describe("The log of serve", () => {
  it("has a line for every request and its result", async () => {
    const { service, lines } = await startLoggedService();

    await service.create();
    await service.delete(1);
    await service.delete(1);

    expect(lines()).toEqual([
      `POST ${webhooksPath} 201: created webhook 1`,
      `DELETE ${webhooksPath}/1 200: deleted webhook 1`,
      `DELETE ${webhooksPath}/1 404: Webhook 1 not found`,
    ]);
  });

  it("has a line for every event and every attempt of a delivery", async () => {
    const { service, emit, lines } = await startLoggedService();
    const url = await refusedUrl();
    await service.subscribe(url);

    await emit("record.created").finished;
    await emit("table.created").finished;

    const attempt = `delivery of evt_1 to webhook 1 at ${new URL(url).host}, attempt`;
    expect(lines().slice(1)).toEqual([
      "event record.created evt_1 in base_1, for webhooks: 1",
      `${attempt} 1: no response (ECONNREFUSED), retry in 0.01 s`,
      `${attempt} 2: no response (ECONNREFUSED), failed`,
      "event table.created evt_1 in base_1, for webhooks: none",
    ]);
  });

  it("holds no API key, secret, path of a receiver or query, and cuts texts to 300 characters", async () => {
    const { service, emit, records } = await startLoggedService();
    const secret = await service.subscribe(`${await refusedUrl()}/T0KEN?q=T0KEN`);

    await emit("record.created").finished;
    await service.create({ databaseId: `base-${apiKey}` });
    await service.send({ path: "/nothing?query=T0KEN" });
    await service.send({ path: `/${"x".repeat(1_000)}` });

    const text = JSON.stringify(records);
    for (const hidden of [apiKey, "T0KEN", secret, "x".repeat(301)]) {
      expect(text).not.toContain(hidden);
    }
  });
});
