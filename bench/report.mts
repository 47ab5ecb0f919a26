import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "./compare.mts";
import type { Origin } from "./origin.mts";
import { plotOf } from "./plot.mts";
import { markdownTable, tableOf, tableOfVerdicts } from "./tables.mts";
import { verdictsOn } from "./targets.mts";

const docs = join(import.meta.dirname, "../docs");
const reportFile = join(docs, "benchmarks.json");

/** The comparison for one number of webhooks. */
interface Comparison extends Origin {
  readonly count: number;
  readonly rounds: number;
  readonly results: readonly Result[];
}

/** A table of figures that a script made, as its document shows it. */
interface Figures extends Origin {
  readonly rows: readonly (readonly string[])[];
}

/** All figures that the documents show. */
interface Report {
  readonly comparisons: readonly Comparison[];
  /** By the name of their place in a document. */
  readonly figures: Readonly<Record<string, Figures>>;
}

/** Takes over a comparison, in place of the one with the same number of webhooks. */
export async function writeComparison(comparison: Comparison): Promise<void> {
  const report = await readReport();
  const others = report.comparisons.filter(({ count }) => count !== comparison.count);
  const comparisons = [...others, comparison].sort((a, b) => a.count - b.count);
  await writeReport({ ...report, comparisons });
}

/** Takes over a table, in place of the one that was at its place. */
export async function writeFigures(place: string, figures: Figures): Promise<void> {
  const report = await readReport();
  await writeReport({ ...report, figures: { ...report.figures, [place]: figures } });
}

async function readReport(): Promise<Report> {
  return JSON.parse(await readFile(reportFile, "utf8"));
}

async function writeReport(report: Report): Promise<void> {
  await writeFile(reportFile, `${JSON.stringify(report, undefined, 1)}\n`);
  await writeFile(join(docs, "benchmarks.svg"), await plotOf(report.comparisons));
  const texts = {
    comparisons: textOfComparisons(report.comparisons),
    ...Object.fromEntries(
      Object.entries(report.figures).map(([place, figures]) => [
        place,
        `${markdownTable(figures.rows)}\n\n${textOfOrigin(figures)}`,
      ]),
    ),
  };
  for (const name of ["benchmarks.md", "performance.md"]) {
    const file = join(docs, name);
    await writeFile(file, withTexts(await readFile(file, "utf8"), texts));
  }
}

function textOfComparisons(comparisons: readonly Comparison[]): string {
  const verdicts = comparisons.flatMap(({ count, results }) => verdictsOn(count, results));
  return [
    tableOfVerdicts(verdicts),
    ...comparisons.map(
      (one) =>
        `### ${one.count.toLocaleString("en")}\n\n${tableOf(one.count, one.results)}\n\n${one.rounds} rounds. ${textOfOrigin(one)}`,
    ),
  ].join("\n\n");
}

function textOfOrigin({ date, command, machine, versions }: Origin): string {
  const { cores, memoryGigabytes, cpu, system } = machine;
  const tools = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `\`${command}\`, ${date}: ${cores} cores, ${memoryGigabytes} GB, ${cpu}, ${system}; ${tools.join(", ")}.`;
}

/** Puts each text between the two comments that name its place. */
function withTexts(document: string, texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).reduce(
    (result, [place, text]) =>
      result.replace(
        new RegExp(`(<!-- begin ${place} -->\n)[^]*(<!-- end ${place} -->)`),
        (_, begin, end) => `${begin}
${text}

${end}`,
      ),
    document,
  );
}
