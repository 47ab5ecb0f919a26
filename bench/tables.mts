import { type Comparison, steps } from "./commands.mts";
import { type ProcessMeasurements, processColumns } from "./processes.mts";
import type { Section } from "./report.mts";
import { rounded, summarize } from "./statistics.mts";

// The pairs of contenders whose times are compared, by the section that shows their ratios.
const comparedPairs: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
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
    ["executable, YAML", "native, YAML"],
    ["native floor", "ours"],
    ["native floor, YAML", "ours"],
  ],
};

/** Returns the sections with the ratios of each pair, with memory and state, and with all times. */
export function comparisonSections(comparisons: readonly Comparison[]): Section[] {
  return [
    ...Object.entries(comparedPairs).map(([name, pairs]) => ({
      name,
      text: tableOf([
        ["", ...steps],
        ...comparisons.flatMap((comparison) =>
          pairs.flatMap((pair) => ratioRows(comparison, pair)),
        ),
      ]),
    })),
    { name: "memory", text: comparisons.map(memoryTable).join("\n\n") },
    { name: "times", text: comparisons.map(timesTable).join("\n\n") },
  ];
}

/** Returns the section with start, response and import times and with memory, per process. */
export function processSection(measurements: readonly ProcessMeasurements[]): Section {
  const rows = measurements.map(({ name, rounds }) => [
    name,
    ...Object.entries(processColumns).map(([column, unit]) => {
      const values = rounds.flatMap((round) => round[column as keyof typeof round] ?? []);
      return values.length === 0 ? "" : `${rounded(summarize(values).median)} ${unit}`;
    }),
  ]);
  return { name: "loading", text: tableOf([["", ...Object.keys(processColumns)], ...rows]) };
}

/** Returns a row with the ratios of the times of two contenders, or no row if one of them was not measured. */
function ratioRows({ count, results }: Comparison, pair: readonly [string, string]): string[][] {
  const [one, other] = pair.map((name) => results.find(({ contender }) => contender === name));
  if (one === undefined || other === undefined) {
    return [];
  }
  const cells = steps.map((step) => {
    const others = other.seconds[step];
    return medianAndRange(
      one.seconds[step].map((seconds, round) => seconds / Number(others[round])),
    );
  });
  return [[`${webhookCount(count)}: ${one.contender} to ${other.contender}`, ...cells]];
}

function memoryTable({ count, results }: Comparison): string {
  return tableOf([
    [webhookCount(count), "memory of the provider", "state per webhook"],
    ...results.map(({ contender, providerMegabytes: peaks, stateBytes }) => [
      contender,
      peaks.length === 0 ? "not read" : `${Math.round(Math.max(...peaks))} MB`,
      `${rounded((stateBytes.up - stateBytes.destroy) / count / 1000)} kB`,
    ]),
  ]);
}

function timesTable({ count, rounds, results }: Comparison): string {
  return tableOf([
    [`${webhookCount(count)}, ${rounds === 1 ? "1 round" : `${rounds} rounds`}`, ...steps],
    ...results.map(({ contender, seconds }) => [
      contender,
      ...steps.map((step) => medianAndRange(seconds[step], " s")),
    ]),
  ]);
}

function medianAndRange(values: readonly number[], unit = ""): string {
  const { median, min, max } = summarize(values);
  return `${rounded(median)}${unit} (${rounded(min)} to ${rounded(max)})`;
}

function webhookCount(count: number): string {
  return count === 1 ? "1 webhook" : `${count.toLocaleString("en")} webhooks`;
}

/** Formats a table in Markdown. The first row is the head. */
function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, line, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
