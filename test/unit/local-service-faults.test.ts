import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Fault, LocalService } from "../../src/local-service/index.js";
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

const consoleMethods = ["log", "info", "warn", "error", "debug"] as const;

beforeEach(() => {
  const calls = consoleMethods.map((method) => vi.spyOn(console, method));
  onTestFinished(() => {
    for (const call of calls) {
      expect(call).not.toHaveBeenCalled();
      call.mockRestore();
    }
  });
});

describe("a delay", () => {
  it("keeps the request waiting before it takes effect", async () => {
    const service = await startService({ faults: [{ fault: { kind: "delay", ms: 3_600_000 } }] });

    const received = service.nextRequest();
    const creation = createWebhook(service);

    await received;
    service.clearFaults();
    await roundTrip(service);
    expect(service.requests[0]).toMatchObject({ outcome: "pending", committed: false });
    await service.close();
    await expect(creation).rejects.toThrow();
  });

  it("keeps the answer waiting after it took effect", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "delay", ms: 3_600_000, commit: true } });

    const committed = service.nextRequest({ stage: "committed" });
    const creation = createWebhook(service);

    await committed;
    service.clearFaults();
    await roundTrip(service);
    expect(service.requests[0]).toMatchObject({ outcome: "pending", committed: true });
    await service.close();
    await expect(creation).rejects.toThrow();
  });

  it("is as long as asked, and ends when the service closes", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "delay", ms: 3_600_000 } });
    vi.mocked(delay).mockClear();
    const received = service.nextRequest();
    const creation = createWebhook(service);
    await received;

    await service.close();

    await expect(creation).rejects.toThrow();
    expect(vi.mocked(delay).mock.calls).toMatchObject([[3_600_000, undefined, {}]]);
    await expect(vi.mocked(delay).mock.results[0]?.value).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it.each([false, true])("is followed by the ordinary answer (commit: %s)", async (commit) => {
    const service = await startService();
    service.inject({ fault: { kind: "delay", ms: 1, commit } });

    expect((await createWebhook(service)).statusCode).toBe(201);
  });
});

describe("a hold", () => {
  it("keeps the request from taking effect until it is released", async () => {
    const service = await startService();
    const hold = service.inject({ on: "POST", fault: { kind: "hold" } });
    const received = service.nextRequest();
    const creation = createWebhook(service);
    await received;
    await roundTrip(service);
    expect(service.webhooks).toEqual([]);

    hold.release();

    expect((await creation).statusCode).toBe(201);
    expect(service.webhooks).toHaveLength(1);
  });

  it("holds several requests, and later ones again", async () => {
    const service = await startService();
    const hold = service.inject({ on: "POST", fault: { kind: "hold" } });
    const arrivals = service.nextRequest({ where: ({ number }) => number === 2 });
    const creations = [createWebhook(service), createWebhook(service)];
    await arrivals;
    hold.release();
    await Promise.all(creations);

    const received = service.nextRequest();
    const third = createWebhook(service);
    await received;
    await roundTrip(service);

    expect(service.requests[2]).toMatchObject({ committed: false, outcome: "pending" });
    hold.release();
    expect((await third).json.id).toBe(3);
  });

  it("lets the request take effect even when the client has left by then", async () => {
    const service = await startService();
    const hold = service.inject({ fault: { kind: "hold" } });
    const client = new AbortController();
    const received = service.nextRequest();
    const gone = service.nextRequest({ stage: "finished" });
    const creation = createWebhook(service, { signal: client.signal });
    await received;
    client.abort();
    await expect(creation).rejects.toThrow();
    await gone;

    const committed = service.nextRequest({ stage: "committed" });
    hold.release();

    expect(await committed).toMatchObject({ outcome: "disconnected", webhookId: "1" });
    expect(service.webhooks).toHaveLength(1);
  });

  it("commits nothing when it is released after the service has closed", async () => {
    const service = await startService();
    const hold = service.inject({ fault: { kind: "hold" } });
    const received = service.nextRequest();
    const creation = createWebhook(service);
    await received;
    await service.close();
    await expect(creation).rejects.toThrow();

    hold.release();

    await roundTrip(await startService());
    expect(service.requests).toMatchObject([{ committed: false, outcome: "disconnected" }]);
  });

  it("ends when its rule is removed, and when all faults are cleared", async () => {
    const service = await startService({ faults: [{ fault: { kind: "hold" }, times: 1 }] });
    const hold = service.inject({ fault: { kind: "hold" } });
    const arrivals = service.nextRequest({ where: ({ number }) => number === 2 });
    const creations = [createWebhook(service), createWebhook(service)];
    await arrivals;

    hold.remove();
    service.clearFaults();

    expect(await Promise.all(creations)).toMatchObject([{ statusCode: 201 }, { statusCode: 201 }]);
  });
});

describe("silence", () => {
  it.each([
    [false, 0],
    [true, 1],
  ])("leaves the client without an answer (commit: %s)", async (commit, stored) => {
    const service = await startService();
    service.inject({ fault: { kind: "neverAnswer", commit } });
    const finished = service.nextRequest({ stage: "finished" });
    const creation = createWebhook(service);

    expect(await finished).toMatchObject({ outcome: "unanswered", committed: commit });
    service.clearFaults();
    await roundTrip(service);
    expect(service.webhooks).toHaveLength(stored);

    await service.close();
    await expect(creation).rejects.toThrow();
    expect(service.requests[0]?.outcome).toBe("unanswered");
  });
});

describe("a reset", () => {
  it("before reading leaves nothing behind", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "resetBeforeReading" }, times: 1 });

    await expect(createWebhook(service)).rejects.toMatchObject({ code: resetCode });

    expect(service.requests).toMatchObject([{ body: undefined, outcome: "reset" }]);
    expect(service.webhooks).toEqual([]);
    expect((await createWebhook(service)).statusCode).toBe(201);
  });

  it("after the commit leaves the subscription", async () => {
    const service = await startService();
    service.inject({ on: "POST", times: 1, fault: { kind: "resetAfterCommit" } });

    await expect(createWebhook(service)).rejects.toMatchObject({ code: resetCode });

    expect(service.requests).toMatchObject([{ committed: true, outcome: "reset" }]);
    expect(service.webhooks).toHaveLength(1);
  });

  it("after the commit of a deletion leaves the subscription deleted", async () => {
    const service = await startService();
    await createWebhook(service);
    service.inject({ fault: { kind: "resetAfterCommit" } });

    await expect(deleteWebhook(service, 1)).rejects.toMatchObject({ code: resetCode });

    expect(service.webhooks).toEqual([]);
  });

  it("in the middle of the body breaks off an answer that has begun", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "resetMidBody" } });

    // Whether the client's socket reports the reset too depends on the version of Node.
    const { text } = await sendRaw(service);

    expect(text).toMatch(/^HTTP\/1\.1 201 /);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(body).toMatch(/^\{"id":1,/);
    expect(body.length).toBe(Math.floor(announced / 2));
    expect(service.requests).toMatchObject([{ committed: true, outcome: "reset" }]);
    expect(service.webhooks).toHaveLength(1);
  });

  // undici's word for ECONNRESET depends on whether it was still writing.
  const resetCode = expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/);
});

describe("another answer", () => {
  it.each([200, 204, 302, 400, 401, 404, 418, 429, 500, 503, 599])(
    "has the status %i",
    async (statusCode) => {
      const service = await startService();
      service.inject({ fault: { kind: "respond", statusCode } });

      const answer = await createWebhook(service);

      expect(answer).toMatchObject({ statusCode, text: "" });
      expect(service.requests).toMatchObject([{ statusCode, outcome: "answered" }]);
      expect(service.webhooks).toEqual([]);
    },
  );

  it("has any headers, and a text as it is", async () => {
    const service = await startService();
    const body = "<!doctype html><title>Sign in</title>";
    const headers = { "content-type": "text/html", "Retry-After": "7", location: "/login" };
    service.inject({ fault: { kind: "respond", statusCode: 307, body, headers } });

    const answer = await createWebhook(service);

    expect(answer).toMatchObject({ statusCode: 307, text: body });
    expect(answer.headers).toMatchObject({
      "content-type": "text/html",
      "retry-after": "7",
      location: "/login",
    });
  });

  it("has a text as plain text unless its headers say otherwise", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "respond", statusCode: 200, body: "{}" } });

    const { headers, text } = await createWebhook(service);

    expect(headers["content-type"]).toMatch(/^text\/plain/);
    expect(text).toBe("{}");
  });

  it("has anything else as JSON", async () => {
    const service = await startService();
    const body = { error: { code: "CONFLICT", message: "Try later" } };
    service.inject({ fault: { kind: "respond", statusCode: 409, body } });

    const { headers, json } = await createWebhook(service);

    expect(headers["content-type"]).toBe("application/json");
    expect(json).toEqual(body);
  });

  it("comes after the commit when asked to, and without the headers of the true answer", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "respond", statusCode: 502, commit: true } });

    const answer = await createWebhook(service);

    expect(answer).toMatchObject({ statusCode: 502, text: "" });
    expect(answer.headers).not.toHaveProperty("content-type");
    expect(service.requests).toMatchObject([{ committed: true, statusCode: 502 }]);
    expect(service.webhooks).toHaveLength(1);
  });

  it("replaces a refusal, headers and all", async () => {
    const service = await startService();
    service.inject({ fault: { kind: "respond", statusCode: 502, commit: true } });

    const answer = await createWebhook(service, { apiKey: "wrong" });

    expect(answer.statusCode).toBe(502);
    expect(answer.headers).not.toHaveProperty("www-authenticate");
  });

  it("can say that a deletion did not succeed", async () => {
    const service = await startService();
    await createWebhook(service);
    service.inject({ fault: { kind: "respond", statusCode: 200, body: { success: false } } });

    expect((await deleteWebhook(service, 1)).json).toEqual({ success: false });
    expect(service.webhooks).toHaveLength(1);
  });

  it("can repeat what the request holds", async () => {
    const service = await startService();
    service.inject({ fault: echoAuthorization(500) });

    const { statusCode, json } = await createWebhook(service);

    expect(statusCode).toBe(500);
    expect(json.error.message).toContain("Bearer local-api-key");
    expect(service.webhooks).toEqual([]);
  });
});

describe("a spoiled answer", () => {
  const spoil = async (fault: Fault) => {
    const service = await startService();
    service.inject({ fault });
    const answer = await createWebhook(service);
    const [webhook] = service.webhooks;
    return { ...answer, created: { id: 1, secret: webhook?.secret } };
  };

  it("is JSON cut in half, in a complete message", async () => {
    const { statusCode, headers, text, created } = await spoil(truncatedJson);

    const whole = JSON.stringify(created);
    expect(statusCode).toBe(201);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(text).toBe(whole.slice(0, whole.length / 2));
  });

  it("is 10 MiB too large", async () => {
    const { statusCode, text, json, created } = await spoil(hugeBody);

    expect(statusCode).toBe(201);
    expect(text.length).toBeGreaterThan(10 * 1024 * 1024);
    expect(json).toMatchObject(created);
  });

  it("has another content type", async () => {
    const { statusCode, headers, json, created } = await spoil(asHtml);

    expect(statusCode).toBe(201);
    expect(headers["content-type"]).toBe("text/html");
    expect(json).toEqual(created);
  });

  it("has its id as a string", async () => {
    const { json, created } = await spoil(idAsString);

    expect(json).toEqual({ ...created, id: "1" });
  });

  it.each([
    ["no id", { remove: ["id"] }, { id: undefined }],
    ["an id of 0", { set: { id: 0 } }, { id: 0 }],
    ["no secret", { remove: ["secret"] }, { secret: undefined }],
    ["an empty secret", { set: { secret: "" } }, { secret: "" }],
    ["unknown fields", { set: { url: "https://x/", more: [1] } }, { url: "https://x/", more: [1] }],
  ])("has %s", async (_, fields, changes) => {
    const { statusCode, json, created } = await spoil({ kind: "fields", ...fields });

    expect(statusCode).toBe(201);
    expect(json).toEqual({ ...created, ...changes });
  });

  it("says that a deletion failed which did not", async () => {
    const service = await startService();
    await createWebhook(service);
    service.inject({ fault: { kind: "fields", set: { success: false } } });

    const { statusCode, json } = await deleteWebhook(service, 1);

    expect(statusCode).toBe(200);
    expect(json).toEqual({ success: false, message: "Webhook 1 deleted" });
    expect(service.webhooks).toEqual([]);
  });

  it("can be a refusal", async () => {
    const service = await startService();
    service.inject({ fault: truncatedJson });

    expect(await createWebhook(service, { apiKey: "wrong" })).toMatchObject({
      statusCode: 401,
      headers: { "www-authenticate": "Bearer" },
      json: undefined,
    });
  });
});

describe("a fault rule", () => {
  const fault = { kind: "respond", statusCode: 503 } as const;
  const statusCodes = async (service: LocalService, count: number) => {
    const answers = [];
    for (let i = 0; i < count; i += 1) {
      answers.push(await createWebhook(service));
    }
    return answers.map(({ statusCode }) => statusCode);
  };

  it("meets every request unless it says otherwise", async () => {
    const service = await startService({ faults: [{ fault }], listing: true });

    expect(await createWebhook(service)).toMatchObject({ statusCode: 503 });
    expect(await deleteWebhook(service, 1)).toMatchObject({ statusCode: 503 });
    expect(await listWebhooks(service)).toMatchObject({ statusCode: 503 });
    expect(await createWebhook(service, { path: "/" })).toMatchObject({ statusCode: 503 });
  });

  it("can be limited to a method", async () => {
    const service = await startService({ listing: true });
    service.inject({ on: "DELETE", fault });

    expect((await createWebhook(service)).statusCode).toBe(201);
    expect((await listWebhooks(service)).statusCode).toBe(200);
    expect((await deleteWebhook(service, 1)).statusCode).toBe(503);
  });

  it("can be limited to a database", async () => {
    const service = await startService();
    service.inject({ databaseId: "a/b", fault });

    expect((await createWebhook(service)).statusCode).toBe(201);
    expect((await createWebhook(service, { databaseId: "a/b" })).statusCode).toBe(503);
  });

  it("can be limited by a condition, which sees the body", async () => {
    const service = await startService();
    const hasTable = ({ body }: { body?: unknown }) => "tableId" in Object(body);
    service.inject({ where: hasTable, fault: { kind: "resetBeforeReading" } });

    expect((await createWebhook(service)).statusCode).toBe(201);
    const creation = createWebhook(service, { body: webhookBody({ tableId: "tbl_1" }) });
    await expect(creation).rejects.toThrow();
  });

  it("whose condition throws makes the service answer 500", async () => {
    const service = await startService();
    const where = () => {
      throw new Error("no such field");
    };
    service.inject({ where, fault });

    expect(await createWebhook(service)).toMatchObject({
      statusCode: 500,
      json: {
        error: {
          code: "INTERNAL_SERVER_ERROR",
          message: "The local service failed: no such field",
        },
      },
    });
    expect(service.webhooks).toEqual([]);
  });

  it("can skip requests, and is spent after its times", async () => {
    const service = await startService();
    service.inject({ skip: 1, times: 2, fault });

    expect(await statusCodes(service, 5)).toEqual([201, 503, 503, 201, 201]);
  });

  it("does not count what it does not match", async () => {
    const service = await startService();
    service.inject({ on: "DELETE", skip: 1, times: 1, fault });
    await statusCodes(service, 3);

    expect((await deleteWebhook(service, 1)).statusCode).toBe(200);
    expect((await deleteWebhook(service, 2)).statusCode).toBe(503);
    expect((await deleteWebhook(service, 3)).statusCode).toBe(200);
  });

  it("waits behind the rules before it, so that rules make a script", async () => {
    const service = await startService();
    service.inject({ times: 1, fault: { kind: "respond", statusCode: 500 } });
    service.inject({ times: 2, fault });
    service.inject({ times: 1, fault: { kind: "respond", statusCode: 429 } });

    expect(await statusCodes(service, 5)).toEqual([500, 503, 503, 429, 201]);
  });

  it("meets a share of the requests, the same for the same seed", async () => {
    const met = async (rule: { probability: number; seed?: number }) => {
      const service = await startService();
      service.inject({ ...rule, fault });
      return await statusCodes(service, 40);
    };

    const half = await met({ probability: 0.5 });
    expect(half).toContain(201);
    expect(half).toContain(503);
    expect(await met({ probability: 0.5, seed: 1 })).toEqual(half);
    expect(await met({ probability: 0.5, seed: 2 })).not.toEqual(half);
    expect(await met({ probability: 0 })).not.toContain(503);
    expect(await met({ probability: 1 })).not.toContain(201);
  });

  it("leaves to the next rule what its probability spares", async () => {
    const service = await startService();
    service.inject({ probability: 0, fault });
    service.inject({ fault: { kind: "respond", statusCode: 500 } });

    expect(await statusCodes(service, 1)).toEqual([500]);
  });

  it("shows the requests that it met", async () => {
    const service = await startService();
    const rule = service.inject({ on: "POST", skip: 1, times: 1, fault });

    await statusCodes(service, 3);

    expect(rule.requests).toEqual([service.requests[1]]);
  });

  it("plays several faults in turn, those before the commit first", async () => {
    const service = await startService();
    service.inject({
      fault: [
        { kind: "fields", set: { id: 0 }, remove: ["secret"] },
        idAsString,
        { kind: "delay", ms: 1 },
        asHtml,
      ],
    });

    const { headers, json } = await createWebhook(service);

    expect(headers["content-type"]).toBe("text/html");
    expect(json).toEqual({ id: "0" });
  });

  it("plays nothing after an answer that comes before the commit", async () => {
    const service = await startService();
    service.inject({ fault: [fault, { kind: "hold" }, { kind: "resetAfterCommit" }] });

    expect((await createWebhook(service)).statusCode).toBe(503);
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
    const second = service.inject({ fault: { kind: "respond", statusCode: 500 } });
    expect(await statusCodes(service, 2)).toEqual([503, 500]);

    second.remove();
    expect(await statusCodes(service, 1)).toEqual([201]);

    service.inject({ fault });
    service.clearFaults();
    expect(await statusCodes(service, 1)).toEqual([201]);
  });
});

/** Gives the service time to do what it does without waiting. */
async function roundTrip(service: LocalService): Promise<void> {
  await listWebhooks(service);
}

/** A creation over a bare socket, to see what arrives before the reset. */
function sendRaw({ port, apiKey }: LocalService): Promise<{ text: string; error: unknown }> {
  const body = JSON.stringify(webhookBody());
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  socket.end(
    [
      "POST /api/v1/bases/base_1/webhooks HTTP/1.1",
      "Host: localhost",
      `Authorization: Bearer ${apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  return new Promise((resolve) => {
    let error: unknown;
    socket.on("error", (cause) => {
      error = cause;
    });
    socket.on("close", () => resolve({ text, error }));
  });
}
