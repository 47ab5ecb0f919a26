// `npm run bench:processes`: what the process of each shell takes: to start, for the first check and
// comparison, for 1,000 more of them, and of memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { originOf } from "./origin.mts";
import {
  dynamicProvider,
  emptyProviderText,
  type ProviderFile,
  plugin,
  providerText,
  startProvider,
} from "./provider-process.mts";
import { writeFigures } from "./report.mts";
import { rounded, summarize } from "./statistics.mts";
import { markdownTable } from "./tables.mts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    write: { type: "boolean", default: false },
  },
});
const webhooks = 1_000;
const baseUrl = "https://tables.example.com";
const startLimit = 4;

/** What is measured of a process. */
interface Measurement {
  readonly startMs: number;
  readonly firstMs: number;
  readonly othersMs: number;
  readonly megabytes: number;
}

const contenders: Readonly<Record<string, () => Promise<Measurement>>> = {
  "native plugin": () => measureProvider(plugin, "", {}),
  "dynamic provider process, this package": () =>
    measureProvider(dynamicProvider, "dbwebhooks:", { __provider: providerText }),
  "dynamic provider process, an empty provider": () =>
    measureProvider(dynamicProvider, "dbwebhooks:", { __provider: emptyProviderText }),
  "`node -e 0`": async () => ({
    startMs: await emptyNodeMs(),
    firstMs: Number.NaN,
    othersMs: Number.NaN,
    megabytes: Number.NaN,
  }),
};

const names = Object.keys(contenders);
const measurements = new Map<string, Measurement[]>(names.map((name) => [name, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  // The order changes, so that a drift of the machine hits all.
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    measurements.get(name)?.push(await (contenders[name] as () => Promise<Measurement>)());
  }
}

const medianOf = (name: string, what: keyof Measurement) =>
  summarize((measurements.get(name) ?? []).map((one) => one[what])).median;
const textOf = (value: number, unit: string) =>
  Number.isNaN(value) ? "" : `${rounded(value)} ${unit}`;
const rows = [
  [
    "",
    "start to the port line",
    "first check and diff",
    `${webhooks.toLocaleString("en")} more`,
    "memory then",
  ],
  ...names.map((name) => [
    name,
    textOf(medianOf(name, "startMs"), "ms"),
    textOf(medianOf(name, "firstMs"), "ms"),
    textOf(medianOf(name, "othersMs") / 1000, "s"),
    textOf(medianOf(name, "megabytes"), "MB"),
  ]),
];
const ratio = medianOf("native plugin", "startMs") / medianOf("`node -e 0`", "startMs");
const isLight =
  medianOf("native plugin", "megabytes") <
  medianOf("dynamic provider process, this package", "megabytes");
process.stdout.write(`${markdownTable(rows)}\n
start of the plugin: ${ratio.toFixed(2)} times \`node -e 0\` (target: at most ${startLimit})\n`);
if (ratio > startLimit || !isLight) {
  process.exitCode = 1;
}
if (values.write) {
  await writeFigures("processes", { ...originOf("bench:processes"), rows });
}

async function measureProvider(
  provider: ProviderFile,
  prefix: string,
  properties: Readonly<Record<string, string>>,
): Promise<Measurement> {
  const config = { [`${prefix}baseUrl`]: baseUrl, [`${prefix}apiKey`]: "key" };
  await using running = await startProvider(config, provider);
  const checkAndDiff = async (index: number) => {
    const { inputs } = await running.check({
      ...properties,
      databaseId: "base_abc123",
      url: `https://example.com/hooks/${index}`,
      events: ["record.created", "record.updated"],
    });
    await running.diff(provider.someId, { ...inputs, baseUrl, secret: "x" }, inputs);
  };
  const startedAt = performance.now();
  await checkAndDiff(0);
  const firstMs = performance.now() - startedAt;
  for (let index = 1; index <= webhooks; index++) {
    await checkAndDiff(index);
  }
  const othersMs = performance.now() - startedAt - firstMs;
  const megabytes = running.memory()?.now ?? Number.NaN;
  return { startMs: running.startMs, firstMs, othersMs, megabytes };
}

async function emptyNodeMs(): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, ["-e", "0"]), "exit");
  return performance.now() - startedAt;
}
