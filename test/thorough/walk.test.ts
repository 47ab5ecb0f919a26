import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { javascriptPluginProgram, javascriptProgram } from "../helpers/programs.ts";
import { withStack } from "../helpers/stack.ts";
import { apiKeys } from "../helpers/walk/accounts.ts";
import { walk } from "../helpers/walk/walk.ts";

// For example: WALK_SEED=7 WALK_STEPS=100 npx vitest run --project thorough test/thorough/walk.test.ts
const { WALK_SEED, WALK_STEPS = "20" } = process.env;
const steps = Number(WALK_STEPS);

it.each([
  { program: javascriptProgram, entry: "pulumi-dbwebhooks", defaultSeed: 1 },
  { program: javascriptPluginProgram, entry: "pulumi-dbwebhooks/native", defaultSeed: 2 },
])(
  "Services, state and output agree after random commands through $program.name",
  async ({ program, entry, defaultSeed }) => {
    const seed = Number(WALK_SEED ?? defaultSeed);
    // The provider looks webhooks up in every other walk.
    const settings = { timeoutSeconds: 3, retrySeconds: 3, listing: seed % 2 === 0 };
    await using second = await startLocalService({ apiKeys: apiKeys.second, listing: true });
    const lines: string[] = [];
    const print = (line: string) => {
      lines.push(line);
      // A run with a seed is one that somebody watches.
      if (WALK_SEED !== undefined) process.stdout.write(`${line}\n`);
    };
    await withStack(
      async (stack) => {
        const services = { first: stack.service, second };
        const problems = await walk(stack, { entry, services, settings, steps, seed, print });

        expect(problems, lines.join("\n")).toEqual([]);
        for (const service of [stack.service, second]) {
          for (const { id } of service.webhooks) service.removeWebhook(id);
        }
      },
      { program, service: { apiKeys: apiKeys.first, listing: true } },
    );
  },
);
