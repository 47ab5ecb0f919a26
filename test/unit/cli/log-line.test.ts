import { expect, it } from "vitest";
import { logLine } from "../../../src/cli/log-line.ts";
import type { LocalServiceOptions } from "../../../src/local-service/index.ts";
import { refusedUrl, startServer } from "../../helpers/http-server.ts";
import { type RequestChanges, startFaultyService } from "../../helpers/local-service.ts";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const webhooksPath = "/api/v1/bases/base_1/webhooks";
const emission = {
  method: "POST",
  path: "/_local/bases/base_1/events",
  body: { type: "record.created", id: "evt_1" },
} as const;

/** Starts a local service, and collects the lines that `serve` would write. */
async function startLoggedService(options: LocalServiceOptions = {}) {
  const lines: string[] = [];
  const service = await startFaultyService({ ...options, apiKeys: [apiKey] });
  service.use(async (request, next) => {
    const response = await next();
    lines.push(await logLine(request, response, [apiKey]));
    return response;
  });
  return { service, lines };
}

it("The log of serve has a line for every request, with what the user needs of its response", async () => {
  const { service, lines } = await startLoggedService();
  await using receiver = await startServer({}, { statusCode: 503 });

  await service.subscribe(receiver.url);
  const id = service.webhooks[0]?.id ?? 0;
  await service.send(emission);
  await service.send(emission);
  await service.list();
  await service.list({ method: "HEAD" });
  await service.delete(id);

  const delivery = `{"webhookId":${id},"delivered":`;
  expect(lines).toEqual([
    `POST ${webhooksPath} 200 {"id":${id}}`,
    `POST ${emission.path} 200 {"id":"evt_1","deliveries":[${delivery}true,"statusCode":200}]}`,
    `POST ${emission.path} 200 {"id":"evt_1","deliveries":[${delivery}false,"statusCode":503}]}`,
    `GET ${webhooksPath} 200 {"webhooks":[${id}]}`,
    `HEAD ${webhooksPath} 200`,
    `DELETE ${webhooksPath}/${id} 200 {"message":"Webhook ${id} deleted"}`,
  ]);
});

it.each<RequestChanges & { statusCode: number }>([
  { statusCode: 400, body: {} },
  { statusCode: 401, apiKey: "another" },
  { statusCode: 403, headers: { origin: "https://a.test" } },
])("The log of serve has the reason why a request gets $statusCode", async (row) => {
  const { statusCode, ...request } = row;
  const { service, lines } = await startLoggedService();

  const response = await service.create(request);

  expect(response.text).not.toBe("");
  expect(lines).toEqual([`POST ${webhooksPath} ${statusCode} ${response.text}`]);
});

it("The log of serve cuts long texts, with no key, secret, query or part of receivers' URLs", async () => {
  const { service, lines } = await startLoggedService({ deliverTo: refusedUrl });
  // A subdomain can be a credential, as a path can.
  const secret = await service.subscribe("https://T0KEN.m.example.net/T0KEN?q=T0KEN");

  await service.send(emission);
  await service.list();
  await service.create({ databaseId: `base-${apiKey}` });
  await service.delete(apiKey);
  await service.send({ path: "/nothing?query=T0KEN" });
  await service.send({ path: `/${secret}` });
  await service.send({ path: `/${"x".repeat(2_000)}` });

  expect(lines).toHaveLength(8);
  const text = lines.join("\n");
  for (const hidden of [apiKey, "t0ken", secret]) {
    expect(text.toLowerCase()).not.toContain(hidden.toLowerCase());
  }
  expect(text).toContain(` /${"x".repeat(998)}… `);
});
