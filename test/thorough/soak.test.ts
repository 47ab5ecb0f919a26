import { expect, it } from "vitest";
import { soak } from "../../tools/soak/soak.mts";

it("After random faults and edits, each webhook is in the state with its secret, or an error names it", async () => {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  // Half of the requests fail, so that even this short run has creations in doubt. Any seed would do.
  const options = { webhooks: 40, rounds: 1, seed: 11, faultyShare: 0.5, print };

  const { violations, summary } = await soak(options);

  expect(violations, lines.join("\n")).toEqual([]);
  expect(summary.inDoubtErrors).toBeGreaterThan(0);
});
