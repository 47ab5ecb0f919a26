import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { hermeticEnvironment } from "../pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../pulumi-cli/resolve.mts";
import { edited, firstProgram } from "./edits.mts";
import { randomFaults } from "./faults.mts";
import { Ledger } from "./ledger.mts";

const repository = join(import.meta.dirname, "../..");
const requestsPerSecond = 50;
const mostCommandsPerRound = 30;

export interface SoakOptions {
  readonly webhooks: number;
  /** Rounds of random edits. */
  readonly rounds: number;
  /** The seed of faults and edits. Which request meets which fault also depends on the order of requests. */
  readonly seed: number;
  /** The share of requests that meet a fault. Default: 0.05. */
  readonly faultyShare?: number;
  readonly print: (line: string) => void;
}

export interface SoakResult {
  /** The violations, one line each. */
  readonly violations: readonly string[];
  readonly summary: Readonly<Record<string, number>>;
}

/**
 * Creates, edits and destroys many webhooks on the real CLI while the service fails at random. Repeats
 * each command until it succeeds, and compares service, state and errors after each attempt.
 */
export async function soak({
  webhooks,
  rounds,
  seed,
  faultyShare = 0.05,
  print,
}: SoakOptions): Promise<SoakResult> {
  const startedAt = Date.now();
  const root = await mkdtemp(join(tmpdir(), "dbwebhooks-soak-"));
  await using service = await startLocalService({
    rateLimit: { requestsPerSecond },
    faults: randomFaults(faultyShare, seed),
    maxRequests: 1_000_000,
  });
  try {
    const pulumi = await openStack(join(root, "soak"), service.baseUrl, service.apiKey);
    const ledger = new Ledger();
    let commands = 0;

    const repeatUntilClean = async (round: string, command: "up" | "destroy") => {
      for (let attempt = 1; attempt <= mostCommandsPerRound; attempt++) {
        const { isClean, output } = await pulumi([
          command,
          "--yes",
          "--skip-preview",
          "--continue-on-error",
          "--parallel=64",
        ]);
        commands += 1;
        const { output: exported } = await pulumi(["stack", "export", "--show-secrets"]);
        ledger.balance(`${round}, ${command} ${attempt}`, service, output, exported, program);
        const { posts, deletes } = service.counts;
        print(
          `${round}, ${command} ${attempt}: ${isClean ? "clean" : "errors"}; ${service.webhooks.length} at the service, ${ledger.orphans.length} of them named by errors; ${posts} POSTs, ${deletes} DELETEs so far`,
        );
        if (isClean) {
          return;
        }
      }
      ledger.violations.push(`${round}: not clean after ${mostCommandsPerRound} commands`);
    };

    print(`seed ${seed}, ${webhooks} webhooks, ${rounds} rounds`);
    const all = firstProgram(webhooks);
    let program = all;
    await writeFile(join(root, "soak/webhooks.json"), JSON.stringify(program));
    await repeatUntilClean("creation", "up");
    for (let round = 1; round <= rounds; round++) {
      program = edited(program, all, seed + round);
      await writeFile(join(root, "soak/webhooks.json"), JSON.stringify(program));
      await repeatUntilClean(`edit ${round}`, "up");
    }
    await repeatUntilClean("end", "destroy");

    const { posts, deletes, created, connections } = service.counts;
    const summary = {
      seed,
      webhooks,
      rounds,
      commands,
      seconds: Math.round((Date.now() - startedAt) / 1000),
      posts,
      deletes,
      connections,
      created,
      errorsThatWebhooksMayExist: ledger.warnings,
      orphansNamedByThem: ledger.orphans.length,
      violations: ledger.violations.length,
    };
    return { violations: ledger.violations, summary };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Creates a stack whose program reads its webhooks from a file. Returns a function that runs commands. */
async function openStack(directory: string, baseUrl: string, apiKey: string) {
  const cli = await resolvePulumiCli();
  await mkdir(directory);
  await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
  await writeFile(join(directory, "Pulumi.yaml"), "name: soak\nruntime: nodejs\n");
  await writeFile(join(directory, "package.json"), '{ "main": "index.js" }\n');
  await writeFile(
    join(directory, "index.js"),
    `const { Webhook } = require("pulumi-dbwebhooks");
for (const [name, args] of Object.entries(require("./webhooks.json"))) {
  new Webhook(name, args);
}
`,
  );
  const environment = {
    ...process.env,
    ...(await hermeticEnvironment(join(directory, ".."))),
    ...cli.environment,
    DBWEBHOOKS_BASE_URL: baseUrl,
    DBWEBHOOKS_API_KEY: apiKey,
    DBWEBHOOKS_TIMEOUT_SECONDS: "3",
    DBWEBHOOKS_RETRY_SECONDS: "60",
  };
  const pulumi = (args: readonly string[]) =>
    new Promise<{ isClean: boolean; output: string }>((resolve) => {
      execFile(
        cli.command,
        [...args, "--stack=soak", "--non-interactive"],
        { cwd: directory, env: environment, maxBuffer: 1024 ** 3 },
        (error, stdout, stderr) => resolve({ isClean: error === null, output: stdout + stderr }),
      );
    });
  await pulumi(["stack", "init"]);
  return pulumi;
}
