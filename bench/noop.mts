// `npm run bench:noop`: what this package adds to a command that changes nothing, and to the state.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { hermeticEnvironment } from "../tools/pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../tools/pulumi-cli/resolve.mts";
import { floor, ours, type Variant, writeProject } from "./programs.mts";

const rounds = Number(process.argv[2] ?? 9);

const cli = await resolvePulumiCli();
const root = await mkdtemp(join(tmpdir(), "dbwebhooks-bench-"));
const service = await startLocalService();
try {
  const projects = [
    await openProject("ours", ours, 1),
    await openProject("floor", floor, 1),
  ] as const;
  const times: number[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    // The order changes from round to round, so that a drift of the machine hits both.
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const startedAt = process.hrtime.bigint();
      await projects[index]?.("up", "--yes", "--skip-preview");
      times[index]?.push(Number(process.hrtime.bigint() - startedAt) / 1e9);
    }
  }
  const [oursMedian, floorMedian] = times.map(median) as [number, number];
  const ratios = times[0]?.map((time, round) => time / (times[1]?.[round] ?? 1)) ?? [];
  print(`No-op up of one webhook, ${rounds} rounds, alternated:`);
  print(
    `  median ${oursMedian.toFixed(2)} s, with a provider that does nothing ${floorMedian.toFixed(2)} s`,
  );
  print(
    `  ratio of medians ${(oursMedian / floorMedian).toFixed(3)}, median of ratios ${median(ratios).toFixed(3)}`,
  );

  const many = await openProject("many", ours, 200);
  const state = JSON.parse((await many("stack", "export")).stdout);
  const webhooks = state.deployment.resources.filter(({ id }: { id?: string }) =>
    /^\d+$/.test(id ?? ""),
  );
  const bytes = webhooks.map((resource: unknown) => JSON.stringify(resource, undefined, 4).length);
  print(
    `State per webhook, ${webhooks.length} webhooks: median ${median(bytes)} bytes as exported`,
  );
  for (const project of [...projects, many]) {
    await project("destroy", "--yes", "--skip-preview");
  }
} finally {
  await service.close();
  await rm(root, { recursive: true, force: true });
}

/** Makes a stack and runs `up` once. Returns a function that runs further commands on it. */
async function openProject(name: string, variant: Variant, count: number) {
  const directory = join(root, name);
  await writeProject(directory, variant, count);
  const environment: Record<string, string | undefined> = {
    ...process.env,
    ...(await hermeticEnvironment(join(root, `${name}-pulumi`))),
    ...cli.environment,
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
  };
  const pulumi = (...args: string[]) =>
    promisify(execFile)(cli.command, [...args, "--non-interactive"], {
      cwd: directory,
      env: environment,
      maxBuffer: 100 * 1024 * 1024,
    });
  await pulumi("stack", "init", "bench");
  await pulumi("up", "--yes", "--skip-preview");
  return pulumi;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
