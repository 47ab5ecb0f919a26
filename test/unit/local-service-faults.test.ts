import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type Fault,
  type FaultRule,
  type LocalService,
  startLocalService,
} from "../../src/local-service/index.js";
import {
  asHtml,
  echoAuthorization,
  hugeBody,
  idAsString,
  truncatedJson,
} from "../helpers/faults/faults.mjs";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  startService,
  webhookBody,
} from "../helpers/local-service.js";

vi.mock("node:timers/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:timers/promises")>();
  return { ...original, setTimeout: vi.fn(original.setTimeout) };
});

// undici's word for ECONNRESET depends on whether it was still writing.
const resetCode = expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/);
const hourMs = 3_600_000;

beforeEach(() => {
  const error = vi.spyOn(console, "error");
  onTestFinished(() => {
    expect(error).not.toHaveBeenCalled();
    error.mockRestore();
  });
});

describe("a fault that keeps a client waiting", () => {
  it.each<[Fault, outcome: string, committed: boolean]>([
    [{ kind: "delay", ms: hourMs }, "pending", false],
    [{ kind: "delay", ms: hourMs, commit: true }, "pending", true],
    [{ kind: "neverAnswer" }, "unanswered", false],
    [{ kind: "neverAnswer", commit: true }, "unanswered", true],
  ])(
    "does so until the service closes, before or after the request takes effect: %j",
    async (fault, outcome, committed) => {
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
        expect(vi.mocked(delay).mock.calls[0]).toMatchObject([hourMs, undefined, {}]);
        await expect(vi.mocked(delay).mock.results[0]?.value).rejects.toThrow("aborted");
      }
    },
  );

  it("can be a delay before the ordinary answer", async () => {
    const fault = [true, false].map((commit) => ({ kind: "delay", ms: 1, commit }) as const);

    expect((await answerWith(fault)).statusCode).toBe(201);
  });
});

describe("a hold", () => {
  /** Sends creations that are held. */
  const startHeld = async (count = 1, options = {}) => {
    const service = await startService(options);
    const hold = service.inject({ on: "POST", fault: { kind: "hold" } });
    const arrived = service.nextRequest({ where: ({ number }) => number === count });
    const client = new AbortController();
    const creations = Array.from({ length: count }, () =>
      createWebhook(service, { signal: client.signal }),
    );
    await arrived;
    await roundTrip(service);
    expect(service.webhooks).toEqual([]);
    return { service, hold, creations, client };
  };

  it("keeps several requests from taking effect until it is released, and later ones again", async () => {
    const { service, hold, creations } = await startHeld(2);

    hold.release();

    expect(await Promise.all(creations)).toMatchObject([{ statusCode: 201 }, { statusCode: 201 }]);
    const received = service.nextRequest();
    const third = createWebhook(service);
    await received;
    await roundTrip(service);
    expect(service.webhooks).toHaveLength(2);
    hold.release();
    expect((await third).json.id).toBe(3);
  });

  it("lets the request take effect even when the client has left by then", async () => {
    const { service, hold, creations, client } = await startHeld();
    const gone = service.nextRequest({ stage: "finished" });
    client.abort();
    await expect(creations[0]).rejects.toThrow();
    await gone;

    const committed = service.nextRequest({ stage: "committed" });
    hold.release();

    expect(await committed).toMatchObject({ outcome: "disconnected", webhookId: "1" });
    expect(await committed).not.toHaveProperty("statusCode");
  });

  it("commits nothing when it is released after the service has closed", async () => {
    const { service, hold, creations } = await startHeld();
    await service.close();
    await expect(creations[0]).rejects.toThrow();

    hold.release();

    await roundTrip(await startService());
    expect(service.requests[0]).toMatchObject({ committed: false, outcome: "disconnected" });
  });

  it("ends when its rule is removed, and when all faults are cleared", async () => {
    const first = { fault: { kind: "hold" }, times: 1 } as const;
    const { service, hold, creations } = await startHeld(2, { faults: [first] });

    hold.remove();
    service.clearFaults();

    expect(await Promise.all(creations)).toMatchObject([{ statusCode: 201 }, { statusCode: 201 }]);
  });
});

describe("a reset", () => {
  it.each([
    ["resetBeforeReading", false, undefined],
    ["resetAfterCommit", true, webhookBody()],
  ] as const)("%s leaves webhooks as it says", async (kind, committed, body) => {
    const service = await startService();
    await createWebhook(service);
    service.inject({ fault: { kind } });

    await expect(createWebhook(service)).rejects.toMatchObject({ code: resetCode });
    await expect(deleteWebhook(service, 1)).rejects.toMatchObject({ code: resetCode });

    expect(service.requests.slice(1)).toMatchObject([
      { committed, body, outcome: "reset" },
      { committed, outcome: "reset" },
    ]);
    expect(service.webhooks.map(({ id }) => id)).toEqual([committed ? 2 : 1]);
  });

  it("in the middle of the body breaks off an answer that has begun", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "resetMidBody" } });
    const sent = JSON.stringify(webhookBody());
    const socket = connect(service.port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      answer += chunk;
    });
    const closed = new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
    socket.end(
      [
        "POST /api/v1/bases/base_1/webhooks HTTP/1.1",
        `Host: localhost\r\nAuthorization: Bearer ${service.apiKey}`,
        `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`,
      ].join("\r\n"),
    );

    await closed;

    const [head = "", body = ""] = answer.split("\r\n\r\n");
    const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(head).toMatch(/^HTTP\/1\.1 201 /);
    expect(body).toMatch(/^\{"id":1,/);
    expect(body.length).toBe(Math.floor(announced / 2));
    expect(service.requests).toMatchObject([{ committed: true, outcome: "reset" }]);
  });
});

describe("another answer", () => {
  it.each([200, 204, 302, 401, 404, 418, 429, 500, 599])(
    "has the status %i",
    async (statusCode) => {
      const { service, ...answer } = await answerWith({ kind: "respond", statusCode });

      expect(answer).toMatchObject({ statusCode, text: "" });
      expect(service.requests).toMatchObject([{ statusCode, outcome: "answered" }]);
      expect(service.webhooks).toEqual([]);
    },
  );

  const html = "<!doctype html><title>Sign in</title>";
  const headers = { "content-type": "text/html", "retry-after": "7", location: "/login" };

  const plain = { "content-type": expect.stringMatching(/^text\/plain/) };
  const json = { "content-type": "application/json" };

  it.each<[string, object, object]>([
    ["any headers", { body: html, headers }, { text: html, headers }],
    ["a text as plain text", { body: "{}" }, { text: "{}", headers: plain }],
    ["anything else as JSON", { body: { a: 1 } }, { json: { a: 1 }, headers: json }],
    [
      "what a function returns",
      echoAuthorization(500),
      { text: expect.stringContaining("Bearer local-api-key") },
    ],
  ])("has %s", async (_case, fault, expected) => {
    const { statusCode, ...answer } = await answerWith({
      ...{ kind: "respond", statusCode: 500 },
      ...fault,
    } as Fault);

    expect(statusCode).toBe(500);
    expect(answer).toMatchObject(expected);
  });

  it.each([
    ["the ordinary answer after the commit", "local-api-key", 1],
    ["a refusal", "wrong", 0],
  ])("replaces %s, headers and all", async (_case, apiKey, stored) => {
    const fault = { kind: "respond", statusCode: 502, commit: true } as const;

    const { service, ...answer } = await answerWith(fault, { apiKey });

    expect(answer).toMatchObject({ statusCode: 502, text: "" });
    expect(answer.headers).not.toHaveProperty("content-type");
    expect(answer.headers).not.toHaveProperty("www-authenticate");
    expect(service.webhooks).toHaveLength(stored);
  });
});

describe("an altered answer", () => {
  it.each<[string, Fault, (whole: { id: number; secret: string }) => object]>([
    ["cut in half", truncatedJson, (whole) => ({ text: half(JSON.stringify(whole)) })],
    ["with another type", asHtml, (json) => ({ json, headers: { "content-type": "text/html" } })],
    ["with its id as a string", idAsString, (whole) => ({ json: { ...whole, id: "1" } })],
    ["with fields removed", { kind: "fields", remove: ["id", "secret"] }, () => ({ text: "{}" })],
    [
      "with fields set",
      { kind: "fields", set: { id: 0, more: [1] } },
      (whole) => ({ json: { ...whole, id: 0, more: [1] } }),
    ],
    ["10 MiB too large", hugeBody, (whole) => ({ json: whole, isHuge: true })],
  ])("can be one %s", async (_case, fault, expected) => {
    const { service, statusCode, headers, text, json } = await answerWith(fault);

    const secret = service.webhooks[0]?.secret ?? "";
    expect(statusCode).toBe(201);
    const isHuge = text.length > 10 * 1024 * 1024;
    expect({ headers, text, json, isHuge }).toMatchObject(expected({ id: 1, secret }));
  });
});

describe("a fault rule", () => {
  const fault = { kind: "respond", statusCode: 503 } as const;
  const respond = (statusCode: number) => ({ kind: "respond", statusCode }) as const;

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
    [
      "takes what another spares",
      "503 503 503 503 503 503",
      { probability: 0, fault: [] },
      { fault },
    ],
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
    const { headers, json } = await answerWith([
      { kind: "fields", set: { id: 0 }, remove: ["secret"] },
      idAsString,
      { kind: "delay", ms: 1 },
      asHtml,
    ]);

    expect(headers["content-type"]).toBe("text/html");
    expect(json).toEqual({ id: "0" });
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

    service.clearFaults();
    await roundTrip(service);
    await service.close();

    await expect(creation).rejects.toThrow();
    expect(service.requests).toMatchObject([{ outcome: "reset" }, { outcome: "unanswered" }, {}]);
  });

  it("is over when it is removed or cleared", async () => {
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
});

describe("a malformed fault rule", () => {
  const fault = { kind: "resetAfterCommit" } as const;
  const respond = { kind: "respond", statusCode: 200 };

  it.each<[unknown, string]>([
    [undefined, "the rule must be an object"],
    [{}, "fault must be an object with a kind"],
    [{ fault: { kind: "delay" } }, "fault.ms must be"],
    [{ fault: { kind: "delay", ms: 1, commit: 1 } }, "fault.commit must be true or false"],
    [{ fault: { kind: "dealy", ms: 1 } }, "fault.kind is unknown; did you mean delay?"],
    [{ fault: { kind: "hold", comit: true } }, "fault.comit is unknown; did you mean commit?"],
    [{ fault: { kind: "respond", statusCode: 199 } }, "fault.statusCode must be"],
    [{ fault: { kind: "respond", statusCode: 204, body: "" } }, "fault.body must be absent"],
    [{ fault: { ...respond, headers: { a: "1\n2" } } }, "fault.headers must"],
    [{ fault: { ...respond, body: Symbol() } }, "fault.body must be JSON"],
    [{ fault: { kind: "fields", set: 1 } }, "fault.set must be"],
    [{ fault: { kind: "alter", text: "half" } }, "fault.text must be a function"],
    [{ fault: [fault, { kind: "delay" }] }, "fault[1].ms must be"],
    [{ fault, on: "post" }, 'on must be "POST", "DELETE", "GET" or "any"'],
    [{ fault, where: true }, "where must be a function"],
    [{ fault, skip: -1 }, "skip must be"],
    [{ fault, probability: 2 }, "probability must be"],
    [{ fault, time: 1 }, "time is unknown; did you mean times?"],
  ])("is refused when it is injected: %j", async (rule, problem) => {
    const service = await startService();

    expect(() => service.inject(rule as FaultRule)).toThrow(problem);
    expect((await createWebhook(service)).statusCode).toBe(201);
  });

  it("is refused with all its problems at once, by the start too", async () => {
    const faults = [{ kind: "delay", ms: "1" }, { kind: "fields" }, 7];
    const rule = { on: "PUT", skip: -1, fault: faults } as unknown as FaultRule;

    await expect(startLocalService({ faults: [{ fault }, rule] })).rejects.toThrow(
      /^fault rule: fault\[0\]\.ms must be .*; fault\[2\] must be .*; on must be .*; skip must be .*\.$/,
    );
  });
});

/** The answer to a creation at a new service with a fault. */
async function answerWith(fault: FaultRule["fault"], changes = {}) {
  const service = await startService({ faults: [{ fault }] });
  return { service, ...(await createWebhook(service, changes)) };
}

/** Gives the service time to do what it does without waiting. */
async function roundTrip(service: LocalService): Promise<void> {
  await listWebhooks(service);
}

function half(json: string): string {
  return json.slice(0, json.length / 2);
}
