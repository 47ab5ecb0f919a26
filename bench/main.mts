// `npm run bench`: this package against other ways to manage webhooks, on the real Pulumi CLI.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundlePlugin } from "../tools/plugin/bundle.mts";
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
const floorPlugin = await makeFloorPlugin();
const allContenders: readonly Contender[] = [
  pulumiContender("ours", ours, cli),
  pulumiContender("plugin, JavaScript", nativeInJavaScript(), cli),
  pulumiContender("plugin, YAML", nativeInYaml(), cli),
  pulumiContender("docs-style", docsStyle, cli),
  pulumiContender("floor", floor, cli),
  pulumiContender("plugin floor, JavaScript", nativeInJavaScript(floorPlugin), cli),
  pulumiContender("plugin floor, YAML", nativeInYaml(floorPlugin), cli),
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

/** Bundles the plugin that answers at once, as ours is. */
async function makeFloorPlugin(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "dbwebhooks-floor-plugin-"));
  process.once("exit", () => rmSync(directory, { recursive: true }));
  await bundlePlugin("bench/floor-plugin.mts", join(directory, "pulumi-resource-dbwebhooks"));
  return directory;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
