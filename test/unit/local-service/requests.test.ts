import { expect, it } from "vitest";
import type { ReceivedRequest } from "../../../src/local-service/index.ts";
import { hold } from "../../helpers/faults/faults.mts";
import { startService, webhookBody } from "../../helpers/local-service.ts";

it("The request log has every request's fields and outcome, without the body of an unauthorized one", async () => {
  const service = await startService();
  const body = webhookBody({ tableId: "tbl_1" });
  const databaseId = "a/b c?ü%2F";
  const path = "/api/v1/bases/a%2Fb%20c%3F%C3%BC%252F/webhooks";

  const creation = await service.create({ databaseId, body, headers: { "X-Trace": "one" } });
  await service.delete("a/b", { databaseId });
  await service.create({ databaseId, apiKey: "wrong" });

  const entry = { databaseId, authorized: true, outcome: "responded" };
  const webhookId = String(creation.json.id);
  const created = { method: "POST", path, webhookId, statusCode: 201, committed: true };
  const notFound = { method: "DELETE", webhookId: "a/b", statusCode: 404, committed: false };
  const unauthorized = { authorized: false, body: undefined, statusCode: 401, committed: false };
  expect(service.requests).toMatchObject([
    { ...entry, number: 1, headers: { "x-trace": "one" }, body, ...created },
    { ...entry, number: 2, ...notFound },
    { ...entry, number: 3, ...unauthorized },
  ]);
});

it("The request log forgets the oldest request when another one begins, and not when one ends", async () => {
  const service = await startService({ maxRequests: 1 });
  const { holdRequest, release } = hold();
  service.use(holdRequest);
  const begin = async (id: number) => {
    const received = service.nextRequest(() => true);
    const responded = service.delete(id);
    await received;
    return { responded, newest: service.requests.map(({ number }) => number) };
  };

  const [first, second] = [await begin(1), await begin(2)];
  release();
  await Promise.all([first.responded, second.responded]);

  expect([first.newest, second.newest]).toEqual([[1], [2]]);
  expect(service.requests).toMatchObject([{ number: 2, outcome: "responded" }]);
});

it("The request log is empty after clearRequests, and the numbers of later requests go on", async () => {
  const service = await startService();
  await service.delete(1);

  service.clearRequests();
  const cleared = service.requests;
  await service.delete(1);

  expect(cleared).toEqual([]);
  expect(service.requests).toMatchObject([{ number: 2 }]);
});

it.each<{ name: string; matches: (request: ReceivedRequest) => boolean; number: number }>([
  { name: "has arrived", matches: () => true, number: 1 },
  { name: "has an effect", matches: ({ committed }) => committed, number: 2 },
  { name: "has an outcome", matches: ({ statusCode }) => statusCode === 404, number: 3 },
])("nextRequest ends with the first request that matches when it $name", async (row) => {
  const { matches, number } = row;
  const service = await startService();
  const next = service.nextRequest(matches);

  // Invalid, so it is never committed.
  await service.create({ body: {} });
  await service.create({ databaseId: "base_2" });
  await service.delete(1);

  expect(await next).toMatchObject({ number });
});

it("nextRequest rejects when the service closes or has closed, without an unhandled rejection", async () => {
  const service = await startService();
  const any = () => true;
  const waiting = service.nextRequest(any);
  // Vitest fails the run if this promise becomes an unhandled rejection.
  void service.nextRequest(any);

  await service.close();
  const late = service.nextRequest(any);

  const rejected = { status: "rejected", reason: { name: "AbortError" } };
  expect(await Promise.allSettled([waiting, late])).toMatchObject([rejected, rejected]);
});
