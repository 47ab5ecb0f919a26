import { describe, expect, it } from "vitest";
import type { Fault, FaultRule } from "../../src/local-service/index.js";
import { asHtml, idAsString, withFields } from "../helpers/faults/faults.mjs";
import { startService, webhookBody } from "../helpers/local-service.js";

// The fault matrix shows what each kind of fault does alone.
const fault = { kind: "respond", statusCode: 503 } as const;
const respond = (statusCode: number) => ({ kind: "respond", statusCode }) as const;
const hold = { kind: "hold" } as const;

describe("A request that a fault delays", () => {
  it.each<Fault>([{ kind: "delay", ms: 3_600_000 }, hold])(
    "has no effect when the service closes during %j",
    async (fault) => {
      const { service, rule, creation } = await startWaiting(fault);

      await service.close();
      rule.release();

      await expect(creation).rejects.toThrow();
      expect(service.requests[0]).toMatchObject({ committed: false });
      expect(service.webhooks).toEqual([]);
    },
  );

  it("continues with the next release of its rule", async () => {
    const { service, rule, creation } = await startWaiting(hold);

    rule.release();
    await creation;
    const { next } = await startAnother(service);
    expect(service.webhooks).toHaveLength(1);
    rule.release();
    await next;

    expect(service.webhooks).toHaveLength(2);
  });

  it("continues when all faults are cleared", async () => {
    const { service, creation } = await startWaiting(hold);

    service.clearFaults();

    expect((await creation).statusCode).toBe(201);
  });

  async function startWaiting(fault: Fault) {
    const service = await startService();
    const rule = service.inject({ on: "POST", fault });
    const { next: creation } = await startAnother(service);
    return { service, rule, creation };
  }

  async function startAnother(service: Awaited<ReturnType<typeof startService>>) {
    const received = service.nextRequest();
    const next = service.create();
    await received;
    // Gives the service time to do what it does without waiting.
    await service.list();
    return { next };
  }
});

describe("A fault rule", () => {
  const hasTable = ({ body }: { body?: unknown }) => "tableId" in Object(body);
  const fails = () => JSON.parse("{");
  const several = [fault, hold, { kind: "resetAfterCommit" }] as const;
  const once = (statusCode: number) => ({ times: 1, fault: respond(statusCode) });

  const tableId = "tbl_1";

  /** The status codes that a service with these rules returns for five requests. */
  async function statusCodesWith(...faults: FaultRule[]) {
    const service = await startService({ listing: true, faults });
    const body = webhookBody({ tableId });
    const responses = {
      createInBase1: await service.create({ body }),
      createInBase2: await service.create({ body, databaseId: "base_2" }),
      delete: await service.delete(1),
      list: await service.list(),
      otherPath: await service.create({ path: "/" }),
    };
    return Object.fromEntries(
      Object.entries(responses).map(([name, { statusCode }]) => [name, statusCode]),
    );
  }

  const faultless = {
    createInBase1: 201,
    createInBase2: 201,
    delete: 200,
    list: 200,
    otherPath: 404,
  };
  const forAll = (statusCode: number) => ({
    createInBase1: statusCode,
    createInBase2: statusCode,
    delete: statusCode,
    list: statusCode,
    otherPath: statusCode,
  });

  it.each<[string, object, ...FaultRule[]]>([
    ["meets every request", forAll(503), { fault }],
    ["meets only its method", { ...faultless, delete: 503 }, { on: "DELETE", fault }],
    [
      "meets only its database",
      { ...faultless, createInBase2: 503 },
      { databaseId: "base_2", fault },
    ],
    [
      "can depend on the body",
      { ...faultless, createInBase1: 503, createInBase2: 503, delete: 404 },
      { where: hasTable, fault },
    ],
    ["whose condition throws gives 500", forAll(500), { where: fails, fault }],
    [
      "is spent after its times",
      { ...faultless, createInBase1: 503, createInBase2: 503, delete: 404 },
      { times: 2, fault },
    ],
    [
      "waits until the rules before it are spent",
      { ...faultless, createInBase1: 500, createInBase2: 503, delete: 429 },
      once(500),
      once(503),
      once(429),
    ],
    ["ends with a response before the commit", forAll(503), { fault: several }],
  ])("%s", async (_fact, expected, ...faults) => {
    expect(await statusCodesWith(...faults)).toEqual(expected);
  });

  it("plays several faults in their order", async () => {
    const several = [withFields({ id: 0, secret: undefined }), idAsString, asHtml];
    const service = await startService({ faults: [{ fault: several }] });

    const { statusCode, headers, json } = await service.create();

    expect([statusCode, headers["content-type"], json]).toEqual([201, "text/html", { id: "0" }]);
  });

  it("replaces a refusal, headers included, and is over when it is removed", async () => {
    const service = await startService();
    const rule = service.inject({ fault: { ...respond(502), commit: true } });

    const replaced = await service.create({ apiKey: "wrong" });
    rule.remove();
    const refused = await service.create({ apiKey: "wrong" });

    expect(replaced).toMatchObject({ statusCode: 502, text: "" });
    expect(replaced.headers).not.toHaveProperty("www-authenticate");
    expect(refused.statusCode).toBe(401);
    expect(rule.requests.map(({ number }) => number)).toEqual([1]);
  });

  it("plays nothing after a silence or a reset", async () => {
    const service = await startService();
    const response = { ...fault, commit: true };
    service.inject({ times: 1, fault: [{ kind: "resetAfterCommit" }, response] });
    service.inject({ fault: [{ kind: "neverAnswer", commit: true }, response] });
    await expect(service.create()).rejects.toThrow();
    const finished = service.nextRequest({ stage: "finished" });
    const creation = service.create();
    await finished;

    await service.close();

    await expect(creation).rejects.toThrow();
    expect(service.requests).toMatchObject([{ outcome: "reset" }, { outcome: "unanswered" }]);
  });

  it.each<[unknown, RegExp]>([
    [undefined, /must be an object/],
    [{ fault: { kind: "dealy", ms: 1 } }, /kind must be one of delay, /],
    [{ fault: { kind: "respond", status: 503 } }, /status is unknown/],
    [{ fault: [fault, { kind: "delay", ms: "1" }] }, /ms must be a whole number/],
    [{ fault, where: true, on: "PUT" }, /on must be .*; where must be a function/],
    [{ fault, probability: 1 }, /probability is unknown/],
  ])("is refused, and none of it acts: %j", async (malformed, problem) => {
    const rule = malformed as FaultRule;
    const service = await startService();

    expect(() => service.inject(rule)).toThrow(problem);
    await expect(startService({ faults: [rule] })).rejects.toThrow(problem);
    expect((await service.create()).statusCode).toBe(201);
  });
});
