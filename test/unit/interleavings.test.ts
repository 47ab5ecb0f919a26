import { syncBuiltinESMExports } from "node:module";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { playOperations } from "../helpers/simulation/operations.ts";
import { anyPlay } from "../helpers/simulation/plays.ts";
import { brokenPromises } from "../helpers/simulation/promises.ts";
import { Pulumi } from "../helpers/simulation/pulumi.ts";
import { World } from "../helpers/simulation/world.ts";
import { useFakeClock } from "../helpers/transport.ts";

// SIMULATION_PLAYS=100000 plays more. SIMULATION_SEED repeats the plays of a failure.
const { TEST_TIER, SIMULATION_SEED: seed } = process.env;
const { SIMULATION_PLAYS: plays = TEST_TIER === "thorough" ? "20000" : "2000" } = process.env;
const enoughForEveryKind = 2_000;
const timeoutMs = 60_000 + 60 * Number(plays);

beforeAll(async () => {
  // No fake timer waits for an import.
  await import("../../src/api/schemas.ts");
  useFakeClock();
  vi.spyOn(process, "exit").mockReturnValue(undefined as never);
});

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it(
  "Whatever the order of operations, responses and stops, every promise is kept",
  async () => {
    const ends = new Map<string, number>();

    const property = fc.asyncProperty(anyPlay, fc.scheduler(), async (play, scheduler) => {
      const world = new World(play, scheduler);

      await playOperations(new Pulumi(world));

      for (const { error } of [...world.history.creations, ...world.history.deletions]) {
        const end = error === undefined ? "done" : `${error.kind}`;
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
      expect(brokenPromises(world)).toEqual([]);
    });
    await fc.assert(property, { numRuns: Number(plays), ...(seed && { seed: Number(seed) }) });

    const counts = Object.fromEntries([...ends].toSorted());
    process.stdout.write(`${plays} plays: ${JSON.stringify(counts)}\n`);
    if (Number(plays) >= enoughForEveryKind) {
      const kinds = ["inDoubt", "leftBehind", "notCreated", "notDeleted", "unchanged", "undone"];
      expect(Object.keys(counts)).toEqual(["done", ...kinds]);
    }
  },
  timeoutMs,
);
