// `npm run bench`: prints the ratios of docs/comparison.md.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { hermeticEnvironment } from "../tools/pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../tools/pulumi-cli/resolve.mts";

/** A program that declares webhooks with one of the classes, and its stack. */
interface Contender {
  readonly name: string;
  readonly pulumi: (args: string) => Promise<unknown>;
  /** The durations of each step in milliseconds, one per round. */
  readonly times: Record<string, number[]>;
}

const webhookCounts = [1, 200];
// Odd, so that one of the ratios is the median.
const rounds = 5;
const steps = ["up", "no-op up", "refresh", "destroy"];

const repository = join(import.meta.dirname, "..");
/** The modules of the classes. The times of the others are divided by those of the first. */
const modules = {
  "by hand": join(repository, "bench/by-hand.cjs"),
  "dynamic provider": "pulumi-dbwebhooks",
  plugin: "pulumi-dbwebhooks/native",
};

const cli = await resolvePulumiCli();
const root = await realpath(await mkdtemp(join(tmpdir(), "dbwebhooks-bench-")));
try {
  await using service = await startLocalService();
  process.stdout.write(
    `| webhooks | ${steps.join(" | ")} |\n| --- |${" ---: |".repeat(steps.length)}\n`,
  );
  for (const count of webhookCounts) {
    const contenders: Contender[] = [];
    for (const [name, module] of Object.entries(modules)) {
      contenders.push(await openProject(service, { name, module, count }));
    }
    await measure(contenders);
    process.stdout.write(rowsOf(count, contenders));
  }
  process.stdout.write(`\nPulumi CLI ${cli.version}, Node.js ${process.versions.node}\n`);
} finally {
  await rm(root, { recursive: true, force: true });
}

/** Writes a program, and creates its stack in a backend of its own. */
async function openProject(
  { baseUrl, apiKey }: LocalService,
  { name, module, count }: { name: string; module: string; count: number },
): Promise<Contender> {
  const directory = join(root, `${name} ${count}`);
  const nodeModules = join(directory, "node_modules");
  await mkdir(join(nodeModules, "@pulumi"), { recursive: true });
  await symlink(repository, join(nodeModules, "pulumi-dbwebhooks"));
  await symlink(
    join(repository, "node_modules/@pulumi/pulumi"),
    join(nodeModules, "@pulumi/pulumi"),
  );
  await writeFile(
    join(directory, "Pulumi.yaml"),
    `name: bench
runtime: nodejs
plugins: { providers: [{ name: dbwebhooks, path: ${join(repository, "plugin")} }] }
`,
  );
  await writeFile(
    join(directory, "index.js"),
    `const { Webhook } = require(${JSON.stringify(module)});
for (let index = 0; index < ${count}; index++) {
  new Webhook("hook-" + index, {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/" + index,
    events: ["record.created", "record.updated"],
  });
}
`,
  );
  const env = {
    ...(await hermeticEnvironment(join(directory, "pulumi"))),
    ...cli.environment,
    DBWEBHOOKS_BASE_URL: baseUrl,
    DBWEBHOOKS_API_KEY: apiKey,
  };
  const pulumi = (args: string) =>
    execa(cli.command, [...args.split(" "), "--non-interactive"], { cwd: directory, env });
  await pulumi("stack init bench");
  return { name, pulumi, times: Object.fromEntries(steps.map((step) => [step, []])) };
}

/** Runs each step with all contenders in turn, so that the machine's speed affects all of them. */
async function measure(contenders: readonly Contender[]): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const step of steps) {
      for (const { pulumi, times } of contenders) {
        const startedAt = performance.now();
        await pulumi(`${step.replace("no-op ", "")} --skip-preview --yes`);
        times[step]?.push(performance.now() - startedAt);
      }
    }
  }
}

/** Returns the rows with the median ratio of each step. */
function rowsOf(count: number, [first, ...others]: readonly Contender[]): string {
  const medianRatio = (times: readonly number[] = [], baseline: readonly number[] = []) => {
    const ratios = times.map((time, round) => time / Number(baseline[round]));
    return ratios.toSorted((one, other) => one - other)[Math.floor(rounds / 2)]?.toFixed(2);
  };
  return others
    .map(({ name, times }) => {
      const ratios = steps.map((step) => medianRatio(times[step], first?.times[step]));
      return `| ${count} with the ${name} | ${ratios.join(" | ")} |\n`;
    })
    .join("");
}
