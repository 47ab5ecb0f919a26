import { Readable } from "node:stream";
import { expect, it, vi } from "vitest";
import type { LocalService, LocalServiceOptions } from "../../../src/local-service/index.ts";
import { changeWebhook } from "../../helpers/faults/faults.mts";
import {
  clientOf,
  type RequestChanges,
  startService,
  statusCodesOf,
  webhookBody,
} from "../../helpers/local-service.ts";

const webhooksPath = "/api/v1/bases/base_1/webhooks";
const eventsPath = "/_local/bases/base_1/events";

it("A webhook gets a new id and a new secret, also after a deletion", async () => {
  const service = await startService();

  const first = await service.create();
  const { id, secret } = first.json;
  const deletion = await service.delete(id);
  const second = await service.create();

  expect(statusCodesOf([first, deletion, second])).toEqual([200, 200, 200]);
  expect(secret).toMatch(/^[\da-f]{64}$/);
  expect(deletion.json).toMatchObject({ success: true });
  expect(second.json.id).toBe(id + 1);
  expect(second.json.secret).not.toBe(first.json.secret);
});

it("A webhook never gets the id of an earlier service, because a state may still hold it", async () => {
  const first = await startService();
  const ids = await idsOfNewWebhooks(first, 20);
  await first.close();

  const laterIds = await idsOfNewWebhooks(await startService(), 20);

  expect(Math.min(...laterIds)).toBeGreaterThan(Math.max(...ids));
  expect(laterIds.every(Number.isSafeInteger)).toBe(true);
});

async function idsOfNewWebhooks({ create }: ReturnType<typeof clientOf>, count: number) {
  const responses = await Promise.all(Array.from({ length: count }, () => create()));
  return responses.map(({ json }): number => json.id);
}

it("A webhook has the fields of the API, each event type once, and no other field of the request", async () => {
  const service = await startService();
  const events = ["table.deleted", "record.created"];
  const fields = webhookBody({ tableId: "tbl_1", events });
  const body = { ...fields, events: [...events, ...events], active: false, id: 77, secret: "a" };

  const { id, secret } = (await service.create({ body })).json;

  expect(id).not.toBe(body.id);
  expect(secret).not.toBe(body.secret);
  const stored = { ...fields, id, databaseId: "base_1", active: true, secret };
  expect(service.webhooks).toEqual([stored]);
});

it("The list operation returns the webhooks of a database without their secrets", async () => {
  const service = await startService();
  const { id } = (await service.create({ body: webhookBody({ tableId: "tbl_1" }) })).json;
  await service.create({ databaseId: "base_2" });
  const inactive = (await service.create()).json.id;
  changeWebhook(service, inactive, { active: false });

  const { json } = await service.list();

  expect(json.webhooks).toEqual([
    { id, ...webhookBody(), tableIds: ["tbl_1"], active: true },
    { id: inactive, ...webhookBody(), tableIds: null, active: false },
  ]);
});

const known = "record.created";
const unknownEvents = Array(130_000).fill("a");
const tooLarge = JSON.stringify(webhookBody({ padding: "x".repeat(1024 * 1024) }));

it.each<RequestChanges & { statusCode: number; names: string }>([
  { statusCode: 400, names: "url", body: webhookBody({ url: "ftp://example.com/" }) },
  { statusCode: 400, names: "events[1]", body: webhookBody({ events: [known, 7] }) },
  { statusCode: 400, names: "events[0]", body: webhookBody({ events: ["a"] }) },
  { statusCode: 400, names: "events[1]", body: webhookBody({ events: [known, ...unknownEvents] }) },
  { statusCode: 400, names: "events must", body: webhookBody({ events: {} }) },
  { statusCode: 400, names: "tableId", body: webhookBody({ tableId: null }) },
  { statusCode: 400, names: "tableId", body: webhookBody({ events: [], tableId: "" }) },
  { statusCode: 400, names: "object", body: [] },
  { statusCode: 400, names: "object", body: "{" },
  { statusCode: 413, names: "", body: tooLarge },
  { statusCode: 413, names: "", body: Readable.from(Array(100).fill("x".repeat(64 * 1024))) },
  {
    statusCode: 415,
    names: "Content-Type",
    headers: { "content-type": "application/jsonp" },
  },
])('A request gets $statusCode and a short message that names "$names"', async (row) => {
  const { statusCode, names, ...request } = row;
  const service = await startService();

  const response = await service.create(request);

  expect(response.statusCode, response.text).toBe(statusCode);
  expect(response.json.error.message).toContain(names);
  expect(response.json.error.message.length).toBeLessThan(200);
  expect(service.webhooks).toEqual([]);
});

it("A request for any operation gets 401 without a known API key", async () => {
  const { service, id } = await startWithWebhook();

  const responses = [
    await service.create({ apiKey: null }),
    await service.create({ headers: { authorization: "Basic local-api-key" } }),
    await service.delete(id, { apiKey: "unknown" }),
    await service.list({ apiKey: "unknown" }),
  ];

  expect(statusCodesOf(responses)).toEqual([401, 401, 401, 401]);
  expect(service.webhooks).toHaveLength(1);
});

it("A request gets 404 NOT_FOUND for a webhook that is not in the database", async () => {
  const { service, id } = await startWithWebhook();

  const responses = [
    await service.delete(id + 1),
    await service.delete(`0${id}`),
    await service.delete(id, { databaseId: "base_2" }),
  ];

  const error = { code: "NOT_FOUND" };
  expect(responses).toMatchObject(Array(3).fill({ statusCode: 404, json: { error } }));
  expect(service.webhooks).toHaveLength(1);
});

it("A request gets a plain-text 404 for an unknown path, and 405 for a method that its path lacks", async () => {
  const service = await startService({ listing: false });

  const unknownPath = await service.send({ path: `/prefix${webhooksPath}` });
  const withoutListing = await service.list();
  const oneWebhook = await service.send({ path: `${webhooksPath}/1` });

  expect(unknownPath).toMatchObject({
    statusCode: 404,
    headers: { "content-type": expect.stringContaining("text/plain") },
  });
  expect(withoutListing).toMatchObject({ statusCode: 405, headers: { allow: "POST" } });
  expect(oneWebhook).toMatchObject({ statusCode: 405, headers: { allow: "DELETE" } });
});

it("A route that fails responds with 500 and the error body, and prints nothing", async () => {
  const print = vi.spyOn(console, "error");
  const service = await startService();
  // A test can set anything.
  service.webhooks = undefined as never;

  const { statusCode, json } = await service.list();

  expect(statusCode).toBe(500);
  expect(json.error).toMatchObject({ code: "INTERNAL_SERVER_ERROR" });
  expect(print).not.toHaveBeenCalled();
});

it("The API key of a service is the first one that it knows", async () => {
  expect((await startService({ apiKeys: ["first", "second"] })).apiKey).toBe("first");
});

it("A tool that waits for a server gets 200 for the root path without a key", async () => {
  const service = await startService();

  const get = await service.send({ apiKey: null });
  const head = await service.send({ method: "HEAD", apiKey: null });

  expect(get).toMatchObject({ statusCode: 200, text: expect.stringMatching(/^[\w -]+\.\n$/) });
  expect(get.headers["content-type"]).toMatch(/^text\/plain/);
  expect(head.statusCode).toBe(200);
});

it("A request gets 421 with the name of another host, and 403 from a web page of another origin", async () => {
  const { service } = await startWithWebhook();
  // These responses are plain text, which the API does not describe.
  const { create } = clientOf(service, { validatesResponses: false });

  const responses = [
    await create({ headers: { host: "127.0.0.1.evil.example:80" } }),
    await create({ headers: { host: "192.0.2.1" }, path: eventsPath }),
    await create({ headers: { origin: "null" } }),
    await create({ headers: { origin: "https://evil.example" }, path: eventsPath }),
  ];

  expect(statusCodesOf(responses)).toEqual([421, 421, 403, 403]);
  expect(service.webhooks).toHaveLength(1);
});

it.each<{ statusCode: number; request: RequestChanges }>([
  { statusCode: 421, request: { headers: { host: "192.0.2.1" } } },
  { statusCode: 403, request: { headers: { origin: "https://evil.example" } } },
  { statusCode: 401, request: { apiKey: null } },
])("A request gets $statusCode before its body has arrived: $request", async (row) => {
  const service = await startService();
  // The API does not describe 421 and 403.
  const { create } = clientOf(service, { validatesResponses: false });
  const unfinishedBody = new Readable({ read: () => {} });
  unfinishedBody.push("{");

  const { statusCode } = await create({ ...row.request, body: unfinishedBody });

  expect(statusCode).toBe(row.statusCode);
});

/** Starts a service with a webhook. */
async function startWithWebhook() {
  const service = await startService();
  const { id } = (await service.create()).json;
  return { service, id };
}

it.each<{ headers: Record<string, string>; options: LocalServiceOptions }>([
  { headers: { "content-type": "Application/JSON; charset=utf-8" }, options: {} },
  { headers: { authorization: "bearer b" }, options: { apiKeys: ["a", "b"] } },
  { headers: { host: "LOCALHOST:1234", origin: "http://[::1]:3000" }, options: {} },
])("A request may have a query and these headers with these options: %j", async (row) => {
  const service = await startService(row.options);

  const { statusCode } = await service.create({
    path: `${webhooksPath}?a=1`,
    headers: row.headers,
  });

  expect(statusCode).toBe(200);
});

it.each<{ options: LocalServiceOptions; error: ErrorConstructor }>([
  { options: { port: 65_536 }, error: RangeError },
  { options: { deliverTo: "127.0.0.1:9" }, error: TypeError },
])("A local service does not start with $options", async ({ options, error }) => {
  await expect(startService(options)).rejects.toThrow(error);
});

it("A local service listens at the given port, on 127.0.0.1 only", async () => {
  const first = await startService();
  await first.close();

  const second = await startService({ port: portOf(first) });

  expect(second.baseUrl).toBe(`http://127.0.0.1:${portOf(first)}`);
  await expect(fetch(`http://127.0.0.2:${portOf(first)}/`)).rejects.toThrow("fetch failed");
});

function portOf({ baseUrl }: LocalService): number {
  return Number(new URL(baseUrl).port);
}
