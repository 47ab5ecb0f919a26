import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../src/local-service/index.js";
import { asHtml, idAsString, withFields } from "../helpers/faults/faults.mjs";
import { startService, webhookBody } from "../helpers/local-service.js";

// The fault matrix shows what each kind of fault does alone.
const respond = (statusCode: number) => ({ kind: "respond", statusCode }) as const;

describe("A request that a fault holds", () => {
  it("has no effect when the service closes first", async () => {
    const { service, rule, creation } = await startWaiting();

    await service.close();
    rule.release();

    await expect(creation).rejects.toThrow();
    expect(service.requests[0]).toMatchObject({ committed: false });
    expect(service.webhooks).toEqual([]);
  });

  it("continues with a release of its rule, for which later requests wait again", async () => {
    const { service, rule, creation } = await startWaiting();

    rule.release();
    await creation;
    const next = await startCreation(service);
    const webhooksBefore = service.webhooks.length;
    rule.release();
    await next.creation;

    expect(webhooksBefore).toBe(1);
    expect(service.webhooks).toHaveLength(2);
  });

  it("continues when all faults are cleared", async () => {
    const { service, creation } = await startWaiting();

    service.clearFaults();

    expect((await creation).statusCode).toBe(201);
  });

  /** Starts a service, and a creation that the rule holds. */
  async function startWaiting() {
    const service = await startService();
    const rule = service.inject({ on: "POST", fault: { kind: "hold" } });
    return { service, rule, ...(await startCreation(service)) };
  }

  async function startCreation(service: Awaited<ReturnType<typeof startService>>) {
    const received = service.nextRequest();
    const creation = service.create();
    await received;
    // Gives the service time to do what it does without waiting.
    await service.list();
    return { creation };
  }
});

describe("A fault rule", () => {
  const fault = respond(503);
  const where: FaultRule["where"] = ({ body }) => Object(body).tableId === "tbl_1";

  // The status codes of two creations, of a deletion of no webhook and of a request elsewhere.
  it.each<[string, number[], ...FaultRule[]]>([
    ["meets every request by default", [503, 503, 503, 503], { fault }],
    ["meets only its method", [201, 201, 503, 404], { on: "DELETE", fault }],
    ["meets only its database", [201, 503, 404, 404], { databaseId: "base_2", fault }],
    ["meets only requests that fulfil its condition", [503, 201, 404, 404], { where, fault }],
    ["is spent after its times", [503, 503, 404, 404], { times: 2, fault }],
    [
      "waits until the rules before it are spent",
      [500, 429, 404, 404],
      { times: 1, fault: respond(500) },
      { times: 1, fault: respond(429) },
    ],
  ])("%s", async (_fact, statusCodes, ...faults) => {
    const service = await startService({ faults });

    const responses = [
      await service.create({ body: webhookBody({ tableId: "tbl_1" }) }),
      await service.create({ databaseId: "base_2" }),
      await service.delete(99),
      await service.create({ path: "/" }),
    ];

    expect(responses.map(({ statusCode }) => statusCode)).toEqual(statusCodes);
  });

  it("plays several faults in their order", async () => {
    const several = [withFields({ id: 0, secret: undefined }), idAsString, asHtml];
    const service = await startService({ faults: [{ fault: several }] });

    const { statusCode, headers, json } = await service.create();

    expect([statusCode, headers["content-type"], json]).toEqual([201, "text/html", { id: "0" }]);
  });

  it("plays nothing after a silence", async () => {
    const silence = { kind: "neverRespond", commit: true } as const;
    const service = await startService({
      faults: [{ on: "POST", fault: [silence, { ...fault, commit: true }] }],
    });
    const finished = service.nextRequest({ stage: "finished" });
    const creation = service.create();
    await finished;
    // Gives the service time to play more.
    await service.list();

    await service.close();

    await expect(creation).rejects.toThrow();
    expect(service.requests).toMatchObject([{ outcome: "noResponse" }, {}]);
  });

  it("replaces a refusal, headers included", async () => {
    const service = await startService({ faults: [{ fault: { ...fault, commit: true } }] });

    const { statusCode, text, headers } = await service.create({ apiKey: "wrong" });

    expect([statusCode, text]).toEqual([503, ""]);
    expect(headers).not.toHaveProperty("www-authenticate");
  });

  it("has the requests that it met, and is over when it is removed", async () => {
    const service = await startService();
    const rule = service.inject({ fault });

    await service.create();
    rule.remove();

    expect((await service.create()).statusCode).toBe(201);
    expect(rule.requests).toMatchObject([{ number: 1 }]);
  });

  it.each<[unknown, RegExp]>([
    [undefined, /must be an object/],
    [{ fault: { kind: "dealy", ms: 1 } }, /kind must be one of delay, /],
    [{ fault: [fault, { kind: "delay", ms: "1" }] }, /ms must be a whole number/],
    [{ fault: { kind: "respond", status: 503 } }, /status is unknown/],
    [{ fault, where: true, on: "PUT" }, /on must be .*; where must be a function/],
  ])("is refused as a whole when it is not valid: %j", async (rule, problem) => {
    const service = await startService();

    expect(() => service.inject(rule as FaultRule)).toThrow(problem);
    await expect(startService({ faults: [rule as FaultRule] })).rejects.toThrow(problem);
    expect((await service.create()).statusCode).toBe(201);
  });
});
