import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { Fault, FaultRule } from "../../src/local-service/index.js";
import { asHtml, idAsString } from "../helpers/faults/faults.mjs";
import { startService, webhookBody } from "../helpers/local-service.js";

// What each kind of fault does alone is shown by the fault matrix.
const fault = { kind: "respond", statusCode: 503 } as const;
const respond = (statusCode: number) => ({ kind: "respond", statusCode }) as const;
const hold = { kind: "hold" } as const;

describe("a request that a fault keeps waiting", () => {
  it("does so, if it is a delay, until the service closes", async () => {
    const delay = vi.spyOn(timers, "setTimeout");
    syncBuiltinESMExports();
    const { service, creation } = await startWaiting({ kind: "delay", ms: 3_600_000 });
    await service.close();

    await expect(creation).rejects.toThrow();
    await expect(delay.mock.results[0]?.value).rejects.toThrow("aborted");
    expect(service.requests[0]).toMatchObject({ committed: false });
    delay.mockRestore();
    syncBuiltinESMExports();
  });

  it("waits for each release of a hold anew, and for the end of all faults", async () => {
    const { service, rule, creation } = await startWaiting(hold);
    rule.release();
    expect((await creation).json.id).toBe(1);

    for (const end of [rule.release, service.clearFaults]) {
      const received = service.nextRequest();
      const next = service.create();
      await received;
      await service.list();
      const { length } = service.webhooks;
      end();
      expect((await next).json.id).toBe(length + 1);
    }
  });

  it("has no effect when it is released after the service has closed", async () => {
    const { service, rule, creation } = await startWaiting(hold);
    await service.close();
    await expect(creation).rejects.toThrow();

    rule.release();

    await (await startService()).list();
    expect(service.requests[0]).toMatchObject({ committed: false, outcome: "disconnected" });
  });

  async function startWaiting(fault: Fault) {
    const service = await startService();
    const rule = service.inject({ on: "POST", fault });
    const received = service.nextRequest();
    const creation = service.create();
    await received;
    // Gives the service time to do what it does without waiting.
    await service.list();
    return { service, rule, creation };
  }
});

describe("a fault rule", () => {
  const hasTable = ({ body }: { body?: unknown }) => "tableId" in Object(body);
  const where = () => JSON.parse("{");
  const several = [fault, hold, { kind: "resetAfterCommit" }] as const;
  const once = (statusCode: number) => ({ times: 1, fault: respond(statusCode) });

  it.each<[string, string, ...FaultRule[]]>([
    ["meets every request", "503 503 503 503 503 503", { fault }],
    ["is for a method", "201 201 503 200 404 503", { on: "DELETE", fault }],
    ["is for a database", "201 503 200 200 404 503", { databaseId: "a/b", fault }],
    ["is for a condition on the body", "503 503 404 200 404 404", { where: hasTable, fault }],
    ["whose condition throws", "500 500 500 500 500 500", { where, fault }],
    ["is spent after its times", "201 503 503 200 404 404", { skip: 1, times: 2, fault }],
    ["counts what matches", "201 201 200 200 404 503", { on: "DELETE", skip: 1, times: 1, fault }],
    ["waits behind others", "500 503 429 200 404 404", once(500), once(503), once(429)],
    ["ends with an answer before the commit", "503 503 503 503 503 503", { fault: several }],
  ])("%s: %s", async (_case, statusCodes, ...faults) => {
    const service = await startService({ listing: true, faults });
    const body = webhookBody({ tableId: "tbl_1" });

    const answers = [
      await service.create({ body }),
      await service.create({ body, databaseId: "a/b" }),
      await service.delete(1),
      await service.list(),
      await service.create({ path: "/" }),
      await service.delete(2, { databaseId: "a/b" }),
    ];

    expect(answers.map(({ statusCode }) => statusCode).join(" ")).toBe(statusCodes);
  });

  it("meets a share of the requests, the same for the same seed, and shows them", async () => {
    const met = [1, 2].map(async (seed) => {
      const service = await startService();
      const rule = service.inject({ probability: 0.5, seed, fault });
      for (let count = 0; count < 12; count++) {
        await service.create();
      }
      return rule.requests.map(({ number }) => number).join();
    });

    expect(await Promise.all(met)).toEqual(["2,6,9,11,12", "2,3,7,8,10,12"]);
  });

  it("can play several faults, after a refusal too, and is over when it is removed", async () => {
    const fields = { kind: "fields", set: { id: 0 }, remove: ["secret"] } as const;
    const several = [fields, idAsString, { kind: "delay", ms: 1 }, asHtml] as const;
    const service = await startService({ faults: [{ times: 1, fault: several }] });
    const rule = service.inject({ fault: { ...respond(502), commit: true } });

    const altered = await service.create();
    const replaced = await service.create({ apiKey: "wrong" });
    rule.remove();
    const refused = await service.create({ apiKey: "wrong" });

    const type = { "content-type": "text/html" };
    expect(altered).toMatchObject({ statusCode: 201, headers: type, json: { id: "0" } });
    expect(altered.json).not.toHaveProperty("secret");
    expect(replaced).toMatchObject({ statusCode: 502, text: "" });
    expect(replaced.headers).not.toHaveProperty("content-type");
    expect(replaced.headers).not.toHaveProperty("www-authenticate");
    expect(refused.statusCode).toBe(401);
  });

  it("plays nothing after a silence or a reset", async () => {
    const service = await startService();
    const answer = { ...fault, commit: true };
    service.inject({ times: 1, fault: [{ kind: "resetAfterCommit" }, answer] });
    service.inject({ fault: [{ kind: "neverAnswer", commit: true }, answer] });
    await expect(service.create()).rejects.toThrow();
    const finished = service.nextRequest({ stage: "finished" });
    const creation = service.create();
    await finished;

    await service.close();

    await expect(creation).rejects.toThrow();
    expect(service.requests).toMatchObject([{ outcome: "reset" }, { outcome: "unanswered" }]);
  });

  const everything = { on: "PUT", skip: -1, fault: [{ kind: "delay", ms: "1" }, 7] };
  it.each<[unknown, RegExp]>([
    [undefined, /the rule must be an object/],
    [{ fault: { kind: "dealy", ms: 1 } }, /fault.kind is unknown; did you mean delay?/],
    [{ fault: { ...respond(204), body: "" } }, /fault.body must be absent/],
    [{ fault: { ...fault, headers: { a: "1\n2" } } }, /fault.headers must/],
    [{ fault: { ...fault, body: Symbol() } }, /fault.body must be JSON/],
    [{ fault, where: true }, /where must be a function/],
    [everything, /fault\[0\]\.ms must be .*; fault\[1\] must be .*; on must be .*; skip must be /],
  ])("is refused with all that is wrong: %j", async (malformed, problem) => {
    const rule = malformed as FaultRule;
    const service = await startService();

    expect(() => service.inject(rule)).toThrow(problem);
    await expect(startService({ faults: [{ fault }, rule] })).rejects.toThrow(problem);
    expect((await service.create()).statusCode).toBe(201);
  });
});
