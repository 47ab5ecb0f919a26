import { createServer as createHttp2Server } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { EngineMonitor } from "../../../src/provider/command/engine-monitor.ts";
import { listen as listenOnLoopback, refusedAddress } from "../../helpers/http-server.ts";

const exit = vi.spyOn(process, "exit");

beforeEach(() => void exit.mockReset().mockImplementation(() => undefined as never));
afterEach(() => void vi.useRealTimers());

/** Listens on loopback as the engine does, and returns its address. */
async function listen(server: Server, port?: number): Promise<string> {
  onTestFinished(() => void server.close());
  return new URL(await listenOnLoopback(server, port)).host;
}

/**
 * Waits until the process would have ended, which takes no longer than a connection within this
 * machine.
 */
const expectExit = () =>
  expect.poll(() => exit.mock.calls, { timeout: 30_000, message: "no exit" }).toHaveLength(1);

const engineAt = (address?: string, onInterruptedCreation = () => {}) =>
  new EngineMonitor(address, onInterruptedCreation);

/** Begins an operation, and returns a function that ends it. */
function begin(
  engine: EngineMonitor,
  wrap = (operation: () => Promise<void>) => operation(),
): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const operation = engine.performAndMaybeExit(() => wrap(() => promise));
  return () => {
    resolve();
    return operation;
  };
}

const beginCreation = (engine: EngineMonitor) =>
  begin(engine, (creation) => engine.trackCreation(creation));

/**
 * Returns the handler that a creation has added and not removed. A real signal would reach Vitest
 * too.
 */
function handlerOf(signal: NodeJS.Signals, listenersBefore: readonly unknown[]) {
  const handler = process.rawListeners(signal).find((one) => !listenersBefore.includes(one));
  return handler ?? expect.unreachable(`no creation handles ${signal}`);
}

describe("Pulumi's engine", () => {
  it("can store, and needs the process, when its address responds", async () => {
    const engine = engineAt(await listen(createHttp2Server()));

    await engine.exitIfFinished();

    expect(exit).not.toHaveBeenCalled();
    expect(await engine.confirmCanStoreOrStop()).toBe(true);
    expect(engine.stopping.aborted).toBe(false);
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ["ends", (socket) => socket.destroy()],
    ["resets", (socket) => socket.resetAndDestroy()],
  ])("cannot store, but may need the process, when it %s a connection", async (_verb, end) => {
    const engine = engineAt(await listen(createServer(end)));
    // An undo that waits for a response comes after Pulumi's SIGKILL, so the time stands still
    // here.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    await engine.exitIfFinished();

    expect(exit).not.toHaveBeenCalled();
    expect(await engine.confirmCanStoreOrStop()).toBe(false);
    expect(engine.stopping.aborted).toBe(true);
  });

  it("cannot store when its address accepts a connection and does not respond for 5 s", async () => {
    const connected = Promise.withResolvers<Socket>();
    const engine = engineAt(await listen(createServer(connected.resolve)));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const isAlive = engine.confirmCanStoreOrStop();
    await connected.promise;
    await vi.advanceTimersByTimeAsync(4_999);
    const isGivenUpBefore = engine.stopping.aborted;
    await vi.advanceTimersByTimeAsync(1);

    expect(isGivenUpBefore).toBe(false);
    expect(await isAlive).toBe(false);
  });

  it("cannot store after it was gone once, even if something responds at its address later", async () => {
    const address = refusedAddress;
    const engine = engineAt(address);
    await engine.confirmCanStoreOrStop();

    await listen(createHttp2Server(), Number(address.split(":")[1]));

    expect(await engine.confirmCanStoreOrStop()).toBe(false);
  });

  it.each([undefined, "--logtostderr", "a b:1", "http://a:1"])(
    "is assumed to be there when the process gets %j in place of its address",
    async (address) => {
      expect(await engineAt(address).confirmCanStoreOrStop()).toBe(true);
    },
  );
});

describe("The process of the provider", () => {
  it("sends nothing more when the engine is gone, and ends with the last operation in flight", async () => {
    const engine = engineAt(refusedAddress);
    const end = begin(engine);
    await engine.exitIfFinished();
    const exitsBefore = exit.mock.calls.length;

    await end();

    expect(engine.stopping.aborted).toBe(true);
    expect(exitsBefore).toBe(0);
    await expectExit();
  });

  it("ends when the engine did not respond at first, and is gone later", async () => {
    const server = createServer((socket) => socket.destroy());
    const engine = engineAt(await listen(server));
    await engine.confirmCanStoreOrStop();
    await server[Symbol.asyncDispose]();

    await engine.exitIfFinished();

    await expectExit();
  });

  it("ends only when the user sees every line", async () => {
    const flushed = Promise.withResolvers<void>();
    const engine = new EngineMonitor(
      refusedAddress,
      () => {},
      () => flushed.promise,
    );

    await engine.exitIfFinished();
    const exitsBefore = exit.mock.calls.length;
    flushed.resolve();

    expect(exitsBefore).toBe(0);
    await expectExit();
  });

  it("ends when it is idle and a periodic check finds that the engine is gone", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    engineAt(refusedAddress).watch();

    vi.advanceTimersByTime(5_000);

    await expectExit();
  });

  it("warns once at SIGINT, even at a second one, and ends with the last creation in flight", async () => {
    const listenersBefore = process.rawListeners("SIGINT");
    const warn = vi.fn();
    const engine = engineAt(undefined, warn);
    const endFirst = beginCreation(engine);
    const endSecond = beginCreation(engine);
    const endLast = beginCreation(engine);
    const interrupt = () => handlerOf("SIGINT", listenersBefore)("SIGINT");

    await endFirst();
    interrupt();
    const warningsOfFirstSignal = warn.mock.calls.length;
    await endSecond();
    interrupt();
    const exitsBefore = exit.mock.calls.length;
    await endLast();

    expect(warningsOfFirstSignal).toBe(1);
    expect(warn).toHaveBeenCalledOnce();
    expect(exitsBefore).toBe(0);
    await expectExit();
    expect(engine.stopping.aborted).toBe(true);
    expect(process.rawListeners("SIGINT")).toEqual(listenersBefore);
  });

  it.each<NodeJS.Signals>(["SIGTERM", "SIGHUP", "SIGQUIT"])(
    "goes on after %s, which it handles until the last creation in flight ends",
    async (signal) => {
      const listenersBefore = process.rawListeners(signal);
      const engine = engineAt();
      const endFirst = beginCreation(engine);
      const endLast = beginCreation(engine);

      await endFirst();
      handlerOf(signal, listenersBefore)(signal);
      const isAlive = await engine.confirmCanStoreOrStop();
      await endLast();

      expect(isAlive).toBe(true);
      expect(engine.stopping.aborted).toBe(false);
      expect(exit).not.toHaveBeenCalled();
      expect(process.rawListeners(signal)).toEqual(listenersBefore);
    },
  );

  it("loses the engine when SIGINT comes while the engine responds that it is alive", async () => {
    const listenersBefore = process.rawListeners("SIGINT");
    const server = createHttp2Server();
    const engine = engineAt(await listen(server));
    const end = beginCreation(engine);

    // The signal comes once the engine has accepted the connection, and before its response is
    // read.
    server.once("connection", () => handlerOf("SIGINT", listenersBefore)("SIGINT"));
    const isAlive = await engine.confirmCanStoreOrStop();
    await end();

    expect(isAlive).toBe(false);
  });

  it("ends after SIGINT although the engine has cut off the question whether it is alive", async () => {
    const listenersBefore = process.rawListeners("SIGINT");
    const server = createServer((socket) => {
      handlerOf("SIGINT", listenersBefore)("SIGINT");
      socket.destroy();
    });
    const engine = engineAt(await listen(server));
    const end = beginCreation(engine);

    await engine.confirmCanStoreOrStop();
    await end();

    await expectExit();
  });
});
