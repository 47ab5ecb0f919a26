import type { Result } from "./compare.mts";
import type { Step } from "./project.mts";

/** What a ratio of medians in one run must not be above. */
interface Target {
  readonly count: number;
  readonly what: Step | "state";
  /** Default: "ours". */
  readonly of?: "plugin, JavaScript" | "plugin, YAML";
  readonly against: "ours" | "docs-style" | "floor" | "plugin floor, JavaScript";
  readonly limit: number;
}

// A target that the floor misses would be one for Pulumi: those are set against the floor instead.
const targets: readonly Target[] = [
  { count: 1, what: "up", against: "floor", limit: 1.08 },
  { count: 1, what: "no-op up", against: "floor", limit: 1.08 },
  { count: 1, what: "destroy", against: "docs-style", limit: 1.02 },
  { count: 1, what: "up", of: "plugin, JavaScript", against: "ours", limit: 0.8 },
  { count: 1, what: "no-op up", of: "plugin, JavaScript", against: "ours", limit: 0.75 },
  {
    count: 1,
    what: "destroy",
    of: "plugin, JavaScript",
    against: "plugin floor, JavaScript",
    limit: 1.15,
  },
  { count: 1, what: "up", of: "plugin, YAML", against: "ours", limit: 0.38 },
  { count: 1, what: "no-op up", of: "plugin, YAML", against: "ours", limit: 0.35 },
  { count: 200, what: "up", of: "plugin, JavaScript", against: "ours", limit: 1 },
  { count: 200, what: "no-op up", of: "plugin, JavaScript", against: "ours", limit: 1 },
  { count: 200, what: "destroy", of: "plugin, JavaScript", against: "ours", limit: 1 },
  { count: 200, what: "up", against: "floor", limit: 1.08 },
  { count: 200, what: "destroy", against: "floor", limit: 1.08 },
  { count: 200, what: "state", against: "docs-style", limit: 0.44 },
  { count: 1000, what: "no-op up", against: "docs-style", limit: 1.02 },
  { count: 1000, what: "up", against: "floor", limit: 1.05 },
  { count: 1000, what: "destroy", against: "floor", limit: 1.05 },
];

/** A target, and what was reached. */
export interface Verdict extends Target {
  readonly ratio: number;
  /** The ratio that nothing above the floor can get below; absent where it is the other itself. */
  readonly floorRatio?: number;
}

/** Compares what was measured with the targets for this number of webhooks. */
export function verdictsOn(count: number, results: readonly Result[]): Verdict[] {
  return targets
    .filter((target) => target.count === count)
    .flatMap((target) => {
      const { of = "ours" } = target;
      const ours = figureOf(results, of, target.what);
      const other = figureOf(results, target.against, target.what);
      const least = figureOf(results, floorOf(of), target.what);
      if (ours === undefined || other === undefined) {
        return [];
      }
      const hasFloor = least !== undefined && target.against !== floorOf(of);
      return [{ ...target, ratio: ours / other, ...(hasFloor && { floorRatio: least / other }) }];
    });
}

/** What does as a contender does, but answers at once. */
function floorOf(contender: string): string {
  return contender.startsWith("plugin") ? contender.replace("plugin", "plugin floor") : "floor";
}

function figureOf(
  results: readonly Result[],
  contender: string,
  what: Target["what"],
): number | undefined {
  const result = results.find((one) => one.contender === contender);
  return what === "state" ? result?.stateBytes : result?.seconds[what].median;
}
