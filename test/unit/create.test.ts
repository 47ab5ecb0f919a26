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

const created: Answer = { statusCode: 201, body: { id: 17, secret } };
const createdWithoutSecret: Answer = { body: { id: 17 } };
const deleted: Answer = { body: { success: true } };
const forbidden: Answer = { statusCode: 403, body: errorBody("FORBIDDEN") };

afterEach(() => void vi.restoreAllMocks());

describe("A creation", () => {
  it("sends the arguments as they were written, and stores them", async () => {
    const { create, requests, baseUrl } = await startWithService(created);
    const { databaseId: _, ...args } = someArgs();
    const body = { ...args, url: "HTTPS://Example.com:443/a/../ä?b=%7E#c", tableId: "tbl_ä/1" };
    const stored = { ...body, databaseId: "a/b ä?#%2e" };

    const { properties } = await create({ ...stored, allowInsecureUrl: false });

    expect(properties).toStrictEqual({ ...stored, baseUrl, secret: secretEnvelope });
    expect(requests).toMatchObject([
      { method: "POST", path: "/eu/api/v1/bases/a%2Fb%20%C3%A4%3F%23%252e/webhooks" },
    ]);
    expect(requests.map((request) => JSON.parse(request.body))).toEqual([body]);
  });

  it("sends no tableId when the program declares none", async () => {
    const { create, requests } = await startWithService(created);
    const { databaseId: _, ...body } = someArgs();

    await create(someArgs({ tableId: null }));

    expect(requests.map((request) => JSON.parse(request.body))).toEqual([body]);
  });

  it("ignores fields of the response that it does not know", async () => {
    const body = { id: 17, secret, active: true, url: "https://else.example", baseUrl: null };
    const { create, state } = await startWithService({ body });

    const { properties } = await create(someArgs());

    expect(properties).toMatchObject({ url: state.url, baseUrl: state.baseUrl });
    expect(properties).not.toHaveProperty("active");
  });

  it.each([
    [200, 17],
    [202, 0],
    [299, "12345678901234567890"],
  ])("succeeds when the service returns %d and the id %j", async (statusCode, id) => {
    const { create } = await startWithService({ statusCode, body: { id, secret } });

    expect(await create(someArgs())).toMatchObject({ id: String(id) });
  });

  it.each<[string, Answer]>([
    ["a redirect", { ...created, statusCode: 300 }],
    ["an error of the caller", { statusCode: 404, body: errorBody("NOT_FOUND") }],
  ])("is refused and not retried when the service returns %s", async (_case, answer) => {
    const { create, methods } = await startWithService([answer, created]);

    await expect(create(someArgs())).rejects.toMatchObject({ kind: "notCreated" });
    expect(methods()).toEqual(["POST"]);
  });

  it.each<[string, Answer]>([
    ["an error of its own", { ...created, statusCode: 500 }],
    ["more than 1 MiB", { body: " ".repeat(1024 * 1024 + 1) }],
    ["no object", { body: "null" }],
    ["no id", { body: { secret } }],
    ["a fraction as id", { body: { id: 1.5, secret } }],
    ["a path as id", { body: { id: "1/../2", secret } }],
    ["a number too large to be exact as id", { body: '{"id":12345678901234567890,"secret":"s"}' }],
  ])("is in doubt and not retried when the service returns %s", async (_case, answer) => {
    const { create, methods } = await startWithService([answer, created]);

    await expect(create(someArgs())).rejects.toMatchObject({ kind: "inDoubt" });
    expect(methods()).toEqual(["POST"]);
  });

  it("that was sent when Pulumi cancels completes and is stored, and nothing more is sent", async () => {
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

describe("A creation whose response holds no usable secret", () => {
  it.each([
    ["is absent", undefined],
    ["is empty", ""],
    ["is a list", ["whsec_1"]],
    ["has a lone surrogate, which Pulumi cannot store", "whsec_\ud800"],
  ])("is undone when the secret %s", async (_case, unusable) => {
    const { create, requests, lines } = await startWithService([
      { body: { id: 17, secret: unusable } },
      deleted,
    ]);

    const error = await errorOf(create(someArgs({ databaseId: "a/b" })));

    expect(error).toMatchObject({ kind: "undone" });
    expect(requests).toMatchObject([
      { method: "POST", path: "/eu/api/v1/bases/a%2Fb/webhooks" },
      { method: "DELETE", path: "/eu/api/v1/bases/a%2Fb/webhooks/17" },
    ]);
    expect(lines).toEqual([]);
  });

  it.each<[string, Answer]>([
    ["is refused", forbidden],
    // A key without access to the webhook gets the same response.
    ["finds no webhook", { statusCode: 404, body: errorBody("NOT_FOUND") }],
  ])("is partial, with the id for the state, when the deletion %s", async (_case, answer) => {
    const { create, baseUrl } = await startWithService([{ body: { id: 0 } }, answer]);

    const error = await errorOf(create(someArgs()));

    expect({ ...error }).toEqual({
      name: expect.anything(),
      kind: "partial",
      id: "0",
      properties: { ...someArgs(), baseUrl },
      reasons: [error.message],
    });
  });

  it("is partial when the deletion throws", async () => {
    const webhook = { databaseId: "base", url: "https://a.example", events: ["record.created"] };
    const context = someContext(someOperation());
    const sendRequest = vi
      .fn(context.transport.sendRequest)
      .mockResolvedValueOnce({ outcome: response(201, 0, { id: 9 }), earlier: [], elapsedMs: 0 });
    const failing = { ...context, transport: { sendRequest } };

    const error = await errorOf(createForState(failing, webhook, webhook));

    expect(error).toMatchObject({ kind: "partial", id: "9", properties: webhook });
  });
});

describe("A creation whose response arrives when Pulumi is gone", () => {
  const otherSecret = "kB7wQz-another-secret-Xn4";

  /** Creates a webhook for an engine that no longer exists. */
  async function createForGoneEngine(...answers: readonly Answer[]) {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    const engine = new Engine(new URL(await refusedUrl()).host, () => undefined);
    const run = await startWithService(answers, {}, engine);
    return { ...run, exit, error: await errorOf(run.create(someArgs())) };
  }

  it("is undone, because nobody stores its secret, and the process ends", async () => {
    const { error, methods, exit } = await createForGoneEngine(created, deleted);

    expect({ ...error }).toEqual({ name: expect.anything(), kind: "undone" });
    expect(methods()).toEqual(["POST", "DELETE"]);
    expect(exit).toHaveBeenCalledOnce();
  });

  it.each([
    ["with a secret", created],
    ["without a secret", createdWithoutSecret],
  ])("is left behind when it cannot be undone, %s", async (_case, answer) => {
    const { error } = await createForGoneEngine(answer, forbidden);

    expect({ ...error }).toEqual({ name: expect.anything(), kind: "leftBehind" });
  });

  it("writes its error to the log, because the error itself reaches no engine", async () => {
    const { error, lines } = await createForGoneEngine(created, forbidden);

    expect(lines).toEqual([`warning: ${error.message}`]);
  });

  it("does not show the secret when the service repeats it in a refusal", async () => {
    const { error } = await createForGoneEngine(
      { body: { id: 17, secret: otherSecret } },
      { statusCode: 403, body: errorBody("FORBIDDEN", `It is ${otherSecret}.`) },
    );

    expect(error.message).not.toContain(otherSecret);
  });
});

describe("A creation for which the service returns a webhook that this run knows", () => {
  it.each<[string, Answer]>([
    ["with its secret", created],
    ["without a secret", createdWithoutSecret],
  ])("fails and deletes nothing when the state holds the webhook: %s", async (_case, answer) => {
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
    const run = await startWithService([created, createdWithoutSecret]);
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
    expect(run.lines).toEqual([expect.stringMatching(/^warning: Did not delete webhook 17 /)]);
  });

  it("keeps that webhook when it replaces itself, which Pulumi announces by the old arguments", async () => {
    const run = await startWithService([created, deleted]);
    await run.check(someArgs(), someArgs());
    await run.check({}, someArgs());
    const { id } = await run.create(someArgs());

    await run.delete(id, run.state);

    expect(run.methods()).toEqual(["POST"]);
    expect(run.lines).toEqual([expect.stringMatching(/^warning: Did not delete webhook 17 /)]);
  });

  it("succeeds when this run has deleted the webhook, because services reuse ids", async () => {
    const run = await startWithService([deleted, created]);
    await run.delete("17", run.state);

    expect(await run.create(someArgs())).toMatchObject({ id: "17" });
    expect(run.methods()).toEqual(["DELETE", "POST"]);
  });

  it("succeeds when the known webhook belongs to another service", async () => {
    const run = await startWithService(created, { isExplicit: "true" });
    await run.diff("17", { ...run.state, baseUrl: "https://other.example.com" }, someArgs());

    expect(await run.create(someArgs())).toMatchObject({ id: "17" });
  });
});
