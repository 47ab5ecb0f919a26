import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ChangeBody, FaultRule } from "../../src/local-service/index.ts";
import { asHtml, idAsString, withFields } from "../helpers/faults/faults.mts";
import { startFaultyService, statusCodesOf, webhookBody } from "../helpers/local-service.ts";

// The tests in test/process/faults show what each kind of fault does on its own.

const respond = (statusCode: number) => ({ kind: "respond", statusCode }) as const;
const fault = respond(503);

it("A rule of kind hold delays requests: `release` ends the delay of the waiting ones, and `clearFaults` also of later ones", async () => {
  const service = await startFaultyService();
  const rule = service.inject({ on: "POST", fault: { kind: "hold" } });
  const creation = service.create();
  await expect.poll(() => rule.requests).toHaveLength(1);

  rule.release();
  await creation;
  const laterCreation = service.create();
  await expect.poll(() => rule.requests).toHaveLength(2);
  // The response shows that the service has had time to handle the creation before it.
  await service.list();
  const webhooksBeforeClearing = service.webhooks;
  service.clearFaults();
  await Promise.all([laterCreation, service.create()]);

  expect(webhooksBeforeClearing).toHaveLength(1);
  expect(service.webhooks).toHaveLength(3);
});

it("A delayed request has no effect when the service closes first", async () => {
  const service = await startFaultyService({ faults: [{ fault: { kind: "delay", ms: 1 } }] });
  const received = service.nextRequest();
  const creation = service.create();
  await received;

  // No timer fires between the arrival of the request and this call, so a delay of 1 ms is long enough.
  await service.close();

  await expect(creation).rejects.toThrow();
  // The creation would have its effect after its delay.
  await setTimeout(2);
  expect(service.webhooks).toEqual([]);
});

it("A fault rule applies to as many matching requests as `times` says, unless a rule before it applies", async () => {
  const where: FaultRule["where"] = ({ body }) => Object(body).tableId === "tbl_1";
  const faults = [
    { where, times: 1, fault },
    { times: 2, fault: respond(429) },
  ];
  const service = await startFaultyService({ faults });
  const body = webhookBody({ tableId: "tbl_1" });

  const responses = [
    await service.create(),
    await service.create({ body }),
    await service.create({ body }),
    await service.create({ body }),
  ];

  expect(statusCodesOf(responses)).toEqual([429, 503, 429, 201]);
});

it("A fault rule applies several faults in their order", async () => {
  const several = [withFields({ id: 0, secret: undefined }), idAsString, asHtml];
  const service = await startFaultyService({ faults: [{ fault: several }] });

  const { headers, json } = await service.create();

  expect(headers["content-type"]).toBe("text/html");
  expect(json).toEqual({ id: "0" });
});

it("A fault rule with `commit: true` replaces a refusal, including its headers", async () => {
  const body: ChangeBody = (_, { error }) => error.code;
  const service = await startFaultyService();

  const refusal = await service.create({ apiKey: "wrong" });
  service.inject({ fault: { ...fault, commit: true, body } });
  const replaced = await service.create({ apiKey: "wrong" });

  expect(refusal.headers).toHaveProperty("www-authenticate", "Bearer");
  expect(replaced).toMatchObject({ statusCode: 503, text: "UNAUTHORIZED" });
  expect(replaced.headers).not.toHaveProperty("www-authenticate");
});

it("A fault rule by default applies to every request, lists those requests, and applies to none once it is removed", async () => {
  const service = await startFaultyService();
  const rule = service.inject({ fault });

  const responses = [await service.send({ path: "/" }), await service.create()];
  rule.remove();
  responses.push(await service.create());

  expect(statusCodesOf(responses)).toEqual([503, 503, 201]);
  expect(rule.requests).toMatchObject([{ path: "/" }, { number: 2, method: "POST" }]);
});

it.each<{ rule: unknown; problem: RegExp }>([
  { rule: undefined, problem: /expected an object/ },
  { rule: { fault: { kind: "dealy", ms: 1 } }, problem: /kind must be one of delay, / },
  { rule: { fault: [fault, { kind: "delay", ms: "1" }] }, problem: /ms must be a whole number/ },
  { rule: { fault: { kind: "respond", status: 503 } }, problem: /status is unknown/ },
  { rule: { fault, where: true, on: "PUT" }, problem: /on must be .*; where must be/ },
])("An invalid fault rule is refused, and has no effect: $problem", async ({ rule, problem }) => {
  const service = await startFaultyService();

  expect(() => service.inject(rule as FaultRule)).toThrow(problem);
  expect((await service.create()).statusCode).toBe(201);
  await expect(startFaultyService({ faults: [rule as FaultRule] })).rejects.toThrow(problem);
});
