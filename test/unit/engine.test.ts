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

describe("an engine", () => {
  it.each<[string, () => Server, boolean]>([
    ["answers", () => createHttp2Server(), true],
    ["accepts a connection and ends it", () => createServer((socket) => socket.destroy()), false],
  ])("that %s can store: %s", async (_case, create, canStore) => {
    const engine = engineAt(await listen(create()));

    expect(await engine.canStore()).toBe(canStore);
    expect(engine.stopping.aborted).toBe(!canStore);
    await engine.endIfGone();
    expect(exit).not.toHaveBeenCalled();
  });

  it("that accepts connections and says nothing cannot store", async () => {
    const connected = Promise.withResolvers<Socket>();
    const engine = engineAt(await listen(createServer(connected.resolve)));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const canStore = engine.canStore();
    await connected.promise;
    await vi.advanceTimersByTimeAsync(5_000);

    expect(await canStore).toBe(false);
  });

  it.each([undefined, "--logtostderr", "a b:1", "http://a:1"])(
    "is there for %j",
    async (address) => {
      expect(await engineAt(address).canStore()).toBe(true);
    },
  );

  it("that is gone never stores again, and ends the process once nothing is in flight", async () => {
    const address = await gone();
    const engine = engineAt(address);
    engine.begin();
    engine.beginCreation();
    expect(await engine.canStore()).toBe(false);
    // Whatever listens there later.
    await listen(createHttp2Server(), Number(address.split(":")[1]));
    expect(await engine.canStore()).toBe(false);
    engine.endCreation();
    expect(exit).not.toHaveBeenCalled();

    engine.end();

    expect(exit).toHaveBeenCalledOnce();
  });

  it("that is gone ends an idle process, which looks for it now and then", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    engineAt(await gone()).watch();

    vi.advanceTimersByTime(5_000);

    await expect.poll(() => exit.mock.calls.length).toBe(1);
  });

  it("sends SIGINT: one line, and the process ends after the creations in flight", () => {
    const engine = engineAt();
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

    expect(lines).toEqual([expect.stringMatching(/^warning: Pulumi is stopping\. /)]);
    expect(engine.stopping.aborted).toBe(true);
    expect(exit).toHaveBeenCalledOnce();
    expect(process.listeners("SIGINT")).not.toContain(stop);
  });

  it("stores what comes after a SIGTERM during a creation", async () => {
    const before = process.listeners("SIGTERM");
    const engine = engineAt();
    engine.beginCreation();

    const [handler] = process.listeners("SIGTERM").filter((one) => !before.includes(one));
    handler?.("SIGTERM");

    expect(handler).toBeDefined();
    expect([engine.stopping.aborted, await engine.canStore()]).toEqual([false, true]);
    engine.endCreation();
    expect(process.listeners("SIGTERM")).toEqual(before);
    expect(exit).not.toHaveBeenCalled();
  });
});
