import { createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Engine } from "../../src/provider/engine.js";
import { refusedUrl } from "../helpers/http-server.js";

const exit = vi.spyOn(process, "exit");
const lines: string[] = [];

beforeEach(() => void exit.mockReset().mockImplementation(() => undefined as never));
afterEach(() => void vi.useRealTimers());

/** Listens on loopback as the engine does, and returns its address. */
async function listen(server: Server, port = 0): Promise<string> {
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const gone = async () => new URL(await refusedUrl()).host;
const engineAt = (address?: string) =>
  new Engine(address, (line, severity) => void lines.push(`${severity}: ${line}`));

describe("Pulumi's engine", () => {
  it("can store when its address responds", async () => {
    const engine = engineAt(await listen(createHttp2Server()));

    expect(await engine.canStore()).toBe(true);
    expect(engine.stopping.aborted).toBe(false);
  });

  it("cannot store, and stops, when its address accepts a connection and ends it", async () => {
    const engine = engineAt(await listen(createServer((socket) => socket.destroy())));

    expect(await engine.canStore()).toBe(false);
    expect(engine.stopping.aborted).toBe(true);
  });

  it.each([
    ["responds", () => createHttp2Server()],
    ["accepts a connection and ends it", () => createServer((socket) => socket.destroy())],
  ])("does not end the process while its address %s", async (_case, create) => {
    const engine = engineAt(await listen(create()));

    await engine.endIfGone();

    expect(exit).not.toHaveBeenCalled();
  });

  it("cannot store when its address accepts connections and is silent", async () => {
    const connected = Promise.withResolvers<Socket>();
    const engine = engineAt(await listen(createServer(connected.resolve)));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const canStore = engine.canStore();
    await connected.promise;
    await vi.advanceTimersByTimeAsync(5_000);

    expect(await canStore).toBe(false);
  });

  it.each([undefined, "--logtostderr", "a b:1", "http://a:1"])(
    "is assumed to be there when the process has no address of it: %j",
    async (address) => {
      expect(await engineAt(address).canStore()).toBe(true);
    },
  );

  it("cannot store any more once it was gone, whatever listens at its address later", async () => {
    const address = await gone();
    const engine = engineAt(address);
    engine.signals.beginCreation();
    await engine.canStore();

    await listen(createHttp2Server(), Number(address.split(":")[1]));

    expect(await engine.canStore()).toBe(false);
  });

  it("ends the process when it is gone and nothing is in flight", async () => {
    const engine = engineAt(await gone());
    engine.begin();
    engine.signals.beginCreation();
    await engine.canStore();
    engine.signals.endCreation();
    expect(exit).not.toHaveBeenCalled();

    engine.end();

    expect(exit).toHaveBeenCalledOnce();
  });

  it("ends an idle process when a periodic check finds that it is gone", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    engineAt(await gone()).watch();

    vi.advanceTimersByTime(5_000);

    await expect.poll(() => exit.mock.calls.length).toBe(1);
  });

  it("ends the process after SIGINT and the creations in flight, with one line", () => {
    const engine = engineAt();
    for (const _creation of [1, 2]) {
      engine.begin();
      engine.signals.beginCreation();
    }
    const stop = process.listeners("SIGINT").at(-1);

    stop?.("SIGINT");
    stop?.("SIGINT");
    for (const _creation of [1, 2]) {
      expect(exit).not.toHaveBeenCalled();
      engine.signals.endCreation();
      engine.end();
    }

    expect(lines).toEqual([expect.stringMatching(/^warning: Pulumi is stopping\. /)]);
    expect(engine.stopping.aborted).toBe(true);
    expect(exit).toHaveBeenCalledOnce();
    expect(process.listeners("SIGINT")).not.toContain(stop);
  });

  it("can still store a creation after SIGTERM", async () => {
    const before = process.listeners("SIGTERM");
    const engine = engineAt();
    engine.signals.beginCreation();

    const [handler] = process.listeners("SIGTERM").filter((one) => !before.includes(one));
    handler?.("SIGTERM");

    expect(handler).toBeDefined();
    expect(engine.stopping.aborted).toBe(false);
    expect(await engine.canStore()).toBe(true);
    engine.signals.endCreation();
    expect(process.listeners("SIGTERM")).toEqual(before);
    expect(exit).not.toHaveBeenCalled();
  });
});
