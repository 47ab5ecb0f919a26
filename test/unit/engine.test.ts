import { createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Engine } from "../../src/core/engine.js";
import type { Notify } from "../../src/core/operation.js";
import { secret, someArgs } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { type Answer, refusedUrl, startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { startProvider } from "../helpers/provider.js";

const exit = vi.spyOn(process, "exit");

beforeEach(() => void exit.mockReset().mockImplementation(() => undefined as never));
afterEach(() => void vi.useRealTimers());

/** Listens on loopback as the engine does, and returns its address. */
async function listen(server: ReturnType<typeof createServer>, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const gone = async () => new URL(await refusedUrl()).host;

describe("an engine", () => {
  const engines: [string, () => ReturnType<typeof createServer>, boolean][] = [
    ["answers", () => createHttp2Server(), true],
    ["accepts a connection and ends it", () => createServer((socket) => socket.destroy()), false],
  ];
  it.each(engines)("that %s can store: %s", async (_case, create, canStore) => {
    const server = create();
    const engine = new Engine(await listen(server), () => {});

    expect(await engine.canStore()).toBe(canStore);
    expect(engine.stopping.aborted).toBe(!canStore);
    await engine.endIfGone();
    expect(exit).not.toHaveBeenCalled();
    server.close();
  });

  it("that accepts connections and says nothing cannot store", async () => {
    const connected = Promise.withResolvers<Socket>();
    const server = createServer(connected.resolve);
    const engine = new Engine(await listen(server), () => {});
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const canStore = engine.canStore();
    const socket = await connected.promise;
    await vi.advanceTimersByTimeAsync(5_000);

    expect(await canStore).toBe(false);
    socket.destroy();
    server.close();
  });

  it("that is gone never stores again, whatever listens there later", async () => {
    const address = await gone();
    const engine = new Engine(address, () => {});
    expect(await engine.canStore()).toBe(false);

    const server = createHttp2Server();
    await listen(server, Number(address.split(":")[1]));

    expect(await engine.canStore()).toBe(false);
    server.close();
  });

  it.each([undefined, "", "--logtostderr", "a b:1", "http://a:1"])(
    "counts as there without an address: %j",
    async (address) => {
      expect(await new Engine(address, () => {}).canStore()).toBe(true);
    },
  );

  it("that is gone ends the process, once nothing is in flight", async () => {
    const engine = new Engine(await gone(), () => {});
    engine.begin();
    engine.beginCreation();
    await engine.endIfGone();
    engine.endCreation();
    expect(exit).not.toHaveBeenCalled();

    engine.end();

    expect(exit).toHaveBeenCalledOnce();
  });

  it("that is gone ends an idle process, which looks for it now and then", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    new Engine(await gone(), () => {}).watch();

    vi.advanceTimersByTime(5_000);

    await expect.poll(() => exit.mock.calls.length).toBe(1);
  });

  it("that cancels stores what completes, and ends nothing", async () => {
    const engine = new Engine(undefined, () => {});
    engine.begin();

    engine.cancel();
    engine.end();

    expect(engine.stopping.aborted).toBe(true);
    expect(await engine.canStore()).toBe(true);
    expect(exit).not.toHaveBeenCalled();
  });
});

describe("a signal while creations are in flight", () => {
  it("is SIGINT: one line, nothing more is sent, and the process ends after the last", () => {
    const lines: string[] = [];
    const notify: Notify = (line, severity) => void lines.push(`${severity}: ${line}`);
    const engine = new Engine(undefined, notify);
    for (const _creation of [1, 2]) {
      engine.begin();
      engine.beginCreation();
    }
    const stop = process.listeners("SIGINT").at(-1);

    stop?.("SIGINT");
    stop?.("SIGINT");
    for (const _creation of [1, 2]) {
      expect(exit).not.toHaveBeenCalled();
      engine.endCreation();
      engine.end();
    }

    expect(lines).toEqual([
      "warning: Pulumi is stopping: webhooks whose creation is in flight are deleted again, if the service answers within 5 seconds.",
    ]);
    expect(engine.stopping.aborted).toBe(true);
    expect(exit).toHaveBeenCalledOnce();
    expect(process.listeners("SIGINT")).not.toContain(stop);
  });

  it("is SIGTERM: the engine still stores what comes", async () => {
    const before = process.listenerCount("SIGTERM");
    const engine = new Engine(undefined, () => {});
    engine.beginCreation();

    process.listeners("SIGTERM").at(-1)?.("SIGTERM");

    expect(process.listenerCount("SIGTERM")).toBe(before + 1);
    expect([engine.stopping.aborted, await engine.canStore()]).toEqual([false, true]);
    engine.endCreation();
    expect(process.listenerCount("SIGTERM")).toBe(before);
    expect(exit).not.toHaveBeenCalled();
  });
});

describe("a creation that Pulumi can no longer store", () => {
  it.each<[string, Answer, string]>([
    ["is undone", { body: { success: true } }, "undone"],
    ["is named when it stays", { statusCode: 403 }, "leftBehind"],
  ])("%s, in a line, and the process ends", async (_case, answer, kind) => {
    await using server = await startServer({ body: { id: 17, secret } }, answer);
    const address = await gone();
    const engine = (notify: Notify) => new Engine(address, notify);
    const { create, lines } = startProvider({ baseUrl: server.url }, { engine });

    const error = await errorOf(create(someArgs()));

    expect(kindOf(error)).toBe(kind);
    // The error itself no longer reaches the engine.
    expect(lines).toEqual([`warning: ${error.message}`]);
    expect(error.message).toMatch(/\b17\b/);
    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
    expect(exit).toHaveBeenCalledOnce();
  });
});
