import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { javascriptPluginProgram } from "../helpers/programs.ts";
import { withStack } from "../helpers/stack.ts";
import { template } from "../helpers/stack-template.ts";
import { walk } from "../helpers/walk/walk.ts";

// For example: WALK_SEED=7 WALK_STEPS=100 npx vitest run --project thorough
// test/thorough/walk.test.ts
const { WALK_SEED, WALK_STEPS = "6" } = process.env;
const steps = Number(WALK_STEPS);
const apiKeys = { same: "key-of-the-same-service", second: "key-of-the-second-service" };

const seeds = WALK_SEED === undefined ? [1, 2, 3] : [Number(WALK_SEED)];

it.each(seeds)(
  "Services, state and output agree after random commands and moves to the other provider, seed %i",
  async (seed) => {
    // Each value of the setting has every third seed.
    const listing = [undefined, true, false][seed % 3];
    await using second = await startLocalService({ apiKeys: [apiKeys.second] });
    const lines: string[] = [];
    const print = (line: string) => {
      lines.push(line);
      // A run with a seed is one that somebody watches.
      if (WALK_SEED !== undefined) {
        process.stdout.write(`${line}\n`);
      }
    };
    await withStack(
      async (stack) => {
        const services = [stack.service, second] as const;
        const options = { services, apiKeys, listing, steps, seed, print };
        const problems = await walk(stack, options);

        expect(problems, lines.join("\n")).toEqual([]);
        for (const service of services) {
          service.webhooks = [];
        }
      },
      {
        program: javascriptPluginProgram,
        service: { apiKeys: [template.apiKey, apiKeys.same] },
      },
    );
  },
  (steps + 2) * 60_000,
);
