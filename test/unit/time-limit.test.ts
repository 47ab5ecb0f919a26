import { afterEach, describe, expect, it, vi } from "vitest";
import { TimeLimit } from "../../src/service/exchange.ts";
import { someArgs, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startGate, startTlsServer } from "../helpers/http-server.ts";
import { someProvider } from "../helpers/provider.ts";

afterEach(() => void vi.useRealTimers());

describe("the time limit of an operation", () => {
  it("counts whole milliseconds that are left, at least one, and aborts at its end", async () => {
    vi.useFakeTimers({ now: 0.25 });
    const limit = new TimeLimit(1.2345);

    expect(limit.remainingMs).toBe(1_235);
    await vi.advanceTimersByTimeAsync(1_234);
    expect(limit.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(limit.remainingMs).toBe(1);
  });

  it("does not end at once when it is longer than a timer can be, and keeps no process", async () => {
    vi.useFakeTimers();
    const limit = new TimeLimit(3_600_000);

    await vi.advanceTimersByTimeAsync(60_000);

    expect(limit.signal.aborted).toBe(false);
  });

  it("keeps no process after its operation, whether that succeeds or fails", async () => {
    // Those alone that keep the process alive.
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout");
    const { provider, notify } = someProvider();
    const limit = { timeoutSeconds: 3_600 };
    const adopting = someArgs({ adopt: { id: "17", secret: "whsec_1" } });
    const elsewhere = someState({ baseUrl: "https://elsewhere.example.com" });

    const before = timers();

    await provider.create(adopting, notify, limit);
    await errorOf(provider.delete("18", elsewhere, notify, limit));

    expect(timers()).toEqual(before);
  });

  it.each(["create", "delete"] as const)(
    "ends a %s at a silent server, and nothing is sent when that speaks",
    async (method) => {
      const body = { id: 17, secret: "whsec_1", success: true };
      await using server = await startTlsServer({ isTrusted: true }, { body });
      await using gate = await startGate(server.url);
      const baseUrl = gate.url.replace("http:", "https:");
      // One connection: whatever is sent late goes first.
      const { provider, notify } = someProvider({ baseUrl, maxConcurrentRequests: "1" });
      const run = (databaseId: string, options?: { timeoutSeconds: number }) =>
        method === "create"
          ? provider.create(someArgs({ databaseId }), notify, options)
          : provider.delete("17", someState({ databaseId, baseUrl }), notify, options);

      const error = await errorOf(run("late", { timeoutSeconds: 0.3 }));
      gate.open();
      await run("next");

      expect(error).toMatchObject({ kind: method === "create" ? "notCreated" : "kept" });
      expect(server.requests.map(({ path }) => path.split("/")[4])).toEqual(["next"]);
    },
  );
});
