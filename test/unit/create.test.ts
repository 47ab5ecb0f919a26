import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createManagedWebhook } from "../../src/provider/create.ts";
import { EngineMonitor } from "../../src/provider/engine.ts";
import {
  errorBody,
  secret,
  secretEnvelope,
  someArgs,
  someContext,
  someOperation,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, type StubResponse, startRawServer } from "../helpers/http-server.ts";
import { kindOf } from "../helpers/kind-of.ts";
import { startProvider } from "../helpers/provider.ts";
import { startWithService } from "../helpers/provider-with-service.ts";
import { response } from "../helpers/transport.ts";

const created: StubResponse = { statusCode: 201, body: { id: 17, secret } };
const createdWithoutSecret: StubResponse = { body: { id: 17 } };
const deleted: StubResponse = { body: { success: true } };
const forbidden: StubResponse = { statusCode: 403, body: errorBody("FORBIDDEN") };

afterEach(() => void vi.restoreAllMocks());

describe("A creation", () => {
  it("sends the arguments as they were written, and stores them", async () => {
    const { create, requests, baseUrl } = await startWithService(created);
    const url = "HTTPS://Example.com:443/a/../ä?b=%7E#c";
    const args = someArgs({ databaseId: "a/b ä?#%2e", url, tableId: "tbl_ä/1" });

    const { properties } = await create({ ...args, allowInsecureUrl: false });

    expect(properties).toStrictEqual({ ...args, baseUrl, secret: secretEnvelope });
    const path = "/eu/api/v1/bases/a%2Fb%20%C3%A4%3F%23%252e/webhooks";
    const body = JSON.stringify({ url, events: args.events, tableId: "tbl_ä/1" });
    expect(requests).toMatchObject([{ method: "POST", path, body }]);
  });

  it("sends no tableId when the program declares none", async () => {
    const { create, requests } = await startWithService(created);
    const { url, events } = someArgs();

    await create(someArgs({ tableId: null }));

    expect(requests).toMatchObject([{ body: JSON.stringify({ url, events }) }]);
  });

  it("stores no other field of the response", async () => {
    const body = { id: 17, secret, active: true, url: "https://else.example", baseUrl: null };
    const { create, baseUrl } = await startWithService({ body });

    const { properties } = await create(someArgs());

    expect(properties).toStrictEqual({ ...someArgs(), baseUrl, secret: secretEnvelope });
  });

  it.each([
    [200, 17],
    [202, 0],
    [299, "12345678901234567890"],
  ])("succeeds when the service returns %d and the id %j", async (statusCode, id) => {
    const { create } = await startWithService({ statusCode, body: { id, secret } });

    expect(await create(someArgs())).toMatchObject({ id: String(id) });
  });

  it.each<[string, string, StubResponse]>([
    ["notCreated", "a redirect", { ...created, statusCode: 300 }],
    ["notCreated", "an error", { statusCode: 404, body: errorBody("NOT_FOUND") }],
    ["inDoubt", "an error of its own", { ...created, statusCode: 500 }],
    ["inDoubt", "more than 1 MiB", { body: " ".repeat(1024 * 1024 + 1) }],
    ["inDoubt", "no object", { body: "null" }],
    ["inDoubt", "no id", { body: { secret } }],
    ["inDoubt", "a fraction as id", { body: { id: 1.5, secret } }],
    ["inDoubt", "a path as id", { body: { id: "1/../2", secret } }],
    ["inDoubt", "an id that is too large to be exact", { body: `{"id":${2 ** 53},"secret":"s"}` }],
  ])("ends as %s, without a retry, when the service returns %s", async (kind, _case, answer) => {
    const { create, methods } = await startWithService([answer, created]);

    expect(kindOf(await errorOf(create(someArgs())))).toBe(kind);
    expect(methods()).toEqual(["POST"]);
  });

  it("completes after Pulumi cancels when it was sent, and is not sent when it waits", async () => {
    const sockets: Socket[] = [];
    await using server = await startRawServer((socket) => sockets.push(socket));
    const engine = new EngineMonitor(undefined, () => undefined);
    const run = startProvider({ baseUrl: server.url, maxConcurrentRequests: "1" }, engine);
    const sent = run.create(someArgs());
    const waiting = errorOf(run.create(someArgs()));
    await expect.poll(() => sockets).toHaveLength(1);

    engine.stopSending();

    expect(kindOf(await waiting)).toBe("notCreated");
    sockets[0]?.end('HTTP/1.1 200 OK\r\ncontent-length: 23\r\n\r\n{"id":17,"secret":"wh"}');
    expect(await sent).toMatchObject({ id: "17" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("A creation whose response holds no usable secret", () => {
  it.each([
    ["is absent", undefined],
    ["is a list", ["whsec_1"]],
    ["has a lone surrogate, which Pulumi cannot store", "whsec_\ud800"],
  ])("is undone when the secret %s", async (_case, unusable) => {
    const odd = { body: { id: 17, secret: unusable } };
    const { create, requests, lines } = await startWithService([odd, deleted]);

    const error = await errorOf(create(someArgs({ databaseId: "a/b" })));

    expect(kindOf(error)).toBe("undone");
    expect(requests).toMatchObject([
      { method: "POST", path: "/eu/api/v1/bases/a%2Fb/webhooks" },
      { method: "DELETE", path: "/eu/api/v1/bases/a%2Fb/webhooks/17" },
    ]);
    expect(lines).toEqual([]);
  });

  it.each<[string, StubResponse]>([
    ["is refused", forbidden],
    // A key without access to the webhook gets the same response.
    ["finds no webhook", { statusCode: 404, body: errorBody("NOT_FOUND") }],
  ])("is partial, with the id for the state, when the deletion %s", async (_case, answer) => {
    const { create, baseUrl } = await startWithService([{ body: { id: 0 } }, answer]);

    const error = await errorOf(create(someArgs()));

    const properties = { ...someArgs(), baseUrl };
    expect(error).toMatchObject({ kind: "partial", id: "0", properties, reasons: [error.message] });
  });

  it("is partial when the deletion throws", async () => {
    const webhook = { databaseId: "base", url: "https://a.example", events: ["record.created"] };
    const context = someContext(someOperation());
    const sendRequest = vi.fn(context.transport.sendRequest).mockResolvedValueOnce({
      outcome: response(201, 0, { id: 9 }),
      earlierOutcomes: [],
      elapsedMs: 0,
    });
    const failing = { ...context, transport: { sendRequest } };

    const error = await errorOf(createManagedWebhook(failing, webhook, webhook));

    expect(error).toMatchObject({ kind: "partial", id: "9", properties: webhook });
  });
});

describe("A creation whose response arrives when Pulumi is gone", () => {
  const otherSecret = "kB7wQz-another-secret-Xn4";
  const createdWithOtherSecret = { body: { id: 17, secret: otherSecret } };
  const echo = { statusCode: 403, body: errorBody("FORBIDDEN", `It is ${otherSecret}.`) };

  /** Creates a webhook for an engine that no longer exists. */
  async function createForGoneEngine(...answers: readonly StubResponse[]) {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    const engine = new EngineMonitor(new URL(await refusedUrl()).host, () => undefined);
    const run = await startWithService(answers, {}, engine);
    return { ...run, exit, error: await errorOf(run.create(someArgs())) };
  }

  it("is undone, because Pulumi can no longer store its secret, and the process ends", async () => {
    const { error, methods, exit } = await createForGoneEngine(created, deleted);

    expect(kindOf(error)).toBe("undone");
    expect(methods()).toEqual(["POST", "DELETE"]);
    expect(exit).toHaveBeenCalledOnce();
  });

  it.each<[string, StubResponse]>([
    ["with a secret", created],
    ["without a secret", createdWithoutSecret],
  ])("is left behind when it cannot be undone, %s", async (_case, answer) => {
    const { error } = await createForGoneEngine(answer, forbidden);

    expect({ ...error }).toEqual({ name: "WebhookError", kind: "leftBehind" });
  });

  it("writes its error to the log, without the secret", async () => {
    const { error, lines } = await createForGoneEngine(createdWithOtherSecret, echo);

    expect(lines).toEqual([`warning: ${error.message}`]);
    expect(error.message).not.toContain(otherSecret);
  });
});

describe("A creation for which the service returns a webhook that this run knows", () => {
  it.each<[string, StubResponse]>([
    ["with its secret", created],
    ["without a secret", createdWithoutSecret],
  ])("fails and deletes nothing when the state holds the webhook: %s", async (_case, answer) => {
    const run = await startWithService(answer);
    await run.diff("17", run.state, someArgs());

    const error = await errorOf(run.create(someArgs()));

    expect(kindOf(error)).toBe("notCreated");
    expect(run.methods()).toEqual(["POST"]);
  });

  it("fails when this run has created the webhook, which no deletion reaches any more", async () => {
    const run = await startWithService(created);
    await run.create(someArgs());

    const error = await errorOf(run.create(someArgs()));
    await run.delete("17", run.state);

    expect(kindOf(error)).toBe("notCreated");
    expect(run.methods()).toEqual(["POST", "POST"]);
    expect(run.lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it("keeps that webhook when it replaces itself, which Pulumi announces by the old arguments", async () => {
    const run = await startWithService(created);
    await run.check(someArgs(), someArgs());
    await run.check({}, someArgs());
    const { id } = await run.create(someArgs());

    await run.delete(id, run.state);

    expect(run.methods()).toEqual(["POST"]);
    expect(run.lines).toEqual([expect.stringMatching(/^warning: .*webhook 17 /)]);
  });

  it("succeeds when this run has deleted the webhook, because services reuse ids", async () => {
    const run = await startWithService([deleted, created]);
    await run.delete("17", run.state);

    expect(await run.create(someArgs())).toMatchObject({ id: "17" });
  });

  it("succeeds when the known webhook belongs to another service", async () => {
    const run = await startWithService(created, { isExplicit: "true" });
    await run.diff("17", { ...run.state, baseUrl: "https://other.example.com" }, someArgs());

    expect(await run.create(someArgs())).toMatchObject({ id: "17" });
  });
});
