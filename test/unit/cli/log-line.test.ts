import { expect, it } from "vitest";
import { logLine } from "../../../src/cli/log-line.ts";
import type { LocalServiceOptions } from "../../../src/local-service/index.ts";
import { refusedUrl, startServer } from "../../helpers/http-server.ts";
import { startService } from "../../helpers/local-service.ts";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const webhooksPath = "/api/v1/bases/base_1/webhooks";
const recordCreated = { type: "record.created", databaseId: "base_1", id: "evt_1" };

/** Starts a local service, and collects the lines that `serve` would write. */
async function startLoggedService(options: LocalServiceOptions = {}) {
  const lines: string[] = [];
  const service = await startService({
    ...options,
    apiKeys: [apiKey],
    onLog: (entry) => void lines.push(logLine(entry, [apiKey])),
  });
  return { service, lines };
}

it("The log of serve has a line for every request and every delivery", async () => {
  const { service, lines } = await startLoggedService();
  await using receiver = await startServer({}, { statusCode: 503 });

  await service.subscribe(receiver.url);
  const id = service.webhooks[0]?.id ?? 0;
  await service.emit(recordCreated);
  await service.emit(recordCreated);
  service.updateWebhook(id, { url: refusedUrl });
  await service.emit(recordCreated);
  await service.delete(id);
  await service.delete(id);
  await service.emit(recordCreated);

  expect(lines).toEqual([
    `POST ${webhooksPath} 201: created webhook ${id}`,
    `delivery of evt_1 to webhook ${id}: delivered`,
    `delivery of evt_1 to webhook ${id}: 503`,
    `delivery of evt_1 to webhook ${id}: no response (ECONNREFUSED)`,
    `DELETE ${webhooksPath}/${id} 200: deleted webhook ${id}`,
    `DELETE ${webhooksPath}/${id} 404: Webhook ${id} not found`,
  ]);
});

it("The log of serve cuts texts to 300 characters, with no key, secret, query or part of receivers' URLs", async () => {
  const { service, lines } = await startLoggedService({ deliverTo: refusedUrl });
  // A subdomain can be a credential, as a path can.
  const secret = await service.subscribe("https://T0KEN.m.example.net/T0KEN?q=T0KEN");

  await service.emit(recordCreated);
  await service.create({ databaseId: `base-${apiKey}` });
  await service.send({ path: "/nothing?query=T0KEN" });
  await service.send({ path: `/${secret}` });
  await service.send({ path: `/${"x".repeat(1_000)}` });

  expect(lines).toHaveLength(6);
  const text = lines.join("\n");
  for (const hidden of [apiKey, "t0ken", secret]) {
    expect(text.toLowerCase()).not.toContain(hidden.toLowerCase());
  }
  expect(text).toContain(` /${"x".repeat(298)}… `);
});
