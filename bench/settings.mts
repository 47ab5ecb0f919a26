// `npm run bench:settings`: what Pulumi's own settings change, with the same 200 webhooks.
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { resolvePulumiCli } from "../tools/pulumi-cli/resolve.mts";
import { compare } from "./compare.mts";
import { measure } from "./measure.mts";
import { originOf } from "./origin.mts";
import type { Contender, Project } from "./project.mts";
import { ours, oursInTypeScript } from "./pulumi-programs.mts";
import { openPulumiProject, type PulumiSettings } from "./pulumi-project.mts";
import { writeFigures } from "./report.mts";
import { startServiceProcess } from "./service-process.mts";
import { rounded, summarize } from "./statistics.mts";
import { markdownTable } from "./tables.mts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    rounds: { type: "string", default: "3" },
    write: { type: "boolean", default: false },
  },
});
const count = Number(values.count);
const rounds = Number(values.rounds);
const stacks = 4;
const cli = await resolvePulumiCli();
const compileCache = await realpath(await mkdtemp(join(tmpdir(), "dbwebhooks-compile-cache-")));

const contenders: readonly Contender[] = [
  contender("plain JavaScript, `typescript: false`", {}),
  contender("plain JavaScript, TypeScript left on", { typescript: true }),
  contender("TypeScript program", { typescript: true }, oursInTypeScript),
  contender("`PULUMI_DIY_BACKEND_GZIP=true`", { gzip: true }),
  contender("`NODE_COMPILE_CACHE` set", { environment: { NODE_COMPILE_CACHE: compileCache } }),
  contender("`--parallel 1`", { args: ["--parallel", "1"] }),
  contender("`--parallel 64`", { args: ["--parallel", "64"] }),
];
try {
  const results = await compare({ contenders, count, rounds, say });
  const rows = [
    [`${count} webhooks`, "up", "no-op up", "destroy", "state per webhook"],
    ...results.map(({ contender, seconds, stateBytes }) => [
      contender,
      `${seconds.up.median} s (${seconds.up.min} to ${seconds.up.max})`,
      `${seconds["no-op up"].median} s`,
      `${seconds.destroy.median} s (${seconds.destroy.min} to ${seconds.destroy.max})`,
      `${(stateBytes / 1000).toFixed(2)} kB`,
    ]),
    await severalStacks(),
  ];
  process.stdout.write(`${markdownTable(rows)}\n`);
  if (values.write) {
    await writeFigures("settings", { ...originOf("bench:settings"), rows });
  }
} finally {
  await rm(compileCache, { recursive: true, force: true });
}

function contender(name: string, settings: PulumiSettings, program = ours): Contender {
  return { name, open: (options) => openPulumiProject(cli, program, options, settings) };
}

/** The same webhooks in several stacks, one after the other. */
async function severalStacks(): Promise<string[]> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "dbwebhooks-bench-")));
  await using service = await startServiceProcess();
  const seconds = { up: [] as number[], "no-op up": [] as number[], destroy: [] as number[] };
  try {
    const projects: Project[] = [];
    for (let stack = 0; stack < stacks; stack++) {
      const directory = join(root, String(stack));
      await mkdir(directory);
      const options = { root: directory, count: Math.ceil(count / stacks), service };
      projects.push(await openPulumiProject(cli, ours, options));
    }
    for (let round = 0; round < rounds; round++) {
      say(`stacks: ${stacks}, round ${round + 1} of ${rounds}`);
      for (const step of ["up", "no-op up", "destroy"] as const) {
        let total = 0;
        for (const project of projects) {
          total += (await measure(project, step)).seconds;
        }
        seconds[step].push(total);
      }
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  const text = (of: readonly number[]) => {
    const { median, min, max } = summarize(of);
    return `${rounded(median)} s (${rounded(min)} to ${rounded(max)})`;
  };
  return [
    `${stacks} stacks of ${Math.ceil(count / stacks)}, one after the other`,
    text(seconds.up),
    text(seconds["no-op up"]),
    text(seconds.destroy),
    "",
  ];
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
