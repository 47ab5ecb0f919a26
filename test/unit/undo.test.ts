import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createForState } from "../../src/core/create.ts";
import { Engine } from "../../src/core/engine.ts";
import { Ledger } from "../../src/core/ledger.ts";
import { read } from "../../src/dynamic/provider.ts";
import { createWebhook, deleteWebhook } from "../../src/service/client.ts";
import { PartialCreationError } from "../../src/service/errors.ts";
import type { HttpRequest } from "../../src/service/http.ts";
import { createTransport, type HttpResult } from "../../src/service/transport.ts";
import {
  errorBody,
  secret,
  secretEnvelope,
  someOperation,
  someSettings,
  someState,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, startRawServer, startServer } from "../helpers/http-server.ts";
import { captureLines, configure } from "../helpers/provider.ts";
import { fakeTransport, response, restoreWorld, settled, unsent } from "../helpers/transport.ts";

afterEach(restoreWorld);

const webhook = {
  databaseId: "base_abc123",
  url: "https://example.com/hooks",
  events: ["record.created"],
};

/** Creates a webhook that comes without a secret, and deletes it with this result. */
function createWithoutSecret(deletion: () => HttpResult, engineAddress?: string) {
  const lines: string[] = [];
  const sendRequest = async (_operation: unknown, { method }: HttpRequest) =>
    method === "POST" ? response(201, undefined, { id: 9 }) : deletion();
  const engine = new Engine(engineAddress, () => {});
  const transport = { stopping: engine.stopping, sendRequest };
  const account = { settings: someSettings(), transport };
  const operation = someOperation("Create webhook", { lines });
  const context = { account, ledger: new Ledger(), engine, operation };
  return { lines, error: errorOf(createForState(context, webhook, { ...webhook })) };
}

describe("undoing a creation without a secret", () => {
  it("has Pulumi store the webhook even when the deletion throws", async () => {
    const { error } = createWithoutSecret(() => {
      throw new TypeError("not a result");
    });

    expect(await error).toBeInstanceOf(PartialCreationError);
    expect(await error).toMatchObject({ id: "9" });
  });

  it("names the webhook to delete by hand when the engine is gone and the deletion fails", async () => {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    const address = new URL(await refusedUrl()).host;

    const { error, lines } = createWithoutSecret(() => response(403), address);

    expect(await error).not.toBeInstanceOf(PartialCreationError);
    expect((await error).message).toMatch(/created webhook 9 .+ delete it by hand/);
    expect(lines).toEqual([(await error).message]);
    expect(exit).toHaveBeenCalledOnce();
  });
});

describe("undoing a creation that Pulumi cannot store", () => {
  it("waits for no connection that another request holds", async () => {
    const held: Socket[] = [];
    await using server = await startRawServer((socket) => held.push(socket));
    const stop = new AbortController();
    const settings = someSettings({ baseUrl: server.url, maxConcurrentRequests: 1 });
    const transport = createTransport(settings, stop.signal);
    const address = { baseUrl: server.url, databaseId: "base_abc123", id: "9" };
    const account = { settings, transport };
    const other = createWebhook(account, someOperation(), webhook);
    await expect.poll(() => held).toHaveLength(1);
    stop.abort();

    const undone = deleteWebhook(account, someOperation(), address, true);
    await expect.poll(() => held).toHaveLength(2);
    for (const socket of held) {
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    }

    expect(await undone).toEqual({ kind: "deleted" });
    expect((await other).kind).toBe("inDoubt");
  });

  it("does not ask to run the command again when it fails, which would create another", async () => {
    const transport = await fakeTransport(() => unsent, {}, 0.5, AbortSignal.abort());
    const account = { settings: someSettings({ retrySeconds: 0 }), transport };
    const address = { baseUrl: account.settings.baseUrl, databaseId: "base_abc123", id: "9" };

    const undone = deleteWebhook(account, transport.operation, address, true);

    expect(JSON.stringify(await settled(undone))).not.toContain("Run the command again");
  });
});

describe("a secret that Pulumi hands over in its envelope", () => {
  it("is kept out of what a refresh prints", async () => {
    const body = errorBody("BAD_REQUEST", `Unexpected: ${secret}`);
    await using server = await startServer({ statusCode: 400, body });
    await configure({ baseUrl: server.url, listing: "true" });

    const { lines } = await captureLines(() =>
      read("17", someState({ baseUrl: server.url, secret: secretEnvelope })),
    );

    expect(lines.join()).toContain("[redacted]");
    expect(lines.join()).not.toContain(secret);
  });
});
