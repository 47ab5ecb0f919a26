import { describe, expect, it } from "vitest";
import { logLine, recordOf } from "../../src/cli/serve-log.ts";
import { refusedUrl } from "../helpers/http-server.ts";
import { startService } from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const webhooks = "/api/v1/bases/base_1/webhooks";

/** Starts a local service whose log is kept as `serve` writes it. */
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
  it("has a line for every request, with its result", async () => {
    const { service, lines } = await startLoggedService();

    await service.create();
    await service.delete(1);
    await service.delete(1);

    expect(lines()).toEqual([
      `POST ${webhooks} 201: created webhook 1`,
      `DELETE ${webhooks}/1 200: deleted webhook 1`,
      `DELETE ${webhooks}/1 404: Webhook 1 not found`,
    ]);
  });

  it("has a line for every event and every attempt of a delivery", async () => {
    await using receiver = await startReceiver((_, count) => (count === 1 ? 503 : 204));
    const { service, emit, lines } = await startLoggedService();
    await service.subscribe(receiver.url);

    await emit("record.created").finished;
    await emit("table.created").finished;

    const { host } = new URL(receiver.url);
    expect(lines().slice(1)).toEqual([
      "event record.created evt_1 in base_1, for webhooks: 1",
      `delivery of evt_1 to webhook 1 at ${host}, attempt 1: 503, retry in 0.01 s`,
      `delivery of evt_1 to webhook 1 at ${host}, attempt 2: 204, delivered`,
      "event table.created evt_1 in base_1, for webhooks: none",
    ]);
  });

  it("says why the receiver did not respond", async () => {
    const { service, emit, lines } = await startLoggedService();
    await service.subscribe(await refusedUrl());

    await emit("record.created").finished;

    expect(lines().at(-1)).toMatch(/, attempt 2: no response \(ECONNREFUSED\), failed$/);
  });

  it("holds no API key, no secret, no path of a receiver, no query and no long text", async () => {
    await using receiver = await startReceiver();
    const { service, emit, records } = await startLoggedService();
    const secret = await service.subscribe(`${receiver.url}/T0KEN?q=T0KEN`);

    await emit("record.created").finished;
    await service.create({ databaseId: `base-${apiKey}` });
    await service.send({ path: `/${"x".repeat(1_000)}?query=T0KEN` });

    const text = JSON.stringify(records);
    expect(text).toContain("[withheld");
    for (const hidden of [apiKey, "T0KEN", secret, "x".repeat(301)]) {
      expect(text).not.toContain(hidden);
    }
  });
});
