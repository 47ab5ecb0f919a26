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

const webhookId = 1;

describe("creating a webhook", () => {
  it("is answered with 201 and nothing but an integer id and a secret", async () => {
    const service = await startService();

    const { statusCode, headers, json } = await createWebhook(service);

    expect(statusCode).toBe(201);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(json).toEqual({ id: 1, secret: expect.any(String) });
  });

  it("stores the subscription, active, for the database of the path", async () => {
    const service = await startService();
    const body = webhookBody({ events: ["table.updated", "record.created"], tableId: "tbl_1" });

    const { json } = await createWebhook(service, { databaseId: "base_2", body });

    expect(service.webhooks).toEqual([
      { ...body, id: json.id, secret: json.secret, databaseId: "base_2", active: true },
    ]);
  });

  it("covers all tables when tableId is left out", async () => {
    const service = await startService();

    await createWebhook(service);

    expect(service.webhooks[0]?.tableId).toBeNull();
  });

  it("gives every subscription its own id and secret, even for the same body", async () => {
    const service = await startService();

    const answers = await Promise.all(Array.from({ length: 20 }, () => createWebhook(service)));

    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(20);
    expect(new Set(answers.map(({ json }) => json.secret)).size).toBe(20);
  });

  it("never gives an id again", async () => {
    const service = await startService();
    await createWebhook(service);
    const { json: last } = await createWebhook(service);
    await deleteWebhook(service, last.id);

    const { json } = await createWebhook(service);

    expect(json.id).toBe(last.id + 1);
  });

  it("makes secrets of 256 bits in the form of Standard Webhooks", async () => {
    const service = await startService();

    const { json } = await createWebhook(service);

    expect(json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it("takes every event kind of the interface", async () => {
    const service = await startService();

    const { statusCode } = await createWebhook(service, {
      body: webhookBody({ events: eventTypes }),
    });

    expect(statusCode).toBe(201);
    expect(service.webhooks[0]?.events).toEqual(eventTypes);
  });

  it("stores an event kind that is given twice once", async () => {
    const service = await startService();
    const events = ["table.created", "record.created", "table.created"];

    await createWebhook(service, { body: webhookBody({ events }) });

    expect(service.webhooks[0]?.events).toEqual(["table.created", "record.created"]);
  });

  it("passes over body fields that the interface does not name", async () => {
    const service = await startService();

    const { statusCode } = await createWebhook(service, {
      body: webhookBody({ source: "api", active: false, id: 77, secret: "mine" }),
    });

    expect(statusCode).toBe(201);
    expect(service.webhooks[0]).toMatchObject({ id: 1, active: true });
  });

  it("takes event kinds outside the interface with allowUnknownEvents", async () => {
    const service = await startService({ allowUnknownEvents: true });

    const { statusCode } = await createWebhook(service, {
      body: webhookBody({ events: ["view.created"] }),
    });

    expect(statusCode).toBe(201);
    expect(service.webhooks[0]?.events).toEqual(["view.created"]);
  });

  it("takes a content type with parameters", async () => {
    const service = await startService();
    const headers = { "content-type": "Application/JSON; charset=utf-8" };

    expect((await createWebhook(service, { headers })).statusCode).toBe(201);
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

  it.each([
    ["no url", { url: undefined }, "url must be"],
    ["a url that is no string", { url: 7 }, "url must be"],
    ["a relative url", { url: "/hooks" }, "url must be"],
    ["a url without a host", { url: "https://" }, "url must be"],
    ["a url of another scheme", { url: "ftp://example.com/" }, "url must be"],
    ["no events", { events: undefined }, "events must be"],
    ["events that are no array", { events: "record.created" }, "events must be"],
    ["empty events", { events: [] }, "events must be"],
    ["an event that is no string", { events: ["record.created", 7] }, "events[1] must be"],
    ["an unknown event", { events: ["record.exploded"] }, "events[0] is not an event kind of this"],
    ["an empty tableId", { tableId: "" }, "tableId must be"],
    ["a tableId of null", { tableId: null }, "tableId must be"],
    ["a tableId that is no string", { tableId: 7 }, "tableId must be"],
  ])("refuses %s with 400 and stores nothing", async (_, changes, problem) => {
    const service = await startService();

    const { statusCode, json } = await createWebhook(service, { body: webhookBody(changes) });

    expect(statusCode).toBe(400);
    expect(json.error.code).toBe("BAD_REQUEST");
    expect(json.error.message).toContain(problem);
    expect(service.webhooks).toEqual([]);
  });

  it("names all problems of a body at once", async () => {
    const service = await startService();
    const body = { url: "nowhere", events: ["record.created", "one", "two"], tableId: 7 };

    const { json } = await createWebhook(service, { body });

    expect(json.error.message).toBe(
      "Invalid request body: url must be an absolute http or https URL; " +
        'events[1] is not an event kind of this service: "one"; ' +
        'events[2] is not an event kind of this service: "two"; ' +
        "tableId must be a non-empty string, or left out for all tables.",
    );
  });

  it.each(["{", "", "[]", "null", '"text"'])("refuses the body %j with 400", async (body) => {
    const service = await startService();

    const { statusCode, json } = await createWebhook(service, { body });

    expect(statusCode).toBe(400);
    expect(json.error).toEqual({
      code: "BAD_REQUEST",
      message: "Invalid request body: the body must be a JSON object.",
    });
  });

  it.each(["text/plain", "application/jsonp", ""])(
    "refuses the content type %j with 415",
    async (contentType) => {
      const service = await startService();

      const { statusCode, json } = await createWebhook(service, {
        headers: { "content-type": contentType },
      });

      expect(statusCode).toBe(415);
      expect(json.error.code).toBe("UNSUPPORTED_MEDIA_TYPE");
      expect(service.webhooks).toEqual([]);
    },
  );

  it.each([
    ["announced", (text: string) => text],
    ["sent in chunks", (text: string) => Readable.from(text.match(/.{1,65536}/g) ?? [])],
  ])("refuses a body over 1 MiB with 413 when it is %s", async (_, bodyOf) => {
    const service = await startService();
    const dispatcher = new Agent({ connections: 1 });
    onTestFinished(() => dispatcher.close());
    const text = JSON.stringify(webhookBody({ padding: "x".repeat(8 * 1024 * 1024) }));

    const refused = await createWebhook(service, { body: bodyOf(text), dispatcher });
    const next = await createWebhook(service, { dispatcher });

    expect(refused.statusCode).toBe(413);
    expect(refused.json.error.code).toBe("CONTENT_TOO_LARGE");
    expect(service.requests).toMatchObject([{ committed: false }, { connection: 1 }]);
    expect(next.json.id).toBe(1);
  });

  it("refuses an announced body over 1 MiB before it comes", async () => {
    const { port, apiKey } = await startService();
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      [
        "POST /api/v1/bases/base_1/webhooks HTTP/1.1",
        ...["Host: localhost", `Authorization: Bearer ${apiKey}`],
        ...["Content-Type: application/json", "Content-Length: 1048577", "", "{"],
      ].join("\r\n"),
    );

    const [head] = await once(socket, "data");

    expect(String(head)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("takes a body of just under 1 MiB, and one sent in chunks", async () => {
    const service = await startService();
    const text = JSON.stringify(webhookBody({ padding: "x".repeat(1024 * 1000) }));

    const chunks = Readable.from([text.slice(0, 10), text.slice(10)]);

    expect((await createWebhook(service, { body: text })).statusCode).toBe(201);
    expect((await createWebhook(service, { body: chunks })).statusCode).toBe(201);
  });
});

describe("a creation with 40,000 wrong events", () => {
  it("is answered with the first of them and their number", async () => {
    const events = Array.from({ length: 40_000 }, (_, index) => `${index} ${"x".repeat(10)}`);

    const { statusCode, json } = await createWebhook(await startService(), {
      body: webhookBody({ url: 7, events }),
    });

    expect(statusCode).toBe(400);
    expect(json.error.message).toMatch(/url must be .*events\[0\] is not .*; and 39981 more\.$/);
    expect(json.error.message.length).toBeLessThan(3_000);
  });
});

describe("the Host of a request", () => {
  const statusOf = async (service: LocalService, host: string, path?: string) => {
    const { statusCode } = await createWebhook(service, {
      headers: { host },
      ...(path !== undefined && { path, body: { type: "record.created" } }),
    });
    return statusCode;
  };

  it.each(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.0.2.1"])(
    "is refused when it is %s, because another page's script may have sent it",
    async (host) => {
      const heard: unknown[] = [];
      const onRequest = ({ statusCode }: { statusCode?: number }) => heard.push(statusCode);
      const service = await startService({ onRequest });

      expect(await statusOf(service, host)).toBe(421);
      expect(await statusOf(service, host, "/_local/bases/base_1/events")).toBe(421);
      expect(service.webhooks).toEqual([]);
      expect(service.deliveries).toEqual([]);
      expect(heard).toEqual([421, 421]);
    },
  );

  it.each(["localhost:1234", "LOCALHOST", "127.0.0.1", "[::1]:80", "hooks.localhost"])(
    "may be %s",
    async (host) => {
      expect(await statusOf(await startService({ host: "localhost" }), host)).toBe(201);
    },
  );

  it.each([{ host: "0.0.0.0" }, { allowRemote: true }])("may be any with %j", async (options) => {
    const { port, ...service } = await startService(options);
    const reached = { ...service, port, baseUrl: `http://127.0.0.1:${port}` } as LocalService;

    expect(await statusOf(reached, "tables.example")).toBe(201);
  });
});

describe("deleting a webhook", () => {
  it("is answered with 200, success and a message", async () => {
    const service = await startService();
    const { json: created } = await createWebhook(service);

    const { statusCode, json } = await deleteWebhook(service, created.id);

    expect(statusCode).toBe(200);
    expect(json).toEqual({ success: true, message: "Webhook 1 deleted" });
  });

  it("removes that subscription and no other", async () => {
    const service = await startService();
    await createWebhook(service);
    const { json: second } = await createWebhook(service);
    await createWebhook(service);

    await deleteWebhook(service, second.id);

    expect(service.webhooks.map(({ id }) => id)).toEqual([1, 3]);
  });

  it("is answered with 404 the second time", async () => {
    const service = await startService();
    await createWebhook(service);
    await deleteWebhook(service, webhookId);

    expect(await deleteWebhook(service, webhookId)).toMatchObject(webhookNotFound);
  });

  it("is answered with 404 through another database, and removes nothing", async () => {
    const service = await startService();
    await createWebhook(service, { databaseId: "base_1" });

    expect(await deleteWebhook(service, webhookId, { databaseId: "base_2" })).toMatchObject(
      webhookNotFound,
    );
    expect(service.webhooks).toHaveLength(1);
  });

  it("is answered with 404 without access to the database, and removes nothing", async () => {
    const service = await startService({ apiKeys: { all: "*", other: ["base_2"] } });
    await createWebhook(service);

    expect(await deleteWebhook(service, webhookId, { apiKey: "other" })).toMatchObject(
      webhookNotFound,
    );
    expect(service.webhooks).toHaveLength(1);
  });

  it.each(["abc", "01", "1.0", "+1", "-1", "1e0", " 1", "9007199254740993"])(
    "is answered with 404 for the id %j",
    async (id) => {
      const service = await startService();
      await createWebhook(service);

      const { statusCode, json } = await deleteWebhook(service, id);

      expect(statusCode).toBe(404);
      expect(json).toEqual({ error: { code: "NOT_FOUND", message: `Webhook ${id} not found` } });
      expect(service.webhooks).toHaveLength(1);
    },
  );

  const webhookNotFound = {
    statusCode: 404,
    json: { error: { code: "NOT_FOUND", message: "Webhook 1 not found" } },
  };
});

describe("authentication", () => {
  it.each([
    ["no header", null, {}],
    ["an unknown key", "wrong", {}],
    ["another scheme", null, { authorization: "Basic local-api-key" }],
    ["an empty key", null, { authorization: "Bearer " }],
    ["two words", null, { authorization: "Bearer local-api-key more" }],
  ])("refuses %s with 401, whatever is asked", async (_, apiKey, headers) => {
    const service = await startService({ listing: true });
    await createWebhook(service);

    const answers = [
      await createWebhook(service, { apiKey, headers }),
      await deleteWebhook(service, webhookId, { apiKey, headers }),
      await listWebhooks(service, { apiKey, headers }),
    ];

    for (const answer of answers) {
      expect(answer.statusCode).toBe(401);
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
      expect(answer.json.error.code).toBe("UNAUTHORIZED");
    }
    expect(service.webhooks).toHaveLength(1);
  });

  it("takes the scheme in any case", async () => {
    const service = await startService();
    const headers = { authorization: "bearer local-api-key" };

    expect((await createWebhook(service, { apiKey: null, headers })).statusCode).toBe(201);
  });

  it("gives every key of a list every database", async () => {
    const service = await startService({ apiKeys: ["one", "two"] });

    for (const apiKey of ["one", "two"]) {
      expect((await createWebhook(service, { apiKey, databaseId: "any" })).statusCode).toBe(201);
    }
  });

  it("gives each key of a record its own databases, and all of them for *", async () => {
    const service = await startService({ apiKeys: { all: "*", some: ["base_1", "base_2"] } });

    const statusOf = async (apiKey: string, databaseId: string) =>
      (await createWebhook(service, { apiKey, databaseId })).statusCode;

    expect(await statusOf("all", "base_9")).toBe(201);
    expect(await statusOf("some", "base_2")).toBe(201);
    expect(await statusOf("some", "base_9")).toBe(404);
  });

  it("answers a creation or a listing without access with 404, and stores nothing", async () => {
    const service = await startService({ apiKeys: { other: ["base_2"] }, listing: true });
    const notFound = { error: { code: "NOT_FOUND", message: "Webhook not found" } };

    const created = await createWebhook(service, { body: "not even JSON" });
    const listed = await listWebhooks(service);

    expect(created).toMatchObject({ statusCode: 404, json: notFound });
    expect(listed).toMatchObject({ statusCode: 404, json: notFound });
    expect(service.webhooks).toEqual([]);
  });

  it("gives the first key as apiKey", async () => {
    expect((await startService()).apiKey).toBe("local-api-key");
    expect((await startService({ apiKeys: ["one", "two"] })).apiKey).toBe("one");
    expect((await startService({ apiKeys: { first: "*", second: [] } })).apiKey).toBe("first");
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
    const service = await startService();
    await createWebhook(service);

    const { statusCode, headers, json } = await send(service, { method, path });

    expect(statusCode).toBe(404);
    expect(headers["content-type"]).toMatch(/^text\/plain/);
    expect(json).toBeUndefined();
    expect(service.webhooks).toHaveLength(1);
  });

  it.each([
    ["GET", "", "POST"],
    ["HEAD", "", "POST"],
    ["PUT", "", "POST"],
    ["DELETE", "", "POST"],
    ["GET", "/1", "DELETE"],
    ["POST", "/1", "DELETE"],
    ["PATCH", "/1", "DELETE"],
  ] as const)("answer %s on …/webhooks%s with 405", async (method, rest, allow) => {
    const service = await startService();

    const path = `/api/v1/bases/base_1/webhooks${rest}`;
    const { statusCode, headers, json } = await send(service, { method, path });

    expect(statusCode).toBe(405);
    expect(headers.allow).toBe(allow);
    if (method !== "HEAD") {
      expect(json.error.code).toBe("METHOD_NOT_ALLOWED");
    }
  });

  it("pass over a query", async () => {
    const service = await startService();

    const path = "/api/v1/bases/base_1/webhooks?dry=1";

    expect((await createWebhook(service, { path })).statusCode).toBe(201);
  });

  it("are below the path prefix, and only there", async () => {
    const service = await startService({ pathPrefix: "/tables/eu-1" });
    const outside = `http://127.0.0.1:${service.port}`;

    expect(service.baseUrl).toBe(`${outside}/tables/eu-1`);
    expect((await createWebhook(service)).statusCode).toBe(201);
    expect((await deleteWebhook(service, webhookId)).statusCode).toBe(200);
    expect((await createWebhook({ ...service, baseUrl: outside })).statusCode).toBe(404);
  });
});

describe("listing", () => {
  it("shows the subscriptions of the database, without their secrets", async () => {
    const service = await startService({ listing: true });
    await createWebhook(service, { body: webhookBody({ tableId: "tbl_1" }) });
    await createWebhook(service, { databaseId: "base_2" });
    await createWebhook(service);
    service.updateWebhook(3, { active: false });

    const { statusCode, json } = await listWebhooks(service);

    expect(statusCode).toBe(200);
    expect(json).toEqual({
      webhooks: [
        { id: 1, ...webhookBody(), tableIds: ["tbl_1"], active: true },
        { id: 3, ...webhookBody(), tableIds: null, active: false },
      ],
    });
  });

  it("is empty for a database without subscriptions", async () => {
    const service = await startService({ listing: true });

    expect((await listWebhooks(service)).json).toEqual({ webhooks: [] });
  });

  it("adds its methods to Allow", async () => {
    const service = await startService({ listing: true });

    const answer = await listWebhooks(service, { method: "PUT" });

    expect(answer).toMatchObject({ statusCode: 405, headers: { allow: "GET, HEAD, POST" } });
  });
});

describe("a change from outside", () => {
  it("updates the fields that are given", async () => {
    const service = await startService();
    await createWebhook(service);
    const [before] = service.webhooks;

    service.updateWebhook(1, { active: false, tableId: "tbl_9", events: ["field.deleted"] });
    expect(service.webhooks).toEqual([
      { ...before, active: false, tableId: "tbl_9", events: ["field.deleted"] },
    ]);

    service.updateWebhook(1, { url: "https://example.org/", tableId: null });
    expect(service.webhooks).toMatchObject([
      { active: false, url: "https://example.org/", tableId: null },
    ]);
  });

  it("removes a subscription", async () => {
    const service = await startService();
    await createWebhook(service);

    service.removeWebhook(1);

    expect(service.webhooks).toEqual([]);
    expect((await deleteWebhook(service, 1)).statusCode).toBe(404);
  });

  it("throws for an unknown id", async () => {
    const service = await startService();

    expect(() => service.updateWebhook(7, { active: false })).toThrow(RangeError);
    expect(() => service.removeWebhook(7)).toThrow("no webhook 7");
  });
});

describe("starting", () => {
  it.each([
    ["no API key", { apiKeys: [] }, "apiKeys"],
    ["no API key in a record", { apiKeys: {} }, "apiKeys"],
    ["an API key that no header can carry", { apiKeys: ["one", "two words"] }, "apiKeys"],
    ["a path prefix without a slash in front", { pathPrefix: "tables" }, "pathPrefix"],
    ["a path prefix with a slash at the end", { pathPrefix: "/tables/" }, "pathPrefix"],
    ["a path prefix with a pattern", { pathPrefix: "/:any" }, "pathPrefix"],
    ["a rate of 0", { rateLimit: { requestsPerSecond: 0 } }, "rateLimit"],
    ["a burst of 0", { rateLimit: { requestsPerSecond: 1, burst: 0 } }, "rateLimit"],
  ])("fails with %s", async (_, options, named) => {
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

    expect(globalThis.Request).toBe(Request);
    expect(globalThis.Response).toBe(Response);
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
