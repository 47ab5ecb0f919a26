import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type Fault,
  type FaultRule,
  type LocalService,
  startLocalService,
} from "../../src/local-service/index.js";
import { asHtml, idAsString } from "../helpers/faults/faults.mjs";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  startService,
  webhookBody,
} from "../helpers/local-service.js";

vi.mock("node:timers/promises", { spy: true });

// What each kind of fault does alone is shown by the fault matrix.
const fault = { kind: "respond", statusCode: 503 } as const;
const respond = (statusCode: number) => ({ kind: "respond", statusCode }) as const;

beforeEach(() => {
  const error = vi.spyOn(console, "error");
  onTestFinished(() => {
    expect(error).not.toHaveBeenCalled();
    error.mockRestore();
  });
});

describe("a fault that keeps a client waiting", () => {
  it.each<[Fault, outcome: string, committed: boolean]>([
    [{ kind: "delay", ms: 3_600_000 }, "pending", false],
    [{ kind: "neverAnswer", commit: true }, "unanswered", true],
  ])("does so until the service closes: %j", async (fault, outcome, committed) => {
    const service = await startService({ faults: [{ fault }] });
    const reached = service.nextRequest({ stage: committed ? "committed" : "received" });
    vi.mocked(delay).mockClear();
    const creation = createWebhook(service);
    await reached;
    service.clearFaults();
    await roundTrip(service);

    expect(service.requests[0]).toMatchObject({ outcome, committed });
    expect(service.webhooks).toHaveLength(Number(committed));
    await service.close();
    await expect(creation).rejects.toThrow();
    if (fault.kind === "delay") {
      await expect(vi.mocked(delay).mock.results[0]?.value).rejects.toThrow("aborted");
    }
  });
});

describe("a hold", () => {
  /** Sends creations that are held. */
  const startHeld = async (count = 1, options = {}) => {
    const service = await startService(options);
    const hold = service.inject({ on: "POST", fault: { kind: "hold" } });
    const arrived = service.nextRequest({ where: ({ number }) => number === count });
    const creations = Array.from({ length: count }, () => createWebhook(service));
    await arrived;
    await roundTrip(service);
    expect(service.webhooks).toEqual([]);
    return { service, hold, creations };
  };

  it("keeps requests from taking effect until it is released or cleared, and later ones again", async () => {
    const { service, hold, creations } = await startHeld(2);

    hold.release();

    await Promise.all(creations);
    for (const end of [hold.release, service.clearFaults]) {
      const received = service.nextRequest();
      const next = createWebhook(service);
      await received;
      const before = service.webhooks.length;
      await roundTrip(service);
      expect(service.webhooks).toHaveLength(before);
      end();
      expect((await next).json.id).toBe(before + 1);
    }
  });

  it("commits nothing when it is released after the service has closed", async () => {
    const { service, hold, creations } = await startHeld();
    await service.close();
    await expect(creations[0]).rejects.toThrow();

    hold.release();

    await roundTrip(await startService());
    expect(service.requests[0]).toMatchObject({ committed: false, outcome: "disconnected" });
  });
});

describe("a fault rule", () => {
  const hasTable = ({ body }: { body?: unknown }) => "tableId" in Object(body);
  const where = () => JSON.parse("{");
  const several = [fault, { kind: "hold" }, { kind: "resetAfterCommit" }] as const;
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
      await createWebhook(service, { body }),
      await createWebhook(service, { body, databaseId: "a/b" }),
      await deleteWebhook(service, 1),
      await listWebhooks(service),
      await createWebhook(service, { path: "/" }),
      await deleteWebhook(service, 2, { databaseId: "a/b" }),
    ];

    expect(answers.map(({ statusCode }) => statusCode).join(" ")).toBe(statusCodes);
  });

  it("meets a share of the requests, the same for the same seed, and shows them", async () => {
    const numbersMet = async (seed: number) => {
      const service = await startService();
      const rule = service.inject({ probability: 0.5, seed, fault });
      for (let count = 0; count < 30; count++) {
        await createWebhook(service);
      }
      return rule.requests.map(({ number }) => number);
    };

    const [first, same, other] = [await numbersMet(1), await numbersMet(1), await numbersMet(2)];

    expect(first.length).toBeGreaterThan(5);
    expect(first.length).toBeLessThan(25);
    expect(same).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it("plays several faults in turn, those before the commit first", async () => {
    const several = [
      { kind: "fields", set: { id: 0 }, remove: ["secret"] },
      idAsString,
      { kind: "delay", ms: 1 },
      asHtml,
    ] as const;
    const service = await startService({ faults: [{ fault: several }] });

    const { statusCode, headers, json } = await createWebhook(service);

    expect([statusCode, headers["content-type"], json]).toEqual([201, "text/html", { id: "0" }]);
  });

  it("can replace a refusal, headers and all", async () => {
    const service = await startService({ faults: [{ fault: { ...respond(502), commit: true } }] });

    const { statusCode, headers, text } = await createWebhook(service, { apiKey: "wrong" });

    expect([statusCode, text, service.webhooks]).toEqual([502, "", []]);
    expect(headers).not.toHaveProperty("content-type");
    expect(headers).not.toHaveProperty("www-authenticate");
  });

  it("plays nothing after a silence or a reset", async () => {
    const service = await startService();
    const answer = { ...fault, commit: true };
    service.inject({ times: 1, fault: [{ kind: "resetAfterCommit" }, answer] });
    service.inject({ fault: [{ kind: "neverAnswer", commit: true }, answer] });
    await expect(createWebhook(service)).rejects.toThrow();
    const finished = service.nextRequest({ stage: "finished" });
    const creation = createWebhook(service);
    await finished;

    await service.close();

    await expect(creation).rejects.toThrow();
    expect(service.requests).toMatchObject([{ outcome: "reset" }, { outcome: "unanswered" }]);
  });

  it("is over when it is spent, removed or cleared", async () => {
    const service = await startService({ faults: [{ times: 1, fault }] });
    const second = service.inject({ fault: respond(500) });
    const statusCode = async () => (await createWebhook(service)).statusCode;

    expect([await statusCode(), await statusCode()]).toEqual([503, 500]);
    second.remove();
    expect(await statusCode()).toBe(201);
    service.inject({ fault });
    service.clearFaults();
    expect(await statusCode()).toBe(201);
  });

  it.each<[unknown, string]>([
    [undefined, "the rule must be an object"],
    [{ fault: { kind: "dealy", ms: 1 } }, "fault.kind is unknown; did you mean delay?"],
    [{ fault: { kind: "hold", comit: true } }, "fault.comit is unknown; did you mean commit?"],
    [{ fault: { ...respond(204), body: "" } }, "fault.body must be absent"],
    [{ fault: { ...fault, headers: { a: "1\n2" } } }, "fault.headers must"],
    [{ fault: { ...fault, body: Symbol() } }, "fault.body must be JSON"],
    [{ fault, where: true }, "where must be a function"],
    [{ fault, time: 1 }, "time is unknown; did you mean times?"],
    [
      { on: "PUT", skip: -1, fault: [{ kind: "delay", ms: "1" }, { kind: "fields" }, 7] },
      /^fault rule: fault\[0\]\.ms must be .*; fault\[2\] must be .*; on must be .*; skip must be .*\.$/,
    ] as never,
  ])("is refused with all that is wrong: %j", async (malformed, problem) => {
    const rule = malformed as FaultRule;
    const service = await startService();

    expect(() => service.inject(rule)).toThrow(problem);
    await expect(startLocalService({ faults: [{ fault }, rule] })).rejects.toThrow(problem);
    expect((await createWebhook(service)).statusCode).toBe(201);
  });
});

/** Gives the service time to do what it does without waiting. */
async function roundTrip(service: LocalService): Promise<void> {
  await listWebhooks(service);
}
