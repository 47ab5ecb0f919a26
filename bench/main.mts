// `npm run bench`: compares this package with other ways to manage the same webhooks. See docs/contributing/benchmarks.md.
import { parseArgs } from "node:util";
import { resolvePulumiCli } from "../tools/pulumi-cli/resolve.mts";
import { type Comparison, compare } from "./commands.mts";
import { contenders } from "./contenders.mts";
import { measureProcesses } from "./processes.mts";
import { environmentText, type Section, writeDocument } from "./report.mts";
import { comparisonSections, processSection } from "./tables.mts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", multiple: true, default: ["1", "50", "200"] },
    rounds: { type: "string" },
    contender: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
  },
});
const parts = chooseOrExit("part", positionals, ["commands", "processes"]);
const names = chooseOrExit(
  "contender",
  values.contender,
  contenders.map(({ name }) => name),
);

const sections: Section[] = [];
const comparisons: Comparison[] = [];
if (parts.includes("commands")) {
  const cli = await resolvePulumiCli({ languages: ["yaml"] });
  const chosen = contenders.filter(({ name }) => names.includes(name));
  for (const count of values.count.map(Number)) {
    // A command with one webhook takes little time, so ratios close to 1 need more rounds.
    const rounds = Number(values.rounds ?? (count === 1 ? 11 : count < 1000 ? 5 : 3));
    comparisons.push(await compare({ cli, contenders: chosen, count, rounds, say }));
  }
  sections.push(...comparisonSections(comparisons));
  sections.push({ name: "commands", text: environmentText({ "Pulumi CLI": cli.version }) });
}
if (parts.includes("processes")) {
  const measurements = await measureProcesses(Number(values.rounds ?? 9), say);
  sections.push(processSection(measurements), { name: "processes", text: environmentText() });
}
for (const { name, text } of sections) {
  process.stdout.write(`\n${name}:\n\n${text}\n`);
}
if (values.write) {
  await writeDocument(sections);
}

/** Returns the chosen names, or all names without a choice. Exits with code 2 for an unknown name. */
function chooseOrExit(what: string, chosen: readonly string[], known: readonly string[]) {
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no ${what} "${unknown}". There are: ${known.join("; ")}.\n`);
    process.exit(2);
  }
  return chosen.length === 0 ? known : chosen;
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
