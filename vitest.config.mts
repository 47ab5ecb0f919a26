import { availableParallelism } from "node:os";
import { join } from "node:path";
import semver from "semver";
import { defineConfig } from "vitest/config";
import packageJson from "./package.json" with { type: "json" };

// A script of npm installs the Node.js of the dev dependency, unless `npm ci --ignore-scripts`
// leaves it out.
if (!semver.satisfies(process.versions.node, packageJson.engines.node)) {
  throw new Error(
    `The tests need Node.js ${packageJson.engines.node}, and this is ${process.versions.node}. Run "npm rebuild node" to install one for the tests.`,
  );
}

interface Tier {
  readonly name: string;
  readonly minutes: number;
  readonly needsCli?: boolean;
  /** A set-up of its own, after those of the CLI. */
  readonly setup?: string;
}

// A machine of many cores can still lack the memory for a CLI, an engine and a provider in each.
const cores = Math.min(availableParallelism(), 8);

const tier = ({ name, minutes, needsCli = false, setup }: Tier) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    // Files share the modules that they load, which is half of the time of a short test.
    isolate: needsCli,
    testTimeout: minutes * 60_000,
    hookTimeout: minutes * 60_000,
    unstubEnvs: true,
    // Waiting for a fact ends with it, or with the test; how long it takes is the machine's affair.
    expect: { poll: { timeout: minutes * 50_000 } },
    // The tiers without the CLI wait for other processes, and for time; the others keep a core
    // busy.
    maxWorkers: needsCli ? cores : 2 * cores,
    maxConcurrency: 2,
    sequence: { groupOrder: needsCli ? 1 : 0 },
    globalSetup: [
      ...(needsCli ? ["test/helpers/pulumi.ts", "test/helpers/stack-template.ts"] : []),
      ...(setup ? [setup] : []),
    ],
    env: {
      // The simulation plays more in `thorough`.
      TEST_TIER: name,
      // Tests start hundreds of Node.js processes that load the same modules. Other users could
      // write to a directory below the shared temporary one, and Node.js runs what it finds in the
      // cache.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compile-cache"),
      // Without colours, also where CI asks for them.
      FORCE_COLOR: "0",
      // tsc checks the programs that Pulumi runs.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    },
  },
});

export default defineConfig({
  test: {
    globalSetup: ["test/helpers/heavy-commands.ts"],
    // Titles show the values of their rows in full.
    taskTitleValueFormatTruncate: 0,
    projects: [
      tier({ name: "unit", minutes: 1 }),
      tier({ name: "process", minutes: 2 }),
      tier({ name: "e2e", minutes: 5, needsCli: true }),
      // Rare and slow: npm test leaves it out.
      tier({
        name: "thorough",
        minutes: 15,
        needsCli: true,
        setup: "test/helpers/languages/setup.ts",
      }),
    ],
  },
});
