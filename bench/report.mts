import { createRequire } from "node:module";
import { availableParallelism, cpus, totalmem } from "node:os";
import { type Comparison, type Result, steps } from "./commands.mts";
import type { ContenderName } from "./contenders.mts";

const require = createRequire(import.meta.url);

// The pairs of contenders whose times are compared.
const pairs: readonly (readonly [ContenderName, ContenderName])[] = [
  ["ours", "docs-style"],
  ["plugin", "ours"],
  ["plugin, YAML", "ours"],
];

/**
 * Returns a table with the ratios of the times of each pair: the median of all rounds, and the
 * range.
 */
export function ratioTable({ count, results }: Comparison): string {
  const rows = pairs.map(([one, other]) => [
    `${webhookCount(count)}: ${one} to ${other}`,
    ...steps.map((step) => {
      const others = resultOf(other, results).seconds[step];
      return medianAndRange(
        resultOf(one, results).seconds[step].map(
          (seconds, round) => seconds / Number(others[round]),
        ),
      );
    }),
  ]);
  return tableOf([["", ...steps], ...rows]);
}

/** Returns a table with the size that each webhook adds to the state. */
export function stateTable({ count, results }: Comparison): string {
  const rows = results.map(({ contender, stateBytes }) => [
    contender,
    `${rounded((stateBytes.up - stateBytes.destroy) / count / 1000)} kB`,
  ]);
  return tableOf([[webhookCount(count), "state per webhook"], ...rows]);
}

/** Describes the date, the machine and the versions of a run, without identifying the machine. */
export function environmentText(cliVersion: string): string {
  const versionOf = (packageFile: string) => (require(packageFile) as { version: string }).version;
  return [
    `From the bench of ${new Date().toISOString().slice(0, 10)}:`,
    `${availableParallelism()} cores, ${Math.round(totalmem() / 1024 ** 3)} GB,`,
    `${cpus()[0]?.model ?? "unknown processor"}, ${process.platform} ${process.arch};`,
    `pulumi-dbwebhooks ${versionOf("../package.json")},`,
    `@pulumi/pulumi ${versionOf("@pulumi/pulumi/package.json")},`,
    `Pulumi CLI ${cliVersion}, Node.js ${process.versions.node}.`,
  ].join(" ");
}

function resultOf(name: ContenderName, results: readonly Result[]): Result {
  return results.find(({ contender }) => contender === name) as Result;
}

function medianAndRange(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  // The middle of an even number of values is two values.
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return `${rounded((low + high) / 2)} (${rounded(min)} to ${rounded(max)})`;
}

/** Rounds a number to three significant digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function webhookCount(count: number): string {
  return count === 1 ? "1 webhook" : `${count.toLocaleString("en")} webhooks`;
}

/** Formats a table in Markdown. The first row is the head. */
function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, line, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
