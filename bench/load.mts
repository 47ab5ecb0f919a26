// `npm run bench:load`: what this package adds to the start of Pulumi's provider process and of a
// program, in time and in modules.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { originOf } from "./origin.mts";
import {
  emptyProviderText,
  type ProviderProcess,
  providerText,
  startProvider,
} from "./provider-process.mts";
import { writeFigures } from "./report.mts";
import { type Summary, summarize } from "./statistics.mts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    write: { type: "boolean", default: false },
  },
});

const program = `const { performance } = require("node:perf_hooks");
require("@pulumi/pulumi");
const before = Object.keys(require.cache).length;
const startedAt = performance.now();
require("pulumi-dbwebhooks");
const ms = performance.now() - startedAt;
process.stdout.write(JSON.stringify({ ms, modules: Object.keys(require.cache).length - before }));`;

const rows = [["", "median", "least to most", "limit", "modules"]];
const times = { ours: [] as number[], empty: [] as number[], program: [] as number[] };
let programModules = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  // The order changes, so that a drift of the machine hits both.
  for (const name of round % 2 === 0
    ? (["ours", "empty"] as const)
    : (["empty", "ours"] as const)) {
    times[name].push(await firstCallsMs(name === "ours" ? providerText : emptyProviderText));
  }
  const { ms, modules } = await importPackage();
  times.program.push(ms);
  programModules = modules;
}
const added = summarize(times.ours.map((ms, round) => ms - (times.empty[round] ?? 0)));
addRow("check and diff, over an empty provider", added, 60, await modulesOfProvider());
addRow("import in a program, over `@pulumi/pulumi`", summarize(times.program), 25, programModules);
for (const row of rows) {
  process.stdout.write(`${row.join("\t")}\n`);
}
if (values.write) {
  await writeFigures("load", {
    ...originOf("bench:load"),
    rows,
  });
}

/** Milliseconds of the first check and diff in a provider process that has started. */
async function firstCallsMs(text: string): Promise<number> {
  await using provider = await startProvider(config());
  const startedAt = performance.now();
  await checkAndDiff(provider, text);
  return performance.now() - startedAt;
}

/** How many modules a provider process has loaded after a check and a diff, that it had not before. */
async function modulesOfProvider(): Promise<number> {
  await using provider = await startProvider(config());
  const before = `exports.handler = () => ({
    create: async (inputs) => ({ id: "1", outs: { count: Object.keys(require.cache).length } }),
  })`;
  const { outs: outsBefore } = await provider.create(webhook(before));
  await checkAndDiff(provider, providerText);
  // A text of its own: Pulumi keeps what it has evaluated.
  const { outs } = await provider.create(webhook(`${before};`));
  return Number(outs.count) - Number(outsBefore.count);
}

async function checkAndDiff(provider: ProviderProcess, text: string): Promise<void> {
  const { inputs } = await provider.check(webhook(text));
  const state = { ...inputs, baseUrl: "https://tables.example.com", secret: "x" };
  await provider.diff("1", state, inputs);
}

async function importPackage(): Promise<{ ms: number; modules: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], {
    cwd: join(import.meta.dirname, ".."),
  });
  return JSON.parse(stdout);
}

function config(): Record<string, string> {
  return {
    "dbwebhooks:baseUrl": "https://tables.example.com",
    "dbwebhooks:apiKey": "key",
  };
}

function webhook(text: string) {
  return {
    __provider: text,
    databaseId: "base_abc123",
    url: "https://example.com/hooks/orders",
    events: ["record.created", "record.updated"],
  };
}

function addRow(name: string, { median, min, max }: Summary, limitMs: number, modules: number) {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  rows.push([name, ms(median), `${ms(min)} to ${ms(max)}`, `${limitMs} ms`, String(modules)]);
  if (median > limitMs) {
    process.exitCode = 1;
  }
}
