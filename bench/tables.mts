import { type Comparison, steps } from "./commands.mts";
import { type Loading, loadingColumns } from "./loading.mts";
import type { Section } from "./report.mts";
import { rounded, type Summary, summarize } from "./statistics.mts";

// The comparisons of two contenders, by the names of their places in the document.
const questions: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  share: [
    ["ours", "floor"],
    ["native", "native floor"],
    ["native, YAML", "native floor, YAML"],
  ],
  "docs-style": [
    ["ours", "docs-style"],
    ["floor", "docs-style"],
  ],
  native: [
    ["native", "ours"],
    ["native, TypeScript", "ours, TypeScript"],
    ["native, YAML", "ours"],
    ["native floor", "ours"],
    ["native floor, YAML", "ours"],
  ],
};

/** Returns a table per comparison, and a table of the times on which they are based. */
export function comparisonSections(comparisons: readonly Comparison[]): Section[] {
  return [
    ...Object.entries(questions).map(([name, pairs]) => ({
      name,
      text: tableOf([
        ["", ...steps],
        ...comparisons.flatMap((one) => pairs.flatMap((pair) => ratioRows(one, pair))),
      ]),
    })),
    { name: "memory", text: comparisons.map(memoryTable).join("\n\n") },
    { name: "times", text: comparisons.map(timesTable).join("\n\n") },
  ];
}

/** Returns the table of start, response and load times and of memory, per process. */
export function loadingSection(loadings: readonly Loading[]): Section {
  const rows = loadings.map(({ name, rounds }) => [
    name,
    ...Object.entries(loadingColumns).map(([column, unit]) => {
      const values = rounds.flatMap((round) => round[column as keyof typeof round] ?? []);
      return values.length === 0 ? "" : `${rounded(summarize(values).median)} ${unit}`;
    }),
  ]);
  return { name: "loading", text: tableOf([["", ...Object.keys(loadingColumns)], ...rows]) };
}

/** Returns the ratio of the times of two contenders, or no row if one of them was not measured. */
function ratioRows({ count, results }: Comparison, pair: readonly [string, string]): string[][] {
  const [one, other] = pair.map((name) => results.find(({ contender }) => contender === name));
  if (one === undefined || other === undefined) {
    return [];
  }
  const cells = steps.map((step) => {
    const others = other.seconds[step];
    return rangeOf(one.seconds[step].map((seconds, round) => seconds / Number(others[round])));
  });
  return [[`${webhooks(count)}: ${one.contender} to ${other.contender}`, ...cells]];
}

function memoryTable({ count, results }: Comparison): string {
  return tableOf([
    [webhooks(count), "memory of the provider", "state per webhook"],
    ...results.map(({ contender, providerMegabytes: peaks, stateBytes }) => [
      contender,
      peaks.length === 0 ? "not read" : `${Math.round(Math.max(...peaks))} MB`,
      `${rounded((stateBytes.up - stateBytes.destroy) / count / 1000)} kB`,
    ]),
  ]);
}

function timesTable({ count, rounds, results }: Comparison): string {
  return tableOf([
    [`${webhooks(count)}, ${rounds === 1 ? "1 round" : `${rounds} rounds`}`, ...steps],
    ...results.map(({ contender, seconds }) => [
      contender,
      ...steps.map((step) => rangeOf(seconds[step], " s")),
    ]),
  ]);
}

function rangeOf(values: readonly number[], unit = ""): string {
  const { median, min, max }: Summary = summarize(values);
  return `${rounded(median)}${unit} (${rounded(min)} to ${rounded(max)})`;
}

function webhooks(count: number): string {
  return count === 1 ? "1 webhook" : `${count.toLocaleString("en")} webhooks`;
}

/** Formats a table in Markdown, whose first row is the head. */
function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, line, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
