import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { Readable } from "node:stream";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { type LocalService, startLocalService } from "../../src/local-service/index.js";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  send,
  startService,
  webhookBody,
} from "../helpers/local-service.js";

const mebibyte = 1024 * 1024;

describe("creating a webhook", () => {
  it("is answered with 201 and nothing but an integer id and a secret of Standard Webhooks", async () => {
    const service = await startService();

    const { statusCode, headers, json } = await createWebhook(service);

    expect(statusCode).toBe(201);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(json).toEqual({
      id: 1,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  const body = webhookBody({ events: ["table.updated", "record.created"], tableId: "tbl_1" });

  it.each<[string, object, object, object?]>([
    ["active, for its table", body, { ...body, active: true }],
    ["for all tables without tableId", webhookBody(), { tableId: null }],
    ["with every event kind", webhookBody({ events: eventTypes }), { events: eventTypes }],
    [
      "with an event kind given twice once",
      { ...body, events: ["a", "b", "a"] },
      { events: ["a", "b"] },
      { allowUnknownEvents: true },
    ],
    [
      "without fields that the interface does not name",
      webhookBody({ source: "api", active: false, id: 77, secret: "mine" }),
      { id: 1, active: true, secret: expect.stringMatching(/^whsec_/) },
    ],
  ])("stores it %s", async (_case, sent, stored, options = {}) => {
    const service = await startService(options);

    const { statusCode } = await createWebhook(service, { databaseId: "base_2", body: sent });

    expect(statusCode).toBe(201);
    expect(service.webhooks).toMatchObject([{ ...stored, databaseId: "base_2" }]);
  });

  it("gives each its own id and secret, even for the same body, and no id again", async () => {
    const service = await startService();
    const answers = await Promise.all(Array.from({ length: 20 }, () => createWebhook(service)));
    await deleteWebhook(service, 20);

    const { json } = await createWebhook(service);

    expect(json.id).toBe(21);
    expect(new Set(answers.map((answer) => answer.json.id)).size).toBe(20);
    expect(new Set(answers.map((answer) => answer.json.secret)).size).toBe(20);
  });

  it.each(["a/b c", "ü?#&", "100%", "a%2Fb", ".hidden", "a;b=c,d:e@f+g"])(
    "reads the percent-encoded database id %s",
    async (databaseId) => {
      const service = await startService();

      const { json } = await createWebhook(service, { databaseId });

      expect(service.webhooks).toMatchObject([{ databaseId }]);
      expect((await deleteWebhook(service, json.id, { databaseId })).statusCode).toBe(200);
    },
  );

  it.each<[object | string, string]>([
    [{ url: undefined }, "url must be"],
    [{ url: 7 }, "url must be"],
    [{ url: "/hooks" }, "url must be"],
    [{ url: "ftp://example.com/" }, "url must be"],
    [{ events: undefined }, "events must be"],
    [{ events: "record.created" }, "events must be"],
    [{ events: [] }, "events must be"],
    [{ events: ["record.created", 7] }, "events[1] must be"],
    [{ events: ["record.exploded"] }, "events[0] is not an event kind of this"],
    [{ tableId: "" }, "tableId must be"],
    [{ tableId: null }, "tableId must be"],
    ["{", "the body must be a JSON object"],
    ["", "the body must be a JSON object"],
    ["[]", "the body must be a JSON object"],
    [
      { url: "nowhere", events: ["record.created", "one", "two"], tableId: 7 },
      "Invalid request body: url must be an absolute http or https URL; " +
        'events[1] is not an event kind of this service: "one"; ' +
        'events[2] is not an event kind of this service: "two"; ' +
        "tableId must be a non-empty string, or left out for all tables.",
    ],
    [{ url: 7, events: Array(40_000).fill("an unknown event") }, "; and 39981 more."],
  ])("refuses %.80j with 400 and stores nothing", async (changes, problem) => {
    const service = await startService();
    const sent = typeof changes === "string" ? changes : webhookBody({ ...changes });

    const { statusCode, json } = await createWebhook(service, { body: sent });

    expect(statusCode).toBe(400);
    expect(json.error.code).toBe("BAD_REQUEST");
    expect(json.error.message).toContain(problem);
    expect(json.error.message.length).toBeLessThan(3_000);
    expect(service.webhooks).toEqual([]);
  });

  it.each([
    ["text/plain", 415],
    ["application/jsonp", 415],
    ["", 415],
    ["Application/JSON; charset=utf-8", 201],
  ])("answers the content type %j with %i", async (contentType, expected) => {
    const service = await startService();

    const { statusCode, json } = await createWebhook(service, {
      headers: { "content-type": contentType },
    });

    expect(statusCode).toBe(expected);
    expect(json.error?.code).toBe(expected === 415 ? "UNSUPPORTED_MEDIA_TYPE" : undefined);
    expect(service.webhooks).toHaveLength(expected === 415 ? 0 : 1);
  });

  const chunksOf = (text: string) => Readable.from(text.match(/.{1,65536}/g) ?? []);

  it.each([
    ["announced", (text: string) => text],
    ["sent in chunks", chunksOf],
  ])(
    "takes a body of up to 1 MiB that is %s, and answers a larger one with 413",
    async (_, bodyOf) => {
      const service = await startService();
      const dispatcher = new Agent({ connections: 1 });
      onTestFinished(() => dispatcher.close());
      const sendPadded = (padding: number) => {
        const text = JSON.stringify(webhookBody({ padding: "x".repeat(padding) }));
        return createWebhook(service, { body: bodyOf(text), dispatcher });
      };

      const answers = [await sendPadded(8 * mebibyte), await sendPadded(1024 * 1000)];

      expect(answers).toMatchObject([
        { statusCode: 413, json: { error: { code: "CONTENT_TOO_LARGE" } } },
        { statusCode: 201, json: { id: 1 } },
      ]);
      expect(service.requests).toMatchObject([{ committed: false }, { connection: 1 }]);
    },
  );
});

describe("a request whose body is announced and does not come", () => {
  it.each([
    ["an unknown path", "401|404", "/elsewhere", []],
    ["no key", "401", "/api/v1/bases/base_1/webhooks", []],
    ["a key without access", "404", "/api/v1/bases/base_2/webhooks", ["Authorization: Bearer one"]],
    [
      "another Host",
      "421",
      "/api/v1/bases/base_1/webhooks",
      ["Authorization: Bearer one"],
      "evil.example",
    ],
    [
      "another Origin",
      "403",
      "/api/v1/bases/base_1/webhooks",
      ["Authorization: Bearer one", "Origin: https://evil.example"],
    ],
    ["an event without a key", "401", "/_local/bases/base_1/events", []],
    [
      "an event from another Origin",
      "403",
      "/_local/bases/base_1/events",
      ["Authorization: Bearer one", "Origin: null"],
    ],
    [
      "more than 1 MiB",
      "413",
      "/api/v1/bases/base_1/webhooks",
      ["Authorization: Bearer one"],
      "localhost",
      mebibyte + 1,
    ],
  ])(
    "is refused because of %s",
    async (_case, status, path, headers, host = "localhost", length = mebibyte) => {
      const { port } = await startService({ apiKeys: { one: ["base_1"] } });
      const socket = connect(port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      const head = [
        `POST ${path} HTTP/1.1`,
        `Host: ${host}`,
        ...headers,
        "Content-Type: text/plain",
      ];
      socket.write([...head, `Content-Length: ${length}`, "", ""].join("\r\n"));

      const [answer] = await once(socket, "data");

      expect(String(answer)).toMatch(new RegExp(`^HTTP/1\\.1 (${status}) `));
    },
  );
});

describe("what a client sends", () => {
  const body = JSON.stringify({ padding: "x".repeat(mebibyte - 100) });
  const bytesIn = ({ requests }: LocalService) => JSON.stringify(requests).length;

  it("is not kept before its key is known", async () => {
    const service = await startService();
    const headers = { "content-type": "text/plain" };

    for (let count = 0; count < 10; count++) {
      await createWebhook(service, { body, headers, apiKey: null });
      await send(service, { method: "POST", path: "/elsewhere", body, headers });
      await createWebhook(service, { body, headers: { origin: "https://evil.example" } });
    }

    expect(service.requests).toHaveLength(30);
    expect(bytesIn(service)).toBeLessThan(30_000);
  });

  it("is kept up to 32 MiB, the newest", async () => {
    const service = await startService();

    for (let count = 0; count < 40; count++) {
      await createWebhook(service, { body });
    }

    expect(service.requests.map(({ number }) => number)).toContain(40);
    expect(bytesIn(service)).toBeGreaterThan(30 * mebibyte);
    expect(bytesIn(service)).toBeLessThan(33 * mebibyte);
  });
});

describe("the Host and the Origin of a request", () => {
  const statusCodes = async (service: LocalService, headers: Record<string, string>) => {
    const event = { path: "/_local/bases/base_1/events", body: { type: "record.created" } };
    const answers = [
      await createWebhook(service, { headers }),
      await createWebhook(service, { headers, ...event }),
    ];
    return answers.map(({ statusCode }) => statusCode);
  };

  it.each([
    [{ host: "evil.example" }, 421],
    [{ host: "evil.example:80" }, 421],
    [{ host: "127.0.0.1.evil.example" }, 421],
    [{ host: "192.0.2.1" }, 421],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "http://192.0.2.1:8787" }, 403],
    [{ origin: "null" }, 403],
  ])(
    "are refused when they are %j, because a web page may have sent it",
    async (headers, status) => {
      const heard: unknown[] = [];
      const onRequest = ({ statusCode }: { statusCode?: number }) => heard.push(statusCode);
      const service = await startService({ onRequest });

      expect(await statusCodes(service, headers as Record<string, string>)).toEqual([
        status,
        status,
      ]);
      expect([service.webhooks, service.deliveries]).toEqual([[], []]);
      expect(heard).toEqual([status, status]);
    },
  );

  it.each([
    { host: "localhost:1234" },
    { host: "LOCALHOST" },
    { host: "127.0.0.1" },
    { host: "[::1]:80" },
    { origin: "http://localhost:3000" },
  ])("may be %j", async (headers) => {
    const service = await startService({ host: "localhost" });

    expect(
      (await createWebhook(service, { headers: { ...headers } as Record<string, string> }))
        .statusCode,
    ).toBe(201);
  });

  it.each([{ host: "0.0.0.0" }, { allowRemote: true }])("may be any with %j", async (options) => {
    const { port, ...service } = await startService(options);
    const reached = { ...service, port, baseUrl: `http://127.0.0.1:${port}` } as LocalService;
    const headers = { host: "tables.example", origin: "https://pages.example" };

    expect((await createWebhook(reached, { headers })).statusCode).toBe(201);
  });
});

describe("deleting a webhook", () => {
  it("is answered with 200, success and a message, and removes no other", async () => {
    const service = await startService();
    await createWebhook(service);
    await createWebhook(service);

    const { statusCode, json } = await deleteWebhook(service, 1);

    expect([statusCode, json]).toEqual([200, { success: true, message: "Webhook 1 deleted" }]);
    expect(service.webhooks).toMatchObject([{ id: 2 }]);
  });

  it.each<[string, unknown, object?]>([
    ["that is deleted", 2],
    ["through another database", 1, { databaseId: "base_2" }],
    ["without access to the database", 1, { apiKey: "other" }],
    ...["abc", "01", "1.0", "+1", "-1", "1e0", " 1", "9007199254740993"].map(
      (id): [string, string] => [`of the id ${id}`, id],
    ),
  ])("is answered with 404 for one %s, and removes nothing", async (_case, id, changes) => {
    const service = await startService({ apiKeys: { all: "*", other: ["base_2"] } });
    await createWebhook(service);
    await createWebhook(service);
    await deleteWebhook(service, 2);

    const { statusCode, json } = await deleteWebhook(service, id, changes);

    expect(statusCode).toBe(404);
    expect(json).toEqual({ error: { code: "NOT_FOUND", message: `Webhook ${id} not found` } });
    expect(service.webhooks).toHaveLength(1);
  });
});

describe("authentication", () => {
  it.each<[string, string | null, object]>([
    ["no header", null, {}],
    ["an unknown key", "wrong", {}],
    ["another scheme", null, { authorization: "Basic local-api-key" }],
    ["an empty key", null, { authorization: "Bearer " }],
    ["two words", null, { authorization: "Bearer local-api-key more" }],
  ])("refuses %s with 401, whatever is asked", async (_, apiKey, headers) => {
    const service = await startService({ listing: true });
    await createWebhook(service);
    const changes = { apiKey, headers: { ...headers } };

    for (const answer of [
      await createWebhook(service, changes),
      await deleteWebhook(service, 1, changes),
      await listWebhooks(service, changes),
    ]) {
      expect(answer).toMatchObject({
        statusCode: 401,
        headers: { "www-authenticate": "Bearer" },
        json: { error: { code: "UNAUTHORIZED" } },
      });
    }
    expect(service.webhooks).toHaveLength(1);
  });

  it("takes the scheme in any case", async () => {
    const headers = { authorization: "bearer local-api-key" };

    const { statusCode } = await createWebhook(await startService(), { apiKey: null, headers });

    expect(statusCode).toBe(201);
  });

  it("gives a key its databases, all of them for * and in a list", async () => {
    const apiKeys = { all: "*", some: ["base_1", "base_2"] } as const;
    const services = [await startService({ apiKeys }), await startService({ apiKeys: ["a", "b"] })];
    const answerTo = (apiKey: string, databaseId: string) =>
      createWebhook(services[apiKey.length > 1 ? 0 : 1] as LocalService, { apiKey, databaseId });

    const answers = [
      await answerTo("all", "base_9"),
      await answerTo("some", "base_2"),
      await answerTo("some", "base_9"),
      await answerTo("a", "any"),
      await answerTo("b", "any"),
    ];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 404, 201, 201]);
    expect(services.map(({ apiKey }) => apiKey)).toEqual(["all", "a"]);
  });

  it("answers a creation or a listing without access with 404, and stores nothing", async () => {
    const service = await startService({ apiKeys: { other: ["base_2"] }, listing: true });

    for (const answer of [
      await createWebhook(service, { body: "not even JSON" }),
      await listWebhooks(service),
    ]) {
      expect(answer).toMatchObject({
        statusCode: 404,
        json: { error: { code: "NOT_FOUND", message: "Webhook not found" } },
      });
    }
    expect(service.webhooks).toEqual([]);
  });
});

describe("paths and methods", () => {
  it.each([
    ["POST", "/"],
    ["POST", "/api/v1/bases/base_1/webhooks/"],
    ["POST", "/api/v1/bases//webhooks"],
    ["POST", "/api/v2/bases/base_1/webhooks"],
    ["DELETE", "/prefix/api/v1/bases/base_1/webhooks/1"],
    ["DELETE", "/api/v1/bases/base_1/webhooks/1/more"],
    ["DELETE", "/api/v1/bases/a/b/webhooks/1"],
  ] as const)("answer %s %s with a plain 404", async (method, path) => {
    const answer = await send(await startService(), { method, path });

    expect(answer).toMatchObject({ statusCode: 404, json: undefined });
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
  });

  it.each([
    ["GET", "", "POST", false],
    ["HEAD", "", "POST", false],
    ["DELETE", "", "POST", false],
    ["GET", "/1", "DELETE", false],
    ["POST", "/1", "DELETE", false],
    ["PATCH", "/1", "DELETE", true],
    ["PUT", "", "GET, HEAD, POST", true],
  ] as const)(
    "answer %s on …/webhooks%s with 405: only %s",
    async (method, rest, allow, listing) => {
      const path = `/api/v1/bases/base_1/webhooks${rest}`;

      const answer = await send(await startService({ listing }), { method, path });

      expect(answer).toMatchObject({ statusCode: 405, headers: { allow } });
      expect(answer.json?.error.code).toBe(method === "HEAD" ? undefined : "METHOD_NOT_ALLOWED");
    },
  );

  it("are below the path prefix, and only there, with any query", async () => {
    const service = await startService({ pathPrefix: "/tables/eu-1" });
    const outside = `http://127.0.0.1:${service.port}`;
    const path = "/api/v1/bases/base_1/webhooks?dry=1";

    expect(service.baseUrl).toBe(`${outside}/tables/eu-1`);
    expect((await createWebhook(service, { path })).statusCode).toBe(201);
    expect((await deleteWebhook(service, 1)).statusCode).toBe(200);
    expect((await createWebhook({ ...service, baseUrl: outside })).statusCode).toBe(404);
  });
});

describe("listing", () => {
  it("shows the webhooks of the database, without their secrets", async () => {
    const service = await startService({ listing: true });
    await createWebhook(service, { body: webhookBody({ tableId: "tbl_1" }) });
    await createWebhook(service, { databaseId: "base_2" });
    await createWebhook(service);
    service.updateWebhook(3, { active: false });

    const { statusCode, json } = await listWebhooks(service);

    expect([statusCode, json.webhooks]).toEqual([
      200,
      [
        { id: 1, ...webhookBody(), tableIds: ["tbl_1"], active: true },
        { id: 3, ...webhookBody(), tableIds: null, active: false },
      ],
    ]);
    expect((await listWebhooks(service, { databaseId: "none" })).json).toEqual({ webhooks: [] });
  });
});

describe("a change from outside", () => {
  it("updates the fields that are given", async () => {
    const service = await startService();
    await createWebhook(service);
    const [before] = service.webhooks;
    const changes = { active: false, tableId: "tbl_9", events: ["field.deleted"] };
    const more = { url: "https://example.org/", tableId: null };

    service.updateWebhook(1, changes);
    service.updateWebhook(1, more);

    expect(service.webhooks).toEqual([{ ...before, ...changes, ...more }]);
  });

  it("removes a webhook", async () => {
    const service = await startService();
    await createWebhook(service);

    service.removeWebhook(1);

    expect(service.webhooks).toEqual([]);
  });

  it("throws for an unknown id", async () => {
    const service = await startService();

    expect(() => service.updateWebhook(7, { active: false })).toThrow(RangeError);
    expect(() => service.removeWebhook(7)).toThrow("no webhook 7");
  });
});

describe("starting", () => {
  it.each([
    ["apiKeys", { apiKeys: [] }],
    ["apiKeys", { apiKeys: {} }],
    ["apiKeys", { apiKeys: ["one", "two words"] }],
    ["pathPrefix", { pathPrefix: "tables" }],
    ["pathPrefix", { pathPrefix: "/tables/" }],
    ["pathPrefix", { pathPrefix: "/:any" }],
    ["rateLimit", { rateLimit: { requestsPerSecond: 0 } }],
    ["rateLimit", { rateLimit: { requestsPerSecond: 1, burst: 0 } }],
    ["deliveries: ", { deliveries: { timeoutSeconds: 0 } }],
    ["deliveries: ", { deliveries: { maxConcurrent: 0 } }],
    ["deliveries: ", { deliveries: { maxConcurrent: 1.5 } }],
    ["deliveries: ", { deliveries: { retryWaitsSeconds: [-1] } }],
    ["deliveries: ", { deliveries: { retryWaitsSeconds: [Number.NaN] } }],
    ...["/path", "?query", "/?query=1", "#part"].map((end): [string, object] => [
      "deliveries: ",
      { deliveries: { deliverTo: `http://127.0.0.1:9000${end}` } },
    ]),
    ["deliveries: ", { deliveries: { deliverTo: "http://user:password@127.0.0.1:9000" } }],
  ])("fails, and names %s, with %j", async (named, options) => {
    await expect(startLocalService(options)).rejects.toThrow(named);
  });

  it("listens on the given port, and fails when it is taken", async () => {
    const first = await startLocalService();
    const { port } = first;
    await expect(startLocalService({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await first.close();

    const second = await startService({ port });

    expect(second).toMatchObject({ port, baseUrl: `http://127.0.0.1:${port}` });
  });

  it("listens on no other address of the machine", async () => {
    const { port } = await startService();
    const addresses = Object.values(networkInterfaces())
      .flatMap((infos) => infos ?? [])
      .filter(({ address, scopeid }) => address !== "127.0.0.1" && !scopeid)
      .map(({ address }) => address);

    const accepting = await Promise.all(addresses.map((host) => isAccepting(host, port)));

    expect(accepting).not.toContain(true);
    expect(await isAccepting("127.0.0.1", port)).toBe(true);
  });

  it("leaves the process's globals alone", async () => {
    const { Request, Response } = globalThis;

    await createWebhook(await startService());

    expect([globalThis.Request, globalThis.Response]).toEqual([Request, Response]);
  });
});

function isAccepting(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on("connect", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
