// `npm run bench`: this package against other ways to manage webhooks, on the real Pulumi CLI.
import { parseArgs } from "node:util";
import { type PulumiCli, resolvePulumiCli } from "../tools/pulumi-cli/resolve.mts";
import { compare } from "./compare.mts";
import { openTofu, openTofuVersions } from "./opentofu.mts";
import { originOf } from "./origin.mts";
import type { Contender } from "./project.mts";
import {
  docsStyle,
  floor,
  nativeInJavaScript,
  nativeInYaml,
  ours,
  type PulumiProgram,
} from "./pulumi-programs.mts";
import { openPulumiProject } from "./pulumi-project.mts";
import { writeComparison } from "./report.mts";
import { tableOf, tableOfVerdicts } from "./tables.mts";
import { verdictsOn } from "./targets.mts";

const { values } = parseArgs({
  options: {
    count: { type: "string", multiple: true, default: ["1", "50", "200"] },
    rounds: { type: "string" },
    contender: { type: "string", multiple: true, default: [] },
    opentofu: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

const cli = await resolvePulumiCli({ languages: ["yaml"] });
const allContenders: readonly Contender[] = [
  pulumiContender("ours", ours, cli),
  pulumiContender("plugin, JavaScript", nativeInJavaScript, cli),
  pulumiContender("plugin, YAML", nativeInYaml, cli),
  pulumiContender("docs-style", docsStyle, cli),
  pulumiContender("floor", floor, cli),
  ...(values.opentofu ? [await openTofu()] : []),
];
const contenders = allContenders.filter(
  ({ name }) => values.contender.length === 0 || values.contender.includes(name),
);
const origin = originOf("bench", {
  "Pulumi CLI": cli.version,
  ...(values.opentofu && openTofuVersions),
});
for (const count of values.count.map(Number)) {
  // One webhook takes little time, and its ratios are near to 1.
  const rounds = Number(values.rounds ?? (count === 1 ? 9 : count < 1000 ? 5 : 3));
  const results = await compare({ contenders, count, rounds, say });
  const verdicts = verdictsOn(count, results);
  print(`\n${tableOf(count, results)}\n`);
  print(verdicts.length === 0 ? "" : `${tableOfVerdicts(verdicts)}\n`);
  if (verdicts.some(({ ratio, limit }) => ratio > limit)) {
    process.exitCode = 1;
  }
  if (values.write) {
    await writeComparison({ ...origin, count, rounds, results });
  }
}

function pulumiContender(name: string, program: PulumiProgram, cli: PulumiCli): Contender {
  return { name, open: (options) => openPulumiProject(cli, program, options) };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
