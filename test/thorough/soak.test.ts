import { describe, expect, it } from "vitest";
import { soak } from "../../tools/soak/soak.mjs";

describe("Many webhooks with random faults and random edits", () => {
  // "node tools/soak/main.mts" runs it for longer.
  it("are all in the state with their secrets, or named by an error", async () => {
    const lines: string[] = [];

    const { violations, summary } = await soak({
      webhooks: 40,
      rounds: 1,
      seed: 11,
      faultyShare: 0.5,
      print: (line) => lines.push(line),
    });

    expect(violations, lines.join("\n")).toEqual([]);
    expect(summary.inDoubtErrors).toBeGreaterThan(0);
  });
});
