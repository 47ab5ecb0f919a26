import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createForState } from "../../src/provider/create.ts";
import { Engine } from "../../src/provider/engine.ts";
import {
  errorBody,
  secret,
  secretEnvelope,
  someArgs,
  someContext,
  someOperation,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { type Answer, refusedUrl, startRawServer } from "../helpers/http-server.ts";
import { startProvider } from "../helpers/provider.ts";
import { startWithService } from "../helpers/provider-with-service.ts";
import { response } from "../helpers/transport.ts";

const created = { statusCode: 201, body: { id: 17, secret } };
const deleted = { body: { success: true } };
/** A secret that its first letters do not give away, and a refusal that repeats it. */
const otherSecret = "kB7wQz-another-secret-Xn4";
const forbidden = { statusCode: 403, body: errorBody("FORBIDDEN", `It is ${otherSecret}.`) };

afterEach(() => void vi.restoreAllMocks());

/** The error of a creation that gets these answers, and what the service saw. */
async function failureOf(answers: readonly Answer[], changes = {}, engine?: Engine) {
  const run = await startWithService(answers, {}, engine);
  return { ...run, error: await errorOf(run.create(someArgs(changes))) };
}

describe("a creation", () => {
  it("sends what the service knows, as it was written, and stores that", async () => {
    const body = { id: 17, secret, active: true, url: "https://else.example", baseUrl: null };
    const { create, requests, baseUrl } = await startWithService({ body });
    const { databaseId, ...plain } = someArgs();
    const sent = { ...plain, url: "HTTPS://Example.com:443/a/../ä?b=%7E#c", tableId: "tbl_ä/1" };
    const stored = { ...sent, databaseId: "a/b ä?#%2e" };

    const { properties } = await create({ ...stored, allowInsecureUrl: false });
    await create(someArgs({ tableId: null }));

    expect(properties).toStrictEqual({ ...stored, baseUrl, secret: secretEnvelope });
    expect(requests).toMatchObject([
      { method: "POST", path: "/eu/api/v1/bases/a%2Fb%20%C3%A4%3F%23%252e/webhooks" },
      { method: "POST", path: `/eu/api/v1/bases/${databaseId}/webhooks` },
    ]);
    expect(requests.map((request) => JSON.parse(request.body))).toEqual([sent, plain]);
  });

  it.each([
    [200, 17],
    [202, 0],
    [299, "12345678901234567890"],
  ])("succeeds with status %d and the id %j", async (statusCode, id) => {
    const { create } = await startWithService({ statusCode, body: { id, secret } });

    expect(await create(someArgs())).toMatchObject({ id: String(id) });
  });

  it.each<[kind: string, Answer]>([
    ["notCreated", { ...created, statusCode: 300 }],
    ["notCreated", { statusCode: 404, body: errorBody("NOT_FOUND") }],
    ["inDoubt", { ...created, statusCode: 500 }],
    ["inDoubt", { body: " ".repeat(1024 * 1024 + 1) }],
    ["inDoubt", { body: "null" }],
    ["inDoubt", { body: { secret } }],
    ["inDoubt", { body: { id: 1.5, secret } }],
    ["inDoubt", { body: { id: "1/../2", secret } }],
    ["inDoubt", { body: '{"id":12345678901234567890,"secret":"s"}' }],
  ])("fails, %s, and is sent once: %j", async (kind, answer) => {
    const { error, methods } = await failureOf([answer, created]);

    expect([error, methods()]).toMatchObject([{ kind }, ["POST"]]);
  });

  it.each<[kind: string, { id: number; secret?: unknown }, Answer, isGone?: boolean]>([
    ["undone", { id: 17 }, deleted],
    ["undone", { id: 17, secret: "" }, deleted],
    ["undone", { id: 17, secret: ["whsec_1"] }, deleted],
    // Pulumi would store another text in its place.
    ["undone", { id: 17, secret: "whsec_\ud800" }, deleted],
    ["partial", { id: 0 }, forbidden],
    // A key that may not delete gets the same answer.
    ["partial", { id: 17 }, { statusCode: 404, body: errorBody("NOT_FOUND") }],
    ["undone", { id: 17, secret }, deleted, true],
    ["leftBehind", { id: 17, secret: otherSecret }, forbidden, true],
    ["leftBehind", { id: 17 }, forbidden, true],
  ])("is %s after %j and %j, with Pulumi gone: %j", async (kind, body, answer, isGone = false) => {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    const gone = new Engine(new URL(await refusedUrl()).host, () => undefined);

    const run = await failureOf(
      [{ body }, answer],
      { databaseId: "a/b" },
      isGone ? gone : undefined,
    );

    const { error, baseUrl } = run;
    const properties = { ...someArgs({ databaseId: "a/b" }), baseUrl };
    const stored = { id: `${body.id}`, properties, reasons: [error.message] };
    expect({ ...error }).toEqual({
      name: expect.anything(),
      kind,
      ...(kind === "partial" && stored),
    });
    expect(run.requests).toMatchObject([
      { method: "POST", path: "/eu/api/v1/bases/a%2Fb/webhooks" },
      { method: "DELETE", path: `/eu/api/v1/bases/a%2Fb/webhooks/${body.id}` },
    ]);
    expect(error.message.includes(otherSecret)).toBe(
      answer === forbidden && body.secret !== otherSecret,
    );
    // The error itself no longer reaches an engine that is gone.
    expect(run.lines).toEqual(isGone ? [`warning: ${error.message}`] : []);
    expect(exit).toHaveBeenCalledTimes(isGone ? 1 : 0);
  });

  it("is partial, too, when the deletion throws", async () => {
    const webhook = { databaseId: "base", url: "https://a.example", events: ["record.created"] };
    const context = someContext(someOperation());
    const sendRequest = vi
      .fn(context.account.transport.sendRequest)
      .mockResolvedValueOnce({ outcome: response(201, 0, { id: 9 }), earlier: [], elapsedMs: 0 });
    const account = { ...context.account, transport: { sendRequest } };

    const error = await errorOf(createForState({ ...context, account }, webhook, webhook, false));

    expect(error).toMatchObject({ kind: "partial", id: "9", properties: webhook });
  });

  it("that was sent when Pulumi cancels completes and is stored; nothing more is sent", async () => {
    const sockets: Socket[] = [];
    await using server = await startRawServer((socket) => sockets.push(socket));
    const engine = new Engine(undefined, () => undefined);
    const run = startProvider({ baseUrl: server.url, maxConcurrentRequests: "1" }, engine);
    const sent = run.create(someArgs());
    const waiting = errorOf(run.create(someArgs()));
    await expect.poll(() => sockets).toHaveLength(1);

    engine.cancel();

    expect(await waiting).toMatchObject({ kind: "notCreated" });
    expect(await errorOf(run.create(someArgs()))).toMatchObject({ kind: "notCreated" });
    sockets[0]?.end('HTTP/1.1 200 OK\r\ncontent-length: 23\r\n\r\n{"id":17,"secret":"wh"}');
    expect(await sent).toMatchObject({ id: "17", properties: { secret: { value: "wh" } } });
    expect(server.requests).toHaveLength(1);
  });
});

describe("A creation for which the service returns a webhook that this run knows", () => {
  const withoutSecret = { body: { id: 17 } };

  it.each<[string, Answer]>([
    ["with its secret", created],
    ["without a secret", withoutSecret],
  ])("fails and deletes nothing: %s, and the state holds the webhook", async (_case, answer) => {
    const run = await startWithService(answer);
    await run.check(someArgs(), someArgs());
    await run.diff("17", run.state, someArgs());

    const error = await errorOf(run.create(someArgs()));

    expect(error).toMatchObject({
      kind: "notCreated",
      message: expect.stringContaining("webhook 17"),
    });
    expect(run.methods()).toEqual(["POST"]);
  });

  it("fails and deletes nothing when this run created the webhook", async () => {
    const run = await startWithService([created, withoutSecret]);
    await run.create(someArgs());

    const error = await errorOf(run.create(someArgs()));

    expect(error).toMatchObject({ kind: "notCreated" });
    expect(run.methods()).toEqual(["POST", "POST"]);
  });

  it("lets no deletion of this run reach that webhook", async () => {
    const run = await startWithService([created, created, deleted]);
    await run.create(someArgs());
    await errorOf(run.create(someArgs()));

    await run.delete("17", run.state);

    expect(run.methods()).toEqual(["POST", "POST"]);
    expect(run.lines).toEqual([expect.stringMatching(/^warning: Kept webhook 17 /)]);
  });

  it("keeps that webhook when it replaces itself, which Pulumi announces by the old arguments", async () => {
    const run = await startWithService([created, deleted]);
    await run.check(someArgs(), someArgs());
    await run.check({}, someArgs());
    const { id } = await run.create(someArgs());

    await run.delete(id, run.state);

    expect(run.methods()).toEqual(["POST"]);
    expect(run.lines).toEqual([expect.stringMatching(/^warning: Kept webhook 17 /)]);
  });

  it("succeeds when this run has deleted the webhook, because services reuse ids", async () => {
    const run = await startWithService([deleted, created]);
    await run.delete("17", run.state);

    expect(await run.create(someArgs())).toMatchObject({ id: "17" });
    expect(run.methods()).toEqual(["DELETE", "POST"]);
  });
});

describe("A creation for which another service returns a number that this run knows", () => {
  it("succeeds, because numbers are unique only within one service", async () => {
    const run = await startWithService(created, { isExplicit: "true" });
    await run.diff("17", { ...run.state, baseUrl: "https://other.example.com" }, someArgs());

    expect(await run.create(someArgs())).toMatchObject({ id: "17" });
  });
});
