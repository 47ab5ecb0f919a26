import type { Result } from "./compare.mts";
import { steps } from "./project.mts";
import type { Verdict } from "./targets.mts";

/** A table in Markdown, with its first row as the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.join(" | ")} |`);
  lines.splice(
    1,
    0,
    `| ${rows[0]?.map((_, column) => (column === 0 ? "---" : "---:")).join(" | ")} |`,
  );
  return lines.join("\n");
}

/** What was measured for one number of webhooks. */
export function tableOf(count: number, results: readonly Result[]): string {
  return markdownTable([
    [webhooks(count), ...steps, "state per webhook", "memory, up / destroy"],
    ...results.map(({ contender, seconds, stateBytes, providerMegabytes }) => [
      contender,
      ...steps.map((step) => {
        const { median, min, max } = seconds[step];
        return `${median} s (${min} to ${max})`;
      }),
      `${(stateBytes / 1000).toFixed(2)} kB`,
      providerMegabytes === undefined
        ? "not read"
        : `${providerMegabytes.up} / ${providerMegabytes.destroy} MB`,
    ]),
  ]);
}

/** Whether each target is reached. */
export function tableOfVerdicts(verdicts: readonly Verdict[]): string {
  return markdownTable([
    ["one contender to another", "ratio", "floor", "target", ""],
    ...verdicts.map(({ count, what, of = "ours", against, limit, ratio, floorRatio }) => [
      `${of}: ${what} of ${webhooks(count)}, to ${against}`,
      ratio.toFixed(3),
      floorRatio?.toFixed(3) ?? "",
      `at most ${limit}`,
      ratio <= limit ? "reached" : "**missed**",
    ]),
  ]);
}

function webhooks(count: number): string {
  return count === 1 ? "1 webhook" : `${count.toLocaleString("en")} webhooks`;
}
