import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { hermeticEnvironment } from "../pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../pulumi-cli/resolve.mts";
import { ConsistencyChecker } from "./consistency.mts";
import { applyRandomEdits, firstProgram } from "./edits.mts";
import { randomFaults } from "./faults.mts";

const repository = join(import.meta.dirname, "../..");
const requestsPerSecond = 50;
const maxCommandsPerRound = 30;

export interface SoakOptions {
  readonly webhooks: number;
  /** Rounds of random edits. */
  readonly rounds: number;
  /** The seed of faults and edits. The order of requests also decides which request meets which fault. */
  readonly seed: number;
  /** The share of requests that meet a fault. Default: 0.05. */
  readonly faultyShare?: number;
  readonly print: (line: string) => void;
}

export interface SoakResult {
  /** Contradictions between service, state and errors, one line each. */
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
    const checker = new ConsistencyChecker(service);
    const allWebhooks = firstProgram(webhooks);
    let program = allWebhooks;
    let commands = 0;

    const repeatUntilSuccess = async (round: string, command: "up" | "destroy") => {
      for (let attempt = 1; attempt <= maxCommandsPerRound; attempt++) {
        const title = `${round}, ${command} ${attempt}`;
        const { succeeded, output } = await pulumi([
          command,
          "--yes",
          "--skip-preview",
          "--continue-on-error",
          "--parallel=64",
        ]);
        commands += 1;
        const { stdout: exported } = await pulumi(["stack", "export", "--show-secrets"]);
        checker.checkAfter({ title, output, exported, program });
        const { posts, deletes } = service.counts;
        print(
          `${title}: ${succeeded ? "success" : "errors"}; ${service.webhooks.length} at the service, ${checker.unmanagedIds.length} of them unmanaged; ${posts} POSTs, ${deletes} DELETEs so far`,
        );
        if (succeeded) {
          return;
        }
      }
      checker.violations.push(`${round}: still errors after ${maxCommandsPerRound} commands`);
    };

    print(`seed ${seed}, ${webhooks} webhooks, ${rounds} rounds`);
    await writeFile(join(root, "soak/webhooks.json"), JSON.stringify(program));
    await repeatUntilSuccess("creation", "up");
    for (let round = 1; round <= rounds; round++) {
      program = applyRandomEdits(program, allWebhooks, seed + round);
      await writeFile(join(root, "soak/webhooks.json"), JSON.stringify(program));
      await repeatUntilSuccess(`edit ${round}`, "up");
    }
    await repeatUntilSuccess("end", "destroy");

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
      inDoubtErrors: checker.inDoubtErrorCount,
      unmanagedWebhooks: checker.unmanagedIds.length,
      violations: checker.violations.length,
    };
    return { violations: checker.violations, summary };
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
    new Promise<{ succeeded: boolean; stdout: string; output: string }>((resolve) => {
      execFile(
        cli.command,
        [...args, "--stack=soak", "--non-interactive"],
        { cwd: directory, env: environment, maxBuffer: 1024 ** 3 },
        (error, stdout, stderr) =>
          resolve({ succeeded: error === null, stdout, output: stdout + stderr }),
      );
    });
  const { succeeded, output } = await pulumi(["stack", "init"]);
  if (!succeeded) {
    throw new Error(`pulumi stack init failed:\n${output}`);
  }
  return pulumi;
}
