import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../src/local-service/index.js";
import { asHtml, idAsString, withFields } from "../helpers/faults/faults.mjs";
import { startService, statusCodesOf, webhookBody } from "../helpers/local-service.js";

// The tests in test/process/faults show what each kind of fault does on its own.
const respond = (statusCode: number) => ({ kind: "respond", statusCode }) as const;

describe("A request that a fault holds", () => {
  it("has no effect when the service closes first", async () => {
    const { service, rule, creation } = await startHeldCreation();

    await service.close();
    rule.release();

    await expect(creation).rejects.toThrow();
    expect(service.requests).toMatchObject([{ committed: false }]);
    expect(service.webhooks).toEqual([]);
  });

  it("continues when its rule is released, while later requests wait again", async () => {
    const { service, rule, creation } = await startHeldCreation();

    rule.release();
    await creation;
    const laterCreation = service.create();
    await expect.poll(() => rule.requests).toHaveLength(2);
    // The response shows that the service has had time to handle the creation before it.
    await service.list();
    const webhooksBeforeRelease = service.webhooks;
    rule.release();
    await laterCreation;

    expect(webhooksBeforeRelease).toMatchObject([{ id: 1 }]);
    expect(service.webhooks).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it("continues when all faults are cleared", async () => {
    const { service, creation } = await startHeldCreation();

    service.clearFaults();

    expect((await creation).statusCode).toBe(201);
  });

  async function startHeldCreation() {
    const service = await startService();
    const rule = service.inject({ on: "POST", fault: { kind: "hold" } });
    const received = service.nextRequest();
    const creation = service.create();
    await received;
    return { service, rule, creation };
  }
});

describe("A fault rule", () => {
  const fault = respond(503);
  const where: FaultRule["where"] = ({ body }) => Object(body).tableId === "tbl_1";

  it.each<{ fact: string; rule: Omit<FaultRule, "fault">; statusCodes: number[] }>([
    { fact: "every request by default", rule: {}, statusCodes: [503, 503, 503, 503] },
    { fact: "one method", rule: { on: "DELETE" }, statusCodes: [201, 201, 503, 404] },
    { fact: "one database", rule: { databaseId: "base_2" }, statusCodes: [201, 503, 200, 404] },
    { fact: "a condition", rule: { where }, statusCodes: [503, 201, 404, 404] },
    { fact: "`times` requests", rule: { times: 2 }, statusCodes: [503, 503, 404, 404] },
  ])("applies to $fact", async ({ rule, statusCodes }) => {
    const service = await startService({ faults: [{ ...rule, fault }] });

    const responses = [
      await service.create({ body: webhookBody({ tableId: "tbl_1" }) }),
      await service.create({ databaseId: "base_2" }),
      await service.delete(1),
      await service.create({ path: "/" }),
    ];

    expect(statusCodesOf(responses)).toEqual(statusCodes);
  });

  it("applies once the matching rules before it have ended", async () => {
    const faults = [500, 429].map((statusCode) => ({ times: 1, fault: respond(statusCode) }));
    const service = await startService({ faults });

    const responses = [await service.create(), await service.create(), await service.create()];

    expect(statusCodesOf(responses)).toEqual([500, 429, 201]);
  });

  it("applies several faults in their order", async () => {
    const several = [withFields({ id: 0, secret: undefined }), idAsString, asHtml];
    const service = await startService({ faults: [{ fault: several }] });

    const { statusCode, headers, json } = await service.create();

    expect(statusCode).toBe(201);
    expect(headers["content-type"]).toBe("text/html");
    expect(json).toEqual({ id: "0" });
  });

  it("applies no fault after neverRespond", async () => {
    const neverRespond = { kind: "neverRespond", commit: true } as const;
    const several = [neverRespond, { ...fault, commit: true }];
    const service = await startService({ faults: [{ on: "POST", fault: several }] });
    const finished = service.nextRequest({ stage: "finished" });
    const creation = service.create();
    await finished;
    // The response shows that the service has had time to apply another fault.
    await service.list();

    await service.close();

    await expect(creation).rejects.toThrow();
  });

  it("replaces a refusal, including its headers", async () => {
    const service = await startService({ faults: [{ fault: { ...fault, commit: true } }] });

    const { statusCode, text, headers } = await service.create({ apiKey: "wrong" });

    expect(statusCode).toBe(503);
    expect(text).toBe("");
    expect(headers).not.toHaveProperty("www-authenticate");
  });

  it("lists the requests that it has applied to, and applies to none once it is removed", async () => {
    const service = await startService();
    const rule = service.inject({ fault });

    await service.create();
    rule.remove();

    expect((await service.create()).statusCode).toBe(201);
    expect(rule.requests).toMatchObject([{ number: 1 }]);
  });

  it.each<{ rule: unknown; problem: RegExp }>([
    { rule: undefined, problem: /must be an object/ },
    { rule: { fault: { kind: "dealy", ms: 1 } }, problem: /kind must be one of delay, / },
    { rule: { fault: [fault, { kind: "delay", ms: "1" }] }, problem: /ms must be a whole number/ },
    { rule: { fault: { kind: "respond", status: 503 } }, problem: /status is unknown/ },
    { rule: { fault, where: true, on: "PUT" }, problem: /on must be .*; where must be/ },
  ])("is refused when it is invalid, and has no effect: $problem", async ({ rule, problem }) => {
    const service = await startService();

    expect(() => service.inject(rule as FaultRule)).toThrow(problem);
    expect((await service.create()).statusCode).toBe(201);
    await expect(startService({ faults: [rule as FaultRule] })).rejects.toThrow(problem);
  });
});
