import { afterEach, describe, expect, it, vi } from "vitest";
import { TimeLimit } from "../../src/service/time-limit.ts";

afterEach(() => void vi.useRealTimers());

describe("the time limit of an operation", () => {
  it("counts whole milliseconds, as timers need them", () => {
    vi.useFakeTimers({ now: 0.25 });
    const limit = new TimeLimit(1.2345);

    expect(Number.isInteger(limit.remainingMs)).toBe(true);
    limit.clear();
  });

  it("does not end at once when it is longer than a timer can be", async () => {
    vi.useFakeTimers();
    const limit = new TimeLimit(3_600_000);

    await vi.advanceTimersByTimeAsync(60_000);

    expect(limit.signal.aborted).toBe(false);
    expect(limit.allows(1_000)).toBe(true);
    limit.clear();
  });

  it("ends when it is over", async () => {
    vi.useFakeTimers();
    const limit = new TimeLimit(2);

    await vi.advanceTimersByTimeAsync(2_000);

    expect(limit.signal.aborted).toBe(true);
    expect(limit.allows(0)).toBe(false);
    limit.clear();
  });
});
