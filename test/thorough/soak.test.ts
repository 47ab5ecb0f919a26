import { describe, expect, it } from "vitest";
import { soak } from "../../tools/soak/soak.mjs";

describe("Many webhooks, random faults and random edits", () => {
  it("lose nothing that no error names (node tools/soak/main.mts is the long form)", async () => {
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
